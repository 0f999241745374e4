"""What figures are made of: measurements of recipes, or two spaces and the anchors between them."""

from __future__ import annotations

from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import found_anchors, improvements_file, model_of, space_names
from xstitch.plan.papers import figure_definition, filled_rows
from xstitch.plan.run import Entry, Files, Run, Wildcards
from xstitch.plan.space_inputs import task_spaces


def figure_files(run: Run) -> list[str]:
    """Every figure of every paper."""
    return [
        f"results/figures/{paper}/figure{number}.svg"
        for paper, content in run.papers.items()
        for number in content.get("figures", {})
    ]


def figure_spec(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """A figure's definition with the rows that this run computes and its panels' languages, if any."""
    spec = figure_definition(run, wildcards.paper, wildcards.number)
    panels = {"panels": [_shown_panel(run, panel) for panel in spec["panels"]]} if "panels" in spec else {}
    return {**spec, **panels, "rows": filled_rows(run, spec)}


def _shown_panel(run: Run, panel: Entry) -> dict[str, Any]:
    """A panel; for a single pair, with its target: the paper's, or this run's language in the same role."""
    target = shown_target(run, panel)
    titled = {"title": f"{panel['title']}, {run.source} to {target}"} if target else {}
    return {**panel, "target": target, **titled}


def shown_target(run: Run, panel: Entry) -> str | None:
    """The target of a single pair: the paper's, or this run's language in the same role; None for no pair."""
    targets = run.tasks.get(panel["task"], {}).get("targets", [])
    if "role" not in panel or not targets:
        return None
    return panel["target"] if panel["target"] in targets else targets[panel["role"]]


def measured_input(run: Run, wildcards: Wildcards) -> list[str]:
    """The measurements that a figure shows, by its kind, panel by panel and row by row."""
    spec = figure_spec(run, wildcards)
    _require_measured(run, spec, f"figure {wildcards.number} of {wildcards.paper}")
    return [
        file
        for panel in spec["panels"]
        for row in spec["rows"]
        for file in _measured_files(run, spec["kind"], row["recipe"], panel)
    ]


def _require_measured(run: Run, spec: Entry, figure: str) -> None:
    """Refuse a figure of tasks or recipes that the configuration does not have."""
    for panel in spec["panels"]:
        if panel["task"] not in run.tasks:
            raise InputError(f"{figure}: no task {panel['task']} in the config")
    for row in spec["rows"]:
        if row["recipe"] not in run.recipes:
            raise InputError(f"{figure}: no recipe {row['recipe']} in the config")


def _measured_files(run: Run, kind: str, recipe: str, panel: Entry) -> list[str]:
    """The files of one recipe in one panel of a figure."""
    task, source, target = panel["task"], run.source, panel["target"]
    if kind == "improvements":
        return [improvements_file(recipe, task, source, target, seed) for seed in run.seeds_of(recipe)]
    if kind == "steps":
        return [model_of(run, recipe, task, source, target, seed) for seed in run.seeds_of(recipe)]
    return [f"results/shifts/{recipe}/{task}/{source}.tsv"]


def language_order(run: Run) -> dict[str, int]:
    """The position of every language, the same in all figures: it determines colour and marker."""
    return {lang: position for position, lang in enumerate(dict.fromkeys([*run.listed, *run.languages]))}


def drawn_rows(run: Run, wildcards: Wildcards) -> list[dict[str, Any]]:
    """The rows of a figure of spaces: label, search, first seed, and the file of its anchors, if any."""
    spec = figure_spec(run, wildcards)
    return [{"row": row["row"], **_drawn(run, row["recipe"], spec["task"])} for row in spec["rows"]]


def _drawn(run: Run, recipe: str, task: str) -> dict[str, Any]:
    pair, seed = "-".join(space_names(run, task)), run.seeds_of(recipe)[0]
    file = found_anchors(run, recipe, task, pair, seed)
    return {"search": run.recipes[recipe]["search"], "seed": seed, "anchors_file": file}


def drawn_input(run: Run, wildcards: Wildcards) -> Files:
    """Two spaces and the anchors found by the recipes of a figure."""
    files = [row["anchors_file"] for row in drawn_rows(run, wildcards) if row["anchors_file"]]
    return {**task_spaces(run, figure_spec(run, wildcards)["task"]), "found_anchors": files}


def drawn_names(run: Run, wildcards: Wildcards) -> list[str]:
    """The names of the two spaces that a figure draws."""
    return space_names(run, figure_spec(run, wildcards)["task"])


def drawn_exchanged(run: Run, wildcards: Wildcards) -> bool:
    """Whether the two spaces of a figure swap roles after words and anchors were chosen."""
    return run.tasks[figure_spec(run, wildcards)["task"]].get("exchanged", False)


def drawn_words(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """Which words of both spaces a figure draws."""
    return run.tasks[figure_spec(run, wildcards)["task"]]["words"]
