"""Record the curves of a run and show them in docs/results: recorded_curves.py [FOLDER].

FOLDER has the curves of a run, results/figures/mosecrot if it is not named. The numbers of the same curves,
scale and languages are replaced in curves.tsv and curves.crossings.tsv there; those of others are kept.
The page docs/results/curves.md is written from these two files.
"""

from __future__ import annotations

import csv
import shutil
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
BEGIN, END = "<!-- written by docs/recorded_curves.py -->\n", "<!-- end -->\n"
CURVES = {
    "pairs": ("Dictionary pairs", "pairs"),
    "text": ("Text for the word vectors", "sentences"),
    "labels": ("Labelled target texts", "labels"),
    "anchors-without": ("Anchors without a dictionary", "known pairs"),
}
SCALES = {"mini": "mini world", "real": "real"}
Rows = list[dict[str, str]]


def read(table: Path) -> Rows:
    """The rows of a table; none if it does not exist yet."""
    if not table.exists():
        return []
    with table.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def updated(kept: Rows, new: Rows) -> Rows:
    """Recorded rows with those of new curves replaced, in the order of scales and curves."""
    place = lambda row: (list(SCALES).index(row["scale"]), list(CURVES).index(row["curve"]))  # noqa: E731
    measured = {(row["curve"], row["scale"], row["language"]) for row in new}
    others = [row for row in kept if (row["curve"], row["scale"], row["language"]) not in measured]
    return sorted([*others, *new], key=place)


def write(rows: Rows, table: Path) -> None:
    """Write rows with the same columns."""
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def shown(points: Rows, crossings: Rows) -> str:
    """All curves as Markdown: a figure and a table of each scale, and the crossings."""
    text = ""
    for curve, (title, unit) in CURVES.items():
        here = [row for row in points if row["curve"] == curve]
        if not here:
            continue
        text += f"## {title}\n\n"
        for scale, rows in groupby(here, key=lambda row: row["scale"]):
            text += (
                f"![{title}, {SCALES[scale]}](curves-{curve}-{scale}.svg)\n\n{_points(list(rows), unit)}\n"
            )
        if crossed := [row for row in crossings if row["curve"] == curve]:
            text += f"{_crossings(crossed, unit)}\n"
    return text


def _points(rows: Rows, unit: str) -> str:
    """One row for each language and amount, one column for each method; level lines have no amount."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    cells = {(row["language"], row["x"], row["method"]): _cell(row) for row in rows}
    lines = [["language", unit, *methods]]
    for language in dict.fromkeys(row["language"] for row in rows):
        amounts = {row["x"] for row in rows if row["language"] == language and row["x"]}
        level = {row["method"] for row in rows if row["language"] == language and not row["x"]}
        for number, x in enumerate(sorted(amounts, key=int)):
            found = [
                cells.get(
                    (language, x, method),
                    cells[language, "", method] if method in level and not number else "",
                )
                for method in methods
            ]
            lines.append([language, f"{int(x):,}", *found])
    return _table(lines)


def _cell(row: dict[str, str]) -> str:
    value, low, high = (f"{float(row[key]):.2f}" for key in ("macro_f1", "low", "high"))
    return f"{value} ({low} to {high})"


def _crossings(rows: Rows, unit: str) -> str:
    lines = [["where", "overtakes", "over", f"at {unit}", "ahead at the most"]]
    for row in rows:
        amount = lambda x, row=row: _amount(x, row)  # noqa: E731
        interval = f"{amount(row['x'])} ({amount(row['low'])} to {amount(row['high'])})"
        where = f"{row['language']}, {SCALES[row['scale']]}"
        share = f"{100 * float(row['ahead']):.0f} % of resamples at {int(row['to']):,}"
        lines.append([where, row["method"], row["over"], interval, share])
    return _table(lines)


def _amount(x: str, row: dict[str, str]) -> str:
    """An amount at which lines cross: never, before the first or between two."""
    if x == "inf":
        return "never"
    return f"{int(x):,} or before" if x == row["from"] else f"{int(x):,}"


def _table(lines: Sequence[Sequence[str]]) -> str:
    header, *rows = lines
    return "".join(f"| {' | '.join(line)} |\n" for line in (header, ["---"] * len(header), *rows))


def page_with(points: Rows, crossings: Rows, page: str) -> str:
    """A page with what is between its markers replaced."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{shown(points, crossings)}{END}{rest.partition(END)[2]}"


def record(folder: Path) -> None:
    """Keep the curves of a run and show them."""
    tables = {"curves.tsv": ".tsv", "curves.crossings.tsv": ".crossings.tsv"}
    recorded = []
    for name, suffix in tables.items():
        new = [row for curve in CURVES for row in read(folder / f"{curve}{suffix}")]
        recorded.append(updated(read(RESULTS / name), new))
        write(recorded[-1], RESULTS / name)
    for curve in CURVES:
        if rows := read(folder / f"{curve}.tsv"):
            shutil.copyfile(folder / f"{curve}.svg", RESULTS / f"curves-{curve}-{rows[0]['scale']}.svg")
    page = RESULTS / "curves.md"
    page.write_text(page_with(*recorded, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    record(Path(sys.argv[1] if len(sys.argv) > 1 else "results/figures/mosecrot"))
