"""Training values of a recipe on a task: which ones win."""

import math
from pathlib import Path

import pytest

from xstitch.plan import overlays
from xstitch.plan.training_values import adapting_values, finetuning_values
from xstitch.training.schedule import Schedule

CONFIG = Path(__file__).parents[3] / "config"

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
        "candidates": {},
    }
    task["by_recipe"]["iwda"]["training"] = {"epochs": 5}
    assert adapting_values("iwda", recipe, task)["training"] == {"epochs": 5}
    assert adapting_values("st", {"method": "self-train", "training": {"epochs": 4}}, task) == {
        "method": "self-train",
        "training": {"epochs": 4},
        "adaptation": {},
        "candidates": {},
    }


def test_a_value_for_the_recipe_on_this_task_leaves_nothing_to_choose():
    recipe = {"method": "distill", "training": {"epochs": 4}, "candidates": {"learning_rate": [1, 2]}}
    assert adapting_values("kd", recipe, {})["candidates"] == {"learning_rate": [1, 2]}
    values = adapting_values("kd", recipe, {"by_recipe": {"kd": {"training": {"learning_rate": 3}}}})
    assert (values["training"], values["candidates"]) == ({"epochs": 4, "learning_rate": 3}, {})


@pytest.mark.parametrize("recipe", ["mbert", "original", "rr-standard", "rr-softmax", "rr-sparsemax"])
def test_at_paper_scale_taxi1500_is_learnt_as_by_its_authors_script(recipe):
    paper = overlays.load(CONFIG / "config.yaml", [], {"scale": "paper"}, CONFIG)
    values = finetuning_values(recipe, paper["recipes"][recipe], paper["tasks"]["taxi1500"])
    schedule, batches = Schedule(**values), math.ceil(860 / 32)
    assert (schedule.total_steps(batches), schedule.total_batches(batches)) == (105, 405)
    rates = [schedule.learning_rate * schedule.factor(step, schedule.span(batches)) for step in (0, 104)]
    assert rates == pytest.approx([1e-5, 1e-5 * 301 / 405])
    assert (schedule.weight_decay, schedule.clip, schedule.keep) == (0, None, "lowest-loss")
    assert schedule.interval(batches) == 7  # once per epoch
    assert schedule.batches == "random"


@pytest.mark.parametrize(
    ("task", "examples", "steps", "interval"),
    [("panx", 20000, 6250, 1000), ("udpos", 21253, 6643, 500)],  # sentences of the English training data
)
def test_at_paper_scale_tags_are_learnt_as_by_xtreme(task, examples, steps, interval):
    paper = overlays.load(CONFIG / "config.yaml", [], {"scale": "paper"}, CONFIG)
    values = finetuning_values("xlmr-x2s-dcca", paper["recipes"]["xlmr-x2s-dcca"], paper["tasks"][task])
    schedule, batches = Schedule(**values), math.ceil(examples / 8)
    assert (schedule.total_steps(batches), schedule.interval(batches)) == (steps, interval)
    assert schedule.batches_of(0, batches) * schedule.batch_size == 32
    assert (schedule.batches, schedule.learning_rate, schedule.weight_decay) == ("random", 2e-5, 0)
    assert (schedule.clip, schedule.keep) == (1, "best")


def test_at_paper_scale_reviews_are_learnt_with_the_usual_values():
    paper = overlays.load(CONFIG / "config.yaml", [], {"scale": "paper"}, CONFIG)
    values = finetuning_values("rr-standard", paper["recipes"]["rr-standard"], paper["tasks"]["marc3"])
    schedule = Schedule(**values)
    assert (schedule.accumulation, schedule.weight_decay) == (1, 0.01)
    assert (schedule.clip, schedule.keep) == (1, "best")


@pytest.mark.parametrize(
    ("recipe", "xnli", "xquad"),
    [
        ("wordot-mbert", 2e-5, 3e-5),
        ("wordot", 2e-5, 3e-5),
        ("l2-align", 2e-5, 3e-5),
        ("xlmr", 2e-5, 3e-5),  # of x2s
        ("xlmr-slow", 5e-6, 5e-6),
        ("xlmr-slow-large", 5e-6, 5e-6),
        ("xlmr-wordot", 5e-6, 5e-6),
    ],
)
def test_at_paper_scale_xtremes_tasks_are_learnt_at_wordots_rates(recipe, xnli, xquad):
    paper = overlays.load(CONFIG / "config.yaml", [], {"scale": "paper"}, CONFIG)
    schedules = [
        Schedule(**finetuning_values(recipe, paper["recipes"][recipe], paper["tasks"][task]))
        for task in ("xnli", "xquad")
    ]
    assert [schedule.learning_rate for schedule in schedules] == [xnli, xquad]
    assert [schedule.epochs for schedule in schedules] == [5, 3]
    assert [schedule.batch_size * schedule.accumulation for schedule in schedules] == [32, 32]
    # XQuAD's texts are part of SQuAD's development set: nothing may be chosen on it.
    assert [schedule.keep for schedule in schedules] == ["best", "last"]
    assert paper["recipes"][recipe]["seeds"] == [1, 2, 3]
