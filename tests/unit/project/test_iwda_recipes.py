"""The settings of iwda at paper scale, typed from the paper (appendix C.2) and from its authors' scripts."""

from functools import cache
from itertools import product
from pathlib import Path

import pytest

from xstitch.models.settings.transfer import AdversarialSettings, DistillationSettings
from xstitch.plan import overlays
from xstitch.plan.training_values import adapting_values, finetuning_values
from xstitch.training.schedule import Schedule

CONFIG = Path(__file__).parents[3] / "config"
TASKS = ("marc", "xnli-mt", "wikiann", "conll")
WITH_XLMR = {"": 1, "xlmr-large-": 2}  # by what the model's learning rates are divided


@cache
def config(scale="paper"):
    return overlays.load(CONFIG / "config.yaml", [], {"scale": scale}, CONFIG)


def finetuned(recipe, task):
    values = finetuning_values(recipe, config()["recipes"][recipe], config()["tasks"][task])
    return Schedule(**values)


def adapted(recipe, task):
    return adapting_values(recipe, config()["recipes"][recipe], config()["tasks"][task])


@pytest.mark.parametrize(
    ("prefix", "method", "task"),
    [*product(WITH_XLMR, ("zero-shot", "in-language", "bilingual"), TASKS), ("", "zero-shot", "xnli")],
)
def test_models_are_fine_tuned_as_in_the_paper(prefix, method, task):
    """Figure 5's zero-shot mBERT, too, on the task xnli, which has other values for other papers."""
    schedule = finetuned(prefix + method, task)
    assert (schedule.epochs, schedule.batch_size, schedule.warmup) == (4, 8, 0.1)
    assert schedule.learning_rate == pytest.approx(1e-5 / WITH_XLMR[prefix])
    assert (schedule.weight_decay, schedule.schedule) == (0.01, "linear")
    assert (schedule.clip, schedule.keep) == (None, "last")


@pytest.mark.parametrize("recipe", ["mbert", "wordot", "l2-align"])
def test_other_papers_keep_the_values_of_xtreme_for_entailment(recipe):
    schedule = finetuned(recipe, "xnli")
    assert (schedule.epochs, schedule.batch_size, schedule.weight_decay) == (5, 32, 0)


def test_reviews_are_bodies_alone_up_to_512_tokens():
    """The authors' script names the column review_body; their program's length is 512."""
    tasks = config()["tasks"]
    assert (tasks["marc"]["fields"], tasks["marc"]["max_length"]) == (["review_body"], 512)
    assert tasks["marc3"]["fields"] == tasks["marc5"]["fields"] == ["review_title", "review_body"]
    assert {tasks[name]["max_length"] for name in ("wikiann", "conll")} == {512}


@pytest.mark.parametrize("prefix", WITH_XLMR)
@pytest.mark.parametrize("task", TASKS)
def test_models_are_aligned_as_in_the_paper(prefix, task):
    stage = adapted(f"{prefix}iwda", task)
    schedule, settings = Schedule(**stage["training"]), AdversarialSettings(**stage["adaptation"])
    assert (schedule.epochs, schedule.batch_size, schedule.warmup) == (4, 8, 0.1)
    assert schedule.learning_rate == pytest.approx(1e-5 / WITH_XLMR[prefix])
    assert (settings.strength, settings.strength_warmup, settings.penalty) == (5e-3, 0.1, 10)
    assert (settings.hidden, settings.critic_steps) == (2048, 0)
    assert (settings.critic_learning_rate, settings.critic_decay) == (5e-4, 0.01)
    assert (settings.weights_learning_rate, settings.weights_decay, settings.caution) == (5e-4, 2, 0.25)
    assert (settings.strength_on, settings.penalty_of) == ("reversal", "mean")
    assert (settings.weights_warmup, settings.momentum) == (0.1, 5e-3)  # the authors' program


def test_a_better_optimised_critic_takes_four_steps_to_one_in_forty_passes():
    """A.2; its weights are pulled half as strongly."""
    stage = adapted("iwda-critic4", "conll")
    settings = AdversarialSettings(**stage["adaptation"])
    assert (settings.critic_steps, settings.weights_decay, stage["training"]["epochs"]) == (4, 1, 40)


@pytest.mark.parametrize("prefix", WITH_XLMR)
@pytest.mark.parametrize("base", ["", "iwda-"])
@pytest.mark.parametrize("task", ["marc", "wikiann", "conll"])
def test_students_are_distilled_as_in_the_paper(prefix, base, task):
    stage = adapted(f"{prefix}{base}kd", task)
    settings = DistillationSettings(**stage["adaptation"])
    assert (settings.temperature, settings.source_weight, settings.frozen_layers) == (3, 0.1, 3)
    schedule = Schedule(**stage["training"], learning_rate=1.0)  # chosen among the candidates
    assert (schedule.batch_size * schedule.accumulation, schedule.epochs) == (32, 4)
    rates = [5e-5, 1e-4, 2e-4]
    assert stage["candidates"]["learning_rate"] == pytest.approx([rate / WITH_XLMR[prefix] for rate in rates])


@pytest.mark.parametrize("prefix", WITH_XLMR)
@pytest.mark.parametrize("base", ["", "iwda-"])
def test_models_train_themselves_as_in_the_paper(prefix, base):
    """C.2: 128 texts per language and update; how they are split does not change the gradient."""
    schedule = Schedule(**adapted(f"{prefix}{base}st", "marc")["training"])
    assert schedule.batch_size * schedule.accumulation == 128
    assert schedule.batch_size <= 16  # 32 texts of 512 tokens at once fit on a GPU of 80 GB
    assert schedule.learning_rate == pytest.approx(1e-5 / WITH_XLMR[prefix])


def test_small_languages_get_a_tenth_of_the_updates_of_english():
    """WikiANN's English sentences are 20,000: 10,000 updates in batches of 8, 2,500 in batches of 32."""
    assert finetuned("in-language", "wikiann").least_steps == 10_000 // 10
    assert adapted("iwda", "wikiann")["training"]["least_steps"] == 10_000 // 10
    assert adapted("kd", "wikiann")["training"]["least_steps"] == 2_500 // 10
