"""Gradients over a fine-tuning: which files and settings a measurement needs, and what is refused."""

from dataclasses import replace

import pytest
from configured import refused
from small_run import asked, default_run, paper_run, small_run, with_recipe

from xstitch.core.errors import InputError
from xstitch.plan.costs.amounts import Amounts
from xstitch.plan.costs.trainings import finetuning, measuring
from xstitch.plan.gradients import (
    all_gradients,
    compared_targets,
    critic_settings,
    dcca_settings,
    followed_runs,
    measured_settings,
    measuring_input,
    wordot_settings,
)

NAMED = {"targets": ["sw", "de"], "wordot": "linked", "dcca": "tied", "critic": "iwda", "points": 3}
RUN = small_run(gradients=NAMED)
JOB = asked(recipe="zero", task="verses", src="en", seed="1")


def test_a_measurement_needs_the_data_of_every_loss_in_the_tasks_order_of_languages():
    assert compared_targets(RUN, JOB) == ["de", "sw"]
    assert measuring_input(RUN, JOB) == {
        "encoder": "results/encoders/mono",
        "train": "results/tasks/verses/en/train.parquet",
        "parallel": [f"results/parallel/opus/{tgt}.parquet" for tgt in ("de", "sw")],
        "aligned": [f"results/aligned/vecmap/en-{tgt}.npz" for tgt in ("de", "sw")],
        "texts": [f"results/tasks/verses/{tgt}/train.parquet" for tgt in ("de", "sw")],
    }
    assert compared_targets(RUN, asked(recipe="zero", task="mine")) == ["de"]


def test_losses_have_the_settings_of_the_entries_that_are_named():
    assert measured_settings(RUN, JOB) == {"points": 3}
    assert wordot_settings(RUN, JOB) == {"loss": "transport", "steps": 9}
    assert dcca_settings(RUN, JOB) == {"steps": 9}
    assert critic_settings(RUN, asked(task="reviews")) == {
        "method": "adversarial",
        "adaptation": {"critic": 1},
        "training": {"epochs": 7},  # what the task has for this recipe
        "candidates": {},
    }


def test_a_figure_has_all_seeds_of_all_chains():
    run = small_run(gradients=NAMED, chains=2)
    first = [f"results/gradients/zero/verses/en/seed{seed}.parquet" for seed in (1, 2)]
    assert all_gradients(run, JOB) == [*first, *(f"chains/2/{file}" for file in first)]
    assert followed_runs(run, JOB) == [["1", 1], ["1", 2], ["2", 1], ["2", 2]]


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(
        InputError, match=r"^config: gradients\.targets is empty: name languages of this run$"
    ):
        compared_targets(small_run(gradients={**NAMED, "targets": []}), JOB)
    with pytest.raises(InputError, match="none of them is a target of mine; name another task"):
        compared_targets(small_run(gradients={**NAMED, "targets": ["sw"]}), asked(recipe="zero", task="mine"))
    for keys in ({"freeze_embeddings": True}, {"skew": {"verses": {"prior": [1.0]}}}):
        with pytest.raises(InputError, match=r"recipes\.zero: gradients are measured where all weights"):
            compared_targets(with_recipe(RUN, "zero", **keys), JOB)
    assert compared_targets(with_recipe(RUN, "zero", skew={"reviews": {}}), JOB)


def test_scale_paper_measures_none_unless_asked_to():
    with pytest.raises(InputError, match=r"gradients\.targets is empty"):
        all_gradients(paper_run(), asked(recipe="mbert", task="taxi1500", src="en"))
    assert compared_targets(default_run(), asked(recipe="mbert", task="taxi1500")) == ["qab", "qac", "qad"]


def test_entries_must_have_the_losses_that_are_taken_from_them():
    assert refused(gradients={"wordot": "multi-l2"}) == (
        "gradients.wordot: multi-l2 has another loss; name an encoder with loss: transport"
    )
    assert refused(gradients={"dcca": "multi-x2s-mse"}) == (
        "gradients.dcca: multi-x2s-mse has another loss; name an encoder with loss: dcca"
    )
    assert refused(gradients={"critic": "mbert"}) == (
        "gradients.critic: mbert has no critic; name a recipe whose method is adversarial"
    )
    assert refused(gradients={"points": 1}).startswith("gradients.points: ")


def test_measuring_costs_the_passes_of_every_loss_beside_the_fine_tuning():
    """9 points of 16 gradients each, of two batches of the task and three losses in three languages."""
    amounts, job = Amounts(default_run()), asked(recipe="mbert", task="taxi1500", src="qaa", seed="1")
    alone, work = finetuning(amounts, job), measuring(amounts, job)
    assert work.units - alone.units == 9 * 16 * (2 + 3 * 3) + 9 * 3 * 200
    assert work.gflop > alone.gflop
    assert work.output_mb == 0


def tiny_run():
    """Two layers of width 4, two targets; batches of 8 texts, 6 pairs, 32 words in parts of 8, 4 texts."""
    shape = {"layers": 2, "width": 4, "heads": 2, "vocabulary_size": 10, "max_length": 64}
    rate = {"learning_rate": 1e-3}
    run = small_run(
        gradients={**NAMED, "draws": 2, "batches": 2, "critic_updates": 5},
        encoders={
            "mono": shape,
            "linked": {"training": {**rate, "steps": 9, "batch_size": 6}},
            "tied": {"words_batch": 32, "words_part": 8, "max_words": 50},
        },
        vectors={"ft": {"dimensions": 10}},
        parallel={"opus": {"pairs": 1000}},
        tasks={"verses": {"portions": {"train": 100, "dev": 10}, "training": {**rate, "batch_size": 8}}},
    )
    return with_recipe(run, "iwda", training={**rate, "epochs": 2, "batch_size": 4})


def test_measuring_costs_by_hand():
    """Beside the fine-tuning, with texts of 64 tokens, pairs of 35 and words of 6, which go forward twice."""
    amounts = Amounts(tiny_run(), longest=True)
    alone, work = finetuning(amounts, JOB), measuring(amounts, JOB)
    # Three points, two draws, two batches: the task twice; for both targets 6 pairs, words, 2 x 4 texts.
    learnt = 12 * (2 * 8 * 64 + 2 * (2 * 6 * 35 + 32 * 6 * 4 / 3 + 2 * 4 * 64))
    assert learnt == 40_800
    # Six critics of 5 updates read 2 x 4 texts in each, and all 2 x 100 texts before.
    passes = 3 * learnt + 6 * 5 * 2 * 4 * 64 + 6 * 2 * 100 * 64
    # A layer has 4 x (16 + 4) weights of attention, 64 + 16 + 64 + 4 in the feed-forward part, norms of 16.
    per_token = 2 * (2 * 244 + 4 * 64 * 4)
    assert work.gflop - alone.gflop == pytest.approx(passes * per_token / 1e9)
    # Words come in four parts.
    assert work.units - alone.units == 12 * (2 + 2 * (1 + 4 + 1)) + 30
    # Texts of both languages for each critic, pairs, four matrices of 50 words x 10, the ids of all words.
    host = 2 * 2 * 100 * 64 * 6 + 2 * 1000 * 35 * 85 + 4 * 50 * 10 * 4 + 2 * 2 * 50 * 6 * 4
    assert work.host_mb - alone.host_mb == pytest.approx(host / 2**20)
    # Four times 820 weights, and two tables of 10 x 4 in double precision.
    assert work.device_mb - alone.device_mb == pytest.approx((4 * 820 * 4 + 2 * 40 * 8) / 2**20)
    # Vectors of two languages for each target.
    waiting = 2 * 2 * 50 * 10 * 4 / 2**20
    assert work.scratch_mb == pytest.approx(waiting)
    assert work.input_mb == pytest.approx(alone.loaded_mb + work.host_mb + waiting)


def test_words_of_a_batch_are_those_of_continued_pre_training_by_default():
    """1,024 at once where the entry names none."""
    tied = tiny_run().config["encoders"]["tied"]
    amounts = Amounts(with_entry(tied, words_batch=1024, words_part=None))
    plain = {key: value for key, value in tied.items() if key not in ("words_batch", "words_part")}
    assert measuring(Amounts(with_entry(plain)), JOB) == measuring(amounts, JOB)


def with_entry(tied, **keys):
    """The tiny run with another entry whose loss is DCCA's."""
    run = tiny_run()
    encoders = {**run.config["encoders"], "tied": {**tied, **keys}}
    return replace(run, config={**run.config, "encoders": encoders})
