"""MARC, the Multilingual Amazon Reviews Corpus: reviews with one to five stars, one JSON object per line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.core.lines import numbered_lines, parse_json, some_rows
from xstitch.core.progress import progress
from xstitch.sources.tasks.places import SPLITS, Places
from xstitch.sources.tasks.rows import Example, check_label

STARS = ("1", "2", "3", "4", "5")
# The labels of one to five stars, by the number of classes.
LABELS_OF_STARS = {3: ("negative", "negative", "neutral", "positive", "positive"), 5: STARS}


def files(lang: str, _: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Return the paths of all splits of a language."""
    return {split: places.resource("marc", f"{split}/dataset_{lang}_{split}.json") for split in SPLITS}


def labels(task: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all labels, from bad to good."""
    return tuple(dict.fromkeys(LABELS_OF_STARS[task["classes"]]))


def read(files: Mapping[str, str], split: str, task: Mapping[str, Any]) -> Iterator[Example]:
    """Stream a split of one language; the text is made of the review's configured fields in turn."""
    return some_rows(_examples(files[split], task), files[split], "review")


def _examples(path: str, task: Mapping[str, Any]) -> Iterator[Example]:
    label_of = dict(zip(STARS, LABELS_OF_STARS[task["classes"]], strict=True))
    for number, line in progress(numbered_lines(path), Path(path).name, unit="review"):
        if line.strip():
            location = f"{path}:{number}"
            review = parse_json(line, path, number)
            name, stars, *texts = _values(review, ("review_id", "stars", *task["fields"]), location)
            yield Example(name, label_of[check_label(stars, STARS, location, "stars")], " ".join(texts))


def _values(review: Any, keys: Sequence[str], location: str) -> list[str]:
    """Return some of a review's values as strings: stars are strings in the originals, numbers in copies."""
    if not isinstance(review, dict):
        kind = type(review).__name__
        raise InputError(f"{location}: a JSON object expected, not {kind}; is the file complete?")
    for key in keys:
        if not isinstance(review.get(key), str | int):
            raise InputError(f"{location}: no text under {key!r}; is it a file of the Amazon reviews corpus?")
    return [str(review[key]) for key in keys]
