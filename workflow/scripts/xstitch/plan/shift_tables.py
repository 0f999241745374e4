"""Tables of what papers' texts say about shifts: the measurements that fill them."""

from __future__ import annotations

from itertools import product
from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import improvements_file
from xstitch.plan.availability import missing_for_table
from xstitch.plan.chains import chain_folders, chain_name, in_chain
from xstitch.plan.figures import shown_target
from xstitch.plan.papers import filled_rows, table_number
from xstitch.plan.run import Entry, Run, Wildcards
from xstitch.plan.tables import asked_table
from xstitch.results.columns import table_tasks


def table_cases(run: Run, wildcards: Wildcards) -> list[dict[str, Any]]:
    """The files of measurements behind a table, each with recipe, task, seed and chain, if it can be made."""
    spec, number = asked_table(run, wildcards), table_number(wildcards.table)
    if lacking := missing_for_table(run, wildcards.paper, number):
        raise InputError(f"table {number} of {wildcards.paper} cannot be made yet: {lacking}")
    recipes = list(dict.fromkeys(row["recipe"] for row in filled_rows(run, spec)))
    if spec["kind"] == "decreases":
        recipes = list(dict.fromkeys([spec["baseline"], *recipes]))
        cases = [_shifts(run, recipe, task) for recipe, task in product(recipes, table_tasks(spec))]
        return _in_all_chains(run, cases)
    panels = {measure["task"]: measure for measure in spec["measures"].values()}
    cases = [
        _improvements(run, recipe, panel, seed)
        for recipe, panel in product(recipes, panels.values())
        for seed in run.seeds_of(recipe)
    ]
    return _in_all_chains(run, cases)


def _in_all_chains(run: Run, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cases of the first chain and the same of all others."""
    return [
        {**in_chain(run, case, folder), "chain": chain_name(folder)}
        for folder in chain_folders(run)
        for case in cases
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
