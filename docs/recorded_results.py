"""Record a comparison of recipes and show it in docs/results: recorded_results.py COMPARISON [PAGE].

COMPARISON is a table of a run, such as results/tables/mosecrot/frozen.tsv, a paper's table with the
published numbers beside ours, such as results/tables/table2.compare.tsv, or the numbers of a figure of
gradients, such as results/figures/gradients/mbert/taxi1500/qaa.tsv; PAGE is the name of the page that
shows it, if it has another one.
"""

from __future__ import annotations

import csv
import shutil
import sys
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
BEGIN, END = "<!-- written by docs/recorded_results.py -->\n", "<!-- end -->\n"


def shown(table: Path) -> str:
    """A comparison as a Markdown table: rows are methods, columns languages; other tables as they are."""
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    if rows and "reproduced" in rows[0]:
        rows = [_of_table(row) for row in rows if row["reproduced"]]
    elif "method" not in rows[0]:
        rows = _of_gradients(rows) if "layer" in rows[0] else rows
        return _lines([list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)])
    cells = {(row["method"], row["target"]): _cell(row) for row in rows}
    methods, targets = (list(dict.fromkeys(row[key] for row in rows)) for key in ("method", "target"))
    lines = [["method", *targets], ["---"] * (len(targets) + 1)]
    lines += [[method, *(cells.get((method, target), "") for target in targets)] for method in methods]
    return _lines(lines)


def _lines(lines: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _of_table(row: dict[str, str]) -> dict[str, str]:
    """A cell of a paper's table in the words of a comparison of recipes; nothing is tested there."""
    numbers = dict(
        zip(("macro_f1", "macro_f1_low", "macro_f1_high"), ("reproduced", "low", "high"), strict=True)
    )
    return {"method": row["row"], "target": row["column"], "shown": ""} | {
        ours: row[theirs] for ours, theirs in numbers.items()
    }


def _of_gradients(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Gradients of all layers together, at the first two points, the one in the middle and the last."""
    updates = sorted({row["update"] for row in rows}, key=float)
    chosen = {updates[number] for number in (0, 1, len(updates) // 2, -1)}
    columns = ("loss", "language", "update", "cosine", "low", "high", "norm")
    kept = [row for row in rows if row["layer"] == "all" and row["update"] in chosen]
    return [{name: row[name] for name in columns} for row in kept]


def _cell(row: dict[str, str]) -> str:
    metric = "macro_f1" if "macro_f1" in row else "f1"  # of labels, of the spans of tags
    value, low, high = (f"{float(row[f'{metric}{end}']):.2f}" for end in ("", "_low", "_high"))
    verdict = {"above": " ▲", "below": " ▼"}.get(row["shown"], "")
    return f"{value} ({low} to {high}){verdict}"


def page_with(table: Path, page: str) -> str:
    """A page with the table between its markers replaced."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{shown(table)}\n{END}{rest.partition(END)[2]}"


def record(comparison: Path, name: str) -> None:
    """Keep a comparison and show it on a page."""
    kept, page = RESULTS / f"{name}.tsv", RESULTS / f"{name}.md"
    if kept.resolve() != comparison.resolve():
        shutil.copyfile(comparison, kept)
    page.write_text(page_with(kept, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    table = Path(sys.argv[1])
    record(table, sys.argv[2] if len(sys.argv) > 2 else table.stem)
