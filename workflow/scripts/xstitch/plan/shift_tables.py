"""Tables of what papers' texts say about shifts: the measurements that fill them."""

from __future__ import annotations

from itertools import product
from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import improvements_file
from xstitch.plan.availability import missing_for_table
from xstitch.plan.figures import shown_target
from xstitch.plan.papers import filled_rows, table_number
from xstitch.plan.run import Entry, Run, Wildcards
from xstitch.plan.tables import asked_table
from xstitch.results.columns import table_tasks


def table_cases(run: Run, wildcards: Wildcards) -> list[dict[str, Any]]:
    """The files of measurements behind a table, each with its recipe, task and seed, if it can be made."""
    spec, number = asked_table(run, wildcards), table_number(wildcards.table)
    if lacking := missing_for_table(run, wildcards.paper, number):
        raise InputError(f"table {number} of {wildcards.paper} cannot be made yet: {lacking}")
    recipes = list(dict.fromkeys(row["recipe"] for row in filled_rows(run, spec)))
    if spec["kind"] == "decreases":
        recipes = list(dict.fromkeys([spec["baseline"], *recipes]))
        return [_shifts(run, recipe, task) for recipe, task in product(recipes, table_tasks(spec))]
    panels = {measure["task"]: measure for measure in spec["measures"].values()}
    return [
        _improvements(run, recipe, panel, seed)
        for recipe, panel in product(recipes, panels.values())
        for seed in run.seeds_of(recipe)
    ]


def _shifts(run: Run, recipe: str, task: str) -> dict[str, Any]:
    """The shifts of a recipe in all languages; they are measured with the models of its first seed."""
    file = f"results/shifts/{recipe}/{task}/{run.source}.whole.tsv"
    return {"recipe": recipe, "task": task, "seed": run.seeds_of(recipe)[0], "file": file}


def _improvements(run: Run, recipe: str, panel: Entry, seed: int) -> dict[str, Any]:
    """What adaptation to target sets gained in the language that plays a role in this run."""
    task, target = panel["task"], shown_target(run, panel)
    file = improvements_file(recipe, task, run.source, target, seed)
    return {"recipe": recipe, "task": task, "target": target, "seed": seed, "file": file}


def table_files(run: Run, wildcards: Wildcards) -> list[str]:
    """The files behind a table."""
    return [case["file"] for case in table_cases(run, wildcards)]
