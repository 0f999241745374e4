"""What the papers' files define: tables, figures, comparisons, and which of their rows a run computes."""

from __future__ import annotations

from xstitch.core.errors import InputError
from xstitch.plan.run import Entry, Run

QUOTED = "published-"  # prefix of recipes whose rows a paper quotes from other work


def table_number(table: str) -> str:
    """The number (or name) of a table, from the name of its file."""
    return table.removeprefix("table")


def table_definition(run: Run, paper: str, number: str) -> Entry:
    """A table as its paper's file defines it."""
    tables = run.papers[paper]["tables"]
    if number not in tables:
        raise InputError(f"{paper} has no table {number}; its tables: {', '.join(tables)}")
    return tables[number]


def figure_definition(run: Run, paper: str, number: str) -> Entry:
    """A figure as its paper's file defines it."""
    figures = run.papers[paper].get("figures", {})
    if number not in figures:
        raise InputError(f"{paper} has no figure {number}; its figures: {', '.join(figures) or 'none'}")
    return figures[number]


def all_tables(run: Run) -> list[tuple[str, str]]:
    """Every table of every paper, as paper and number."""
    return [(paper, number) for paper, content in run.papers.items() for number in content["tables"]]


def lead_paper(run: Run) -> str:
    """The paper whose tables are also written to results/tables itself."""
    return next(paper for paper, content in run.papers.items() if content.get("lead"))


def comparison_names(run: Run) -> list[str]:
    """The names of all papers' comparisons of recipes."""
    return sorted({name for paper in run.papers.values() for name in paper.get("comparisons", {})})


def comparison_definition(run: Run, paper: str, name: str) -> Entry:
    """A comparison of recipes as its paper's file defines it."""
    comparisons = run.papers[paper].get("comparisons", {})
    if name not in comparisons:
        raise InputError(
            f"{paper} has no comparison {name}; its comparisons: {', '.join(comparisons) or 'none'}"
        )
    return comparisons[name]


def shown_rows(spec: Entry) -> list[Entry]:
    """The rows of a table: the paper's, then ours."""
    return [*spec.get("rows", []), *spec.get("ours", [])]


def quoted(row: Entry) -> bool:
    """Whether a paper quotes a row from other work."""
    return row["recipe"].startswith(QUOTED)


def has_scores(row: Entry, task: str) -> bool:
    """Whether a row shows scores of a task: of all its table's, unless the row has a list of its own."""
    return task in row.get("tasks", [task])


def filled_rows(run: Run, spec: Entry) -> list[Entry]:
    """The rows that this run computes: all but those it leaves out and those a paper quotes.

    A row that is `optional` is also left out where the configuration lacks its recipe.
    """
    known = {*run.recipes, *run.config["alignments"]}
    return [
        row
        for row in shown_rows(spec)
        if row["recipe"] not in run.left_out
        and not quoted(row)
        and (row["recipe"] in known or not row.get("optional"))
    ]
