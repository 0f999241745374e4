"""Which training values hold for a recipe on a task; the more special wins.

From general to special: what the recipe says, what the task says for all recipes (`tasks.TASK.training`),
what the task says for this recipe (`tasks.TASK.by_recipe.RECIPE.training`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xstitch.plan.extends import merge

Entry = Mapping[str, Any]


def finetuning_values(name: str, recipe: Entry, task: Entry) -> dict[str, Any]:
    """How a recipe of this name fine-tunes on a task."""
    general = merge(recipe["training"], task.get("training", {}))
    return merge(general, _for_recipe(task, name).get("training", {}))


def adapting_values(name: str, recipe: Entry, task: Entry) -> dict[str, Any]:
    """How a recipe of this name adapts a model of a task: the keys of a stage that are no files.

    A task's own `training` is about fine-tuning, which has come before; adapting takes other steps.
    """
    special = _for_recipe(task, name)
    return {
        "method": recipe["method"],
        "adaptation": merge(recipe.get("adaptation", {}), special.get("adaptation", {})),
        "training": merge(recipe["training"], special.get("training", {})),
    }


def _for_recipe(task: Entry, name: str) -> Entry:
    return task.get("by_recipe", {}).get(name, {})
