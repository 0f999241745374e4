"""Training values of a recipe on a task: which ones win."""

from xstitch.plan.training_values import adapting_values, finetuning_values

RECIPE = {
    "method": "zero-shot",
    "training": {"epochs": 1, "learning_rate": 1.0e-3, "batch_size": 32},
}
SPECIFIC = {"training": {"learning_rate": 5.0e-6}}


def test_the_recipes_values_apply_if_the_task_sets_none():
    assert finetuning_values("xlmr", RECIPE, {}) == RECIPE["training"]


def test_the_task_wins_over_the_recipe_key_by_key():
    task = {"training": {"epochs": 2, "learning_rate": 2.0e-5}}
    values = finetuning_values("xlmr", RECIPE, task)
    assert values == {"epochs": 2, "learning_rate": 2.0e-5, "batch_size": 32}


def test_values_for_the_recipe_on_this_task_win_over_both():
    task = {"training": {"epochs": 2, "learning_rate": 2.0e-5}, "by_recipe": {"xlmr-wordot": SPECIFIC}}
    values = finetuning_values("xlmr-wordot", RECIPE, task)
    assert values == {"epochs": 2, "learning_rate": 5.0e-6, "batch_size": 32}
    assert finetuning_values("xlmr", RECIPE, task)["learning_rate"] == 2.0e-5
    assert RECIPE["training"]["learning_rate"] == 1.0e-3


def test_adapting_uses_the_values_for_its_recipe_and_not_those_of_fine_tuning():
    adaptation = {"strength": 0.5, "hidden": 256}
    recipe = {"method": "adversarial", "training": {"epochs": 4}, "adaptation": adaptation}
    task = {"training": {"epochs": 9}, "by_recipe": {"iwda": {"adaptation": {"strength": 1.0}}}}
    assert adapting_values("iwda", recipe, task) == {
        "method": "adversarial",
        "training": {"epochs": 4},
        "adaptation": {"strength": 1.0, "hidden": 256},
    }
    task["by_recipe"]["iwda"]["training"] = {"epochs": 5}
    assert adapting_values("iwda", recipe, task)["training"] == {"epochs": 5}
    assert adapting_values("st", {"method": "self-train", "training": {"epochs": 4}}, task) == {
        "method": "self-train",
        "training": {"epochs": 4},
        "adaptation": {},
    }
