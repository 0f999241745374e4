"""Verdicts of earlier runs, by scale: what a page of claims shows beside those of the run itself.

`config/verdicts/SCALE.tsv` has the latest recorded verdict of each claim at a scale. Recording is a decision:
a verdict belongs to the code and the settings of its day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.core.tsv import read_records, write_tsv
from xstitch.results.claims.logic import NOT_RUN

FOLDER = "config/verdicts"
SCALES = ("mini", "real", "paper")
COLUMNS = ("paper", "claim", "verdict", "numbers")

Name = tuple[str, str]  # a paper and a claim
Verdicts = Mapping[Name, Mapping[str, str]]


def verdicts_file(scale: str) -> str:
    """Return the path of the verdicts that were recorded at a scale."""
    return f"{FOLDER}/{scale}.tsv"


def read_verdicts(path: str | Path) -> Verdicts:
    """Read recorded verdicts, by paper and claim."""
    return {(row["paper"], row["claim"]): row for row in read_records(path)}


def record_verdicts(claims: str | Path, order: Iterable[Name], folder: str | Path = FOLDER) -> Path:
    """Keep the verdicts of a run's table of claims, in the order of the papers' files; return the file.

    What the run did not judge stays as it was recorded before; claims that no paper has any more go.
    """
    rows = read_records(claims)
    scales = {row["scale"] for row in rows}
    if len(scales) != 1 or not scales <= set(SCALES):
        raise InputError(
            f"{claims}: verdicts of one of the scales {', '.join(SCALES)} are recorded, not of "
            f"{', '.join(sorted(scales)) or 'none'}; name the claims of such a run"
        )
    path = Path(folder) / f"{scales.pop()}.tsv"
    judged = {(row["paper"], row["claim"]): row for row in rows if row["verdict"] != NOT_RUN}
    kept = {**(read_verdicts(path) if path.is_file() else {}), **judged}
    write_tsv(path, COLUMNS, [[kept[name][column] for column in COLUMNS] for name in order if name in kept])
    return path
