"""Which training values apply to a recipe on a task; the more specific win.

From general to specific: the recipe's, the task's for all recipes (`tasks.TASK.training`), the task's for
this recipe (`tasks.TASK.by_recipe.RECIPE.training`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xstitch.plan.extends import merge

Entry = Mapping[str, Any]


def finetuning_values(name: str, recipe: Entry, task: Entry) -> dict[str, Any]:
    """How the recipe with this name fine-tunes on a task."""
    general = merge(recipe["training"], task.get("training", {}))
    return merge(general, _for_recipe(task, name).get("training", {}))


def adapting_values(name: str, recipe: Entry, task: Entry) -> dict[str, Any]:
    """How the recipe with this name adapts a task's model: the keys of a stage that are not files.

    A task's own `training` does not apply: it is about fine-tuning, which comes before adapting.
    """
    specific = _for_recipe(task, name)
    adaptation, training = (specific.get(part, {}) for part in ("adaptation", "training"))
    candidates = recipe.get("candidates", {}).items()
    return {
        "method": recipe["method"],
        "adaptation": merge(recipe.get("adaptation", {}), adaptation),
        "training": merge(recipe["training"], training),
        "candidates": {key: values for key, values in candidates if key not in {*adaptation, *training}},
    }


def _for_recipe(task: Entry, name: str) -> Entry:
    return task.get("by_recipe", {}).get(name, {})
