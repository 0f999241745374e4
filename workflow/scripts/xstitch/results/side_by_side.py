"""A table as text, for a terminal or a document: our numbers with intervals, the published ones beside."""

from __future__ import annotations

from pathlib import Path

from xstitch.core.tsv import read_tsv
from xstitch.results.resampling import LEVELS

Cells = dict[tuple[str, str], dict[str, str]]  # of a comparison, by row and column


def side_by_side(table: str | Path, comparison: str | Path) -> str:
    """Show our table and the published one side by side."""
    header, *body = read_tsv(table)
    cells = _compared(comparison)
    published = list(dict.fromkeys(column for (_, column), cell in cells.items() if cell["published"]))
    lines = [[*header, "|", *published]]
    for label, *numbers in body:
        ours = [
            f"{number}{_interval(cells.get((label, column), {}))}"
            for column, number in zip(header[1:], numbers, strict=True)
        ]
        theirs = [_decimals(cells.get((label, column), {}).get("published", "")) for column in published]
        lines.append([label, *ours, "|", *theirs])
    widths = [max(len(line[index]) for line in lines) for index in range(len(lines[0]))]
    text = [
        "  ".join(field.ljust(width) for field, width in zip(line, widths, strict=True)) for line in lines
    ]
    return "\n".join(line.rstrip() for line in text)


def what_it_is(comparison: str | Path) -> str:
    """Say in a sentence what our numbers are means of, and what their intervals cover."""
    ours = [cell for cell in _compared(comparison).values() if cell["reproduced"]]
    chains, seeds = (max(int(cell[name]) for cell in ours) for name in ("chains", "seeds"))
    levels = {level for cell in ours for level in cell["covers"].split()}
    covered = " and ".join(level for level in LEVELS if level in levels)
    numbers = [
        f"{number} {name}{'s' * (number > 1)}" for number, name in ((chains, "chain"), (seeds, "seed"))
    ]
    return (
        f"Means of {numbers[0]} with {numbers[1]} of fine-tuning; in brackets, 95 % intervals over {covered}."
    )


def _compared(comparison: str | Path) -> Cells:
    header, *rows = read_tsv(comparison)
    return {(row[0], row[1]): dict(zip(header, row, strict=True)) for row in rows}


def _interval(cell: dict[str, str]) -> str:
    """Return the interval of a number, if it has one."""
    ends = [cell.get(end, "") for end in ("low", "high")]
    return f" [{', '.join(map(_decimals, ends))}]" if all(ends) else ""


def _decimals(number: str) -> str:
    """Round a number to the two decimals of a table; nothing stays nothing."""
    return f"{float(number):.2f}" if number else ""
