"""Which modules of the library changed since a job last ran.

Snakemake records the digest of the library code behind a job, and a changed digest is a reason to run it
again. A digest says that something changed, not what: a run notes under each the modules that it stands for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.core.files import read_json, whole_file

NOTES = Path(".snakemake/library")
NAMES_SHOWN = 3  # a reason is one line
# How Snakemake reports changed parameters, each as Python writes it (ParamsChange and Reason, version 9).
CHANGED = re.compile(
    r"Params have changed since last execution: Union of exclusive params before and now across all output: "
    r"before: (?P<before>.*) now: (?P<now>.*?) (?=;|$)"
)
DIGEST = re.compile(r"'([0-9a-f]{16})'")
NOTHING = "<nothing exclusive>"

Modules = Mapping[str, Mapping[str, str]]  # by digest: the digests of modules, by their paths


def note_modules(digest: str, modules: Mapping[str, str], notes: Path = NOTES) -> None:
    """Keep the digests of the modules behind a digest, by their paths, unless they are noted already."""
    file = notes / f"{digest}.json"
    if not file.exists():
        with whole_file(file) as partial:
            partial.write_text(json.dumps(modules, indent=0) + "\n", encoding="utf-8")


def explain_rerun(reason: str, current: Modules, notes: Path = NOTES) -> str:
    """Say in Snakemake's reason for a job which modules changed, in place of two digests.

    `current` has the modules behind the digests of this run; those of earlier ones are looked up in `notes`.
    """
    changed, found = changed_behind(reason, current, notes), CHANGED.search(reason)
    if not changed or not found:
        return reason
    others = [f"{label}: {rest}" for label in ("before", "now") if (rest := _without_digest(found[label]))]
    parts = [changed, *([f"params changed: {', '.join(others)}"] if others else [])]
    return reason.replace(found[0], "; ".join(parts))


def changed_behind(reason: str, current: Modules, notes: Path = NOTES) -> str | None:
    """The modules that Snakemake's reason for a job is about, in words; None if it is about none."""
    found = CHANGED.search(reason)
    if not found:
        return None
    before, now = DIGEST.findall(found["before"]), DIGEST.findall(found["now"])
    if len(before) != 1 or len(now) != 1 or now[0] not in current:
        return None
    return f"{changed_modules(_noted(before[0], notes), current[now[0]])} changed"


def changed_modules(before: Mapping[str, str] | None, now: Mapping[str, str]) -> str:
    """Name the modules that differ; without a note of the earlier ones, the library as a whole."""
    if before is None:
        return "the library"
    files = sorted(file for file in before.keys() | now.keys() if before.get(file) != now.get(file))
    names = [module_name(file) for file in files]
    more = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def module_name(file: str) -> str:
    """The dotted name of a module by its path: xstitch/spaces/relative.py is xstitch.spaces.relative."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _noted(digest: str, notes: Path) -> dict[str, str] | None:
    try:
        return read_json(notes / f"{digest}.json")
    except InputError:
        return None


def _without_digest(params: str) -> str:
    """The other parameters of a list that Snakemake has joined with commas."""
    rest = re.sub(rf"^{DIGEST.pattern},|,?{DIGEST.pattern}", "", params)
    return "" if rest == NOTHING else rest
