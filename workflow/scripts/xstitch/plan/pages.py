"""What the report's pages say about tables: titles, the commands behind rows, which numbers are better."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xstitch.plan.addresses import scores_file
from xstitch.plan.papers import comparison_definition, filled_rows, has_scores
from xstitch.plan.run import Entry, Run, Wildcards
from xstitch.plan.tables import asked_table, table_spec
from xstitch.results.columns import table_tasks

DEFAULT_SCALE = "mini"  # of config/config.yaml
HIGHEST, LOWEST = "highest", "lowest"
BETTER = {"mae": LOWEST, "mse": LOWEST} | dict.fromkeys(
    "accuracy macro_f1 weighted_f1 f1 exact_match mrr jaccard cosine csls_p1 spearman score".split(), HIGHEST
)


def table_heading(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The heading of a table of scores."""
    spec = table_spec(run, wildcards)
    columns = [*spec["columns"], *asked_table(run, wildcards).get("columns", [])]
    return {
        **list_heading(run, wildcards),
        "scale": run.config["scale"],
        "commands": _commands(run, spec),
        "better": {column: better for column in columns if (better := _better(spec, column))},
        "names": _language_names(run, columns),
    }


def list_heading(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The heading of a table that is no comparison."""
    return _heading(run, wildcards.paper, asked_table(run, wildcards))


def comparison_heading(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The heading of a comparison of recipes."""
    spec = comparison_definition(run, wildcards.paper, wildcards.comparison)
    return {**_heading(run, wildcards.paper, spec), "scale": run.config["scale"]}


def index_heading(_: Run, __: Wildcards) -> dict[str, Any]:
    """The heading of the list of all tables."""
    return {
        "title": "All tables",
        "paper": "What this configuration can make, and what is missing for the rest",
    }


def _heading(run: Run, paper: str, spec: Entry) -> dict[str, Any]:
    return {"title": spec["title"], "paper": run.papers[paper]["title"]}


def _commands(run: Run, spec: Entry) -> dict[str, str]:
    """The command that makes the scores of a row, by the row's label; other tables have no scores."""
    if "kind" in spec:
        return {}
    commands = {}
    for row in filled_rows(run, spec):
        tasks = [task for task in table_tasks(spec) if has_scores(row, task)]
        files = [scores_file(row["recipe"], task, run.source) for task in dict.fromkeys(tasks)]
        commands[row.get("shown", row["row"])] = f"snakemake {' '.join(files)}{_chosen_scale(run)}"
    return commands


def _chosen_scale(run: Run) -> str:
    """What a command must add for a scale that is not the default; a target comes before it."""
    return "" if run.config["scale"] == DEFAULT_SCALE else f" --config scale={run.config['scale']}"


def _language_names(run: Run, columns: Iterable[str]) -> dict[str, str]:
    """The names of the languages among a table's columns: those of this run, and the paper's."""
    known = {**run.listed, **run.languages}
    return {column: known[column]["name"] for column in dict.fromkeys(columns) if column in known}


def _better(spec: Entry, column: str) -> str | None:
    """Whether the highest or the lowest number of a column is the best; None for counts and settings."""
    if "held" in spec:
        return BETTER.get(spec["held"].get(column, {}).get("metric", ""))
    if "measures" in spec:
        return BETTER.get(spec["measures"].get(column.partition(" ")[0], {}).get("metric", ""))
    return BETTER.get(spec["metric"])
