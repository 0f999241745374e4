"""Write the tweets of UMSAB as a task of one's own: tweets.py UMSAB FOLDER, for docs/results/tweets.yaml.

UMSAB has a folder for each language, with a file of texts and one of labels (0, 1, 2) for each split. The
files written have `id TAB label TAB text`; FOLDER/LANG.txt has the training texts alone, for word vectors.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LANGUAGES = {"english": "en", "german": "de", "spanish": "es", "french": "fr"}
SPLITS = {"train": "train", "val": "dev", "test": "test"}
LABELS = ("negative", "neutral", "positive")
ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")  # the English part writes some characters so


def clean(text: str) -> str:
    """Return a tweet on one line, its characters written as themselves."""
    return " ".join(ESCAPED.sub(lambda found: chr(int(found[1], 16)), text).split())


def tweets(folder: Path, split: str) -> list[tuple[str, str]]:
    """Return the labels and texts of a split."""
    texts, labels = (
        (folder / f"{split}_{what}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
        for what in ("text", "labels")
    )
    return [
        (LABELS[int(label)], clean(text)) for label, text in zip(labels, texts, strict=True) if clean(text)
    ]


def write_tweets(umsab: Path, folder: Path) -> None:
    """Write the files of all languages."""
    folder.mkdir(parents=True, exist_ok=True)
    for language, code in LANGUAGES.items():
        for split, name in SPLITS.items():
            rows = tweets(umsab / language, split)
            lines = [f"{name}{number}\t{label}\t{text}\n" for number, (label, text) in enumerate(rows, 1)]
            (folder / f"{code}.{name}.tsv").write_text("".join(lines), encoding="utf-8")
        texts = (text for _, text in tweets(umsab / language, "train"))
        (folder / f"{code}.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


if __name__ == "__main__":
    write_tweets(Path(sys.argv[1]), Path(sys.argv[2]))
