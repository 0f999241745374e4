"""Gradients measured over a fine-tuning: of which weights, when, and that the training is not disturbed."""

import math
import random
from dataclasses import replace
from itertools import cycle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from safetensors.torch import load_file
from tiny import write_encoder

from xstitch.core.parquet import write_table
from xstitch.encoders.folders import load_classifier
from xstitch.encoders.packed.encoder import pack_encoder, unpacked
from xstitch.encoders.settings.continued import ContinuationSettings
from xstitch.encoders.settings.wordot import WordotSettings
from xstitch.models import gradients
from xstitch.models.classification import finetune_classifier, start_finetuning
from xstitch.models.gradients import (
    Compared,
    FollowedTask,
    LossSettings,
    TargetData,
    follow,
    measure_gradients,
    shared_parameters,
)
from xstitch.models.settings.gradients import GradientSettings
from xstitch.models.settings.transfer import AdversarialSettings
from xstitch.models.transfer.trained_critic import critic_objective
from xstitch.spaces.aligned import Sides, save_aligned
from xstitch.training.checkpoints import random_aside
from xstitch.training.loop import Objective
from xstitch.training.schedule import Schedule
from xstitch.vectors.table import Vectors

LABELS = ["a", "b"]
WORDS = {"en": ["sun", "moon", "corn", "reap", "sow", "bread"], "de": ["tag", "mond", "korn", "saat", "brot"]}
SCHEDULE = Schedule(learning_rate=5e-3, batch_size=8, epochs=2, seed=3, clip=1.0)
SETTINGS = GradientSettings(points=3, draws=2, batches=2, critic_updates=2)
TRAINING = Schedule(learning_rate=1e-3, batch_size=6, steps=1, seed=3)


def texts(language, number, seed):
    rng = np.random.default_rng(seed)
    lines = [" ".join(rng.choice(WORDS[language], 4)) for _ in range(number)]
    return pd.DataFrame({"text": lines, "label": [LABELS[len(line) % 2] for line in lines]})


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """An encoder with dropout, of which a measurement must not draw any."""
    return write_encoder(tmp_path_factory.mktemp("encoder"), [" ".join(WORDS[lang]) for lang in WORDS] * 9)


@pytest.fixture(scope="module")
def task(encoder):
    return FollowedTask(encoder, "en", texts("en", 32, 1), LABELS, 16, SCHEDULE)


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    folder = tmp_path_factory.mktemp("target")
    pairs = {"source": list(texts("de", 20, 2)["text"]), "target": list(texts("en", 20, 3)["text"])}
    write_table(pa.table(pairs), folder / "pairs.parquet")
    rng = np.random.default_rng(0)
    sides = (
        Vectors(WORDS[lang], rng.standard_normal((len(WORDS[lang]), 3)).astype(np.float32)) for lang in WORDS
    )
    save_aligned(Sides(*sides), folder / "aligned.npz")
    return TargetData("de", folder / "pairs.parquet", folder / "aligned.npz", texts("de", 24, 4))


LOSSES = LossSettings(
    WordotSettings(TRAINING, problem="sentence", pairs=20, max_length=16),
    ContinuationSettings(TRAINING, loss="dcca", words_batch=8, max_length=16, ridge=0.1),
    AdversarialSettings(hidden=8),
    TRAINING,
)


@pytest.fixture(scope="module")
def table(task, target, tmp_path_factory):
    return measure_gradients(task, [target], LOSSES, SETTINGS, tmp_path_factory.mktemp("rows")).to_pandas()


def start(task):
    return start_finetuning(task.encoder, task.training, task.labels, task.schedule, task.max_length)


def test_all_losses_are_measured_at_the_first_middle_and_last_weights(table):
    # 32 texts in batches of 8, twice: eight updates.
    assert sorted(table["update"].unique()) == [0, 4, 8]
    assert table.groupby("update")["point"].unique().explode().tolist() == [0, 1, 2]
    places = table[["loss", "target"]].drop_duplicates().itertuples(index=False, name=None)
    assert list(places) == [("task", "en"), ("wordot", "de"), ("dcca", "de"), ("critic", "de")]
    assert list(table["layer"].unique()) == ["all", "0", "1", "2", "3"]
    assert len(table) == 3 * 2 * 4 * 5
    assert table["cosine"].between(-1, 1).all()
    assert (table[["norm", "task_norm"]] > 0).all(axis=None)


def test_norms_of_layers_add_up_to_that_of_all(table):
    squares = table.assign(square=table["norm"] ** 2).pivot_table(
        index=["loss", "update", "draw"], columns="layer", values="square"
    )
    np.testing.assert_allclose(squares.drop(columns="all").sum(axis=1), squares["all"], rtol=1e-6)


def test_a_draw_of_every_loss_is_compared_with_the_same_gradient_of_the_task(table):
    assert (table.groupby(["update", "draw", "layer"])["task_norm"].nunique() == 1).all()
    assert (table.groupby(["update", "layer"])["task_norm"].nunique() == 2).all()


def test_measuring_twice_gives_the_same_numbers(task, target, table, tmp_path):
    again = measure_gradients(task, [target], LOSSES, SETTINGS, tmp_path).to_pandas()
    pd.testing.assert_frame_equal(again, table, check_exact=True)


def test_a_training_that_is_followed_ends_with_the_same_weights(task, target, tmp_path):
    finetune_classifier(task.encoder, task.training, None, LABELS, SCHEDULE, 16, tmp_path / "model")
    followed = start(task)
    compared = gradients.alignment_losses(followed, task, [target], LOSSES, SETTINGS, tmp_path)
    assert follow(followed, task, list(compared), SETTINGS)
    alone = load_file(tmp_path / "model/model.safetensors")
    weights = followed.model.state_dict()
    assert alone.keys() == {name for name in weights if not name.endswith("position_ids")}
    assert all(torch.equal(weights[name], tensor) for name, tensor in alone.items())
    assert followed.model.training


def test_only_weights_of_the_encoder_count(task):
    model = load_classifier(task.encoder, LABELS)
    model.base_model.embeddings.position_embeddings.weight.requires_grad_(False)
    counted = {id(weights): layer for layer, weights in shared_parameters(model)}
    found = {name: counted.get(id(weights)) for name, weights in model.named_parameters()}
    assert {name for name, layer in found.items() if layer is None} == {
        "bert.pooler.dense.weight",
        "bert.pooler.dense.bias",
        "classifier.weight",
        "classifier.bias",
        "bert.embeddings.position_embeddings.weight",
    }
    assert found["bert.embeddings.word_embeddings.weight"] == "0"
    assert found["bert.encoder.layer.0.attention.self.query.weight"] == "1"
    assert found["bert.encoder.layer.2.output.LayerNorm.bias"] == "3"


def test_a_schedule_that_keeps_weights_by_their_loss_is_followed_to_the_last(task):
    kept = replace(task, schedule=replace(SCHEDULE, keep="lowest-loss"))
    rows = follow(start(kept), kept, [], SETTINGS)
    assert {row.update for row in rows} == {0, 4, 8}
    assert rows == follow(start(task), task, [], SETTINGS)


@pytest.mark.parametrize(("factor", "cosine"), [(2.0, 1.0), (-1.0, -1.0)])
def test_a_multiple_of_the_tasks_own_loss_has_its_direction(task, factor, cosine):
    followed = start(task)
    # The batches of the follower's own gradients: the seed of the training and one.
    batches = followed.stream(Schedule(**{**vars(SCHEDULE), "seed": SCHEDULE.seed + 1}))
    scaled = Objective(lambda batch: factor * followed.loss(batch), batches)
    rows = follow(followed, task, [Compared("scaled", "de", lambda _: scaled)], SETTINGS)
    found = [row for row in rows if row.loss == "scaled"]
    assert [row.cosine for row in found] == pytest.approx([cosine] * len(found))
    assert [row.norm for row in found] == pytest.approx([abs(factor) * row.task_norm for row in found])


def test_a_loss_of_the_head_alone_has_no_direction(task):
    followed = start(task)
    head = Objective(
        lambda _: followed.model.classifier.weight.sum() + 0 * _touched(followed.model),
        followed.stream(SCHEDULE),
    )
    rows = follow(followed, task, [Compared("head", "de", lambda _: head)], SETTINGS)
    found = [row for row in rows if row.loss == "head"]
    assert all(math.isnan(row.cosine) and row.norm == 0 and row.task_norm > 0 for row in found)


def _touched(model):
    """Something of the encoder, so that there is a gradient to ask for."""
    return model.base_model.embeddings.word_embeddings.weight.sum()


def counted(batches, seen):
    """Pass batches on and write down that each was asked for."""
    while True:
        seen.append(1)
        yield next(batches)


@pytest.mark.parametrize(("accumulation", "asked"), [(None, 3 * 2 * 2), (3, 3 * 2 * 2 * 3)])
def test_a_gradient_is_the_mean_of_as_many_batches_as_are_asked_for_in_all_their_parts(
    task, accumulation, asked
):
    """At three points, two draws of two batches each."""
    followed, seen = start(task), []
    loss = Objective(followed.loss, counted(followed.stream(SCHEDULE), seen), accumulation=accumulation)
    follow(followed, task, [Compared("counted", "de", lambda _: loss)], SETTINGS)
    assert len(seen) == asked


def test_parts_are_averaged_and_a_losss_weight_counts(task):
    """Two parts of a batch with 1 and 3 times the sum of a table: the weight 5 makes that 10 times."""
    followed = start(task)
    parts = Objective(
        lambda batch: batch["times"] * _touched(followed.model),
        cycle([{"times": torch.tensor(1.0)}, {"times": torch.tensor(3.0)}]),
        weight=5.0,
        accumulation=2,
    )
    table = followed.model.base_model.embeddings.word_embeddings.weight
    rows = follow(followed, task, [Compared("parts", "de", lambda _: parts)], SETTINGS)
    norms = [row.norm for row in rows if (row.loss, row.layer) == ("parts", "all")]
    assert norms == pytest.approx([10 * math.sqrt(table.numel())] * 6)


def wordots_norms(task, target, anchoring, folder):
    """The norms of WordOT's gradient over a fine-tuning, by update and draw."""
    losses = replace(LOSSES, wordot=replace(LOSSES.wordot, anchoring=anchoring))
    followed = start(task)
    compared = gradients.alignment_losses(followed, task, [target], losses, SETTINGS, folder)
    wordot = [loss for loss in compared if loss.loss == "wordot"]
    rows = follow(followed, task, wordot, SETTINGS)
    return {(row.update, row.draw): row.norm for row in rows if (row.loss, row.layer) == ("wordot", "all")}


def test_wordots_anchor_is_the_encoder_before_fine_tuning(task, target, tmp_path):
    """It pulls nowhere before the first update, and back after the last."""
    alone, anchored = (wordots_norms(task, target, times, tmp_path) for times in (0.0, 10.0))
    for draw in range(SETTINGS.draws):
        assert anchored[0, draw] == pytest.approx(alone[0, draw], rel=1e-4)
        assert anchored[8, draw] > 1.1 * alone[8, draw]


def test_every_point_has_a_new_critic_with_as_many_updates_as_are_asked_for(
    task, target, tmp_path, monkeypatch
):
    trained = []

    def watched(*given):
        trained.append(given[3:])
        return critic_objective(*given)

    monkeypatch.setattr(gradients, "critic_objective", watched)
    measure_gradients(task, [target], LOSSES, SETTINGS, tmp_path)
    assert trained == [(replace(TRAINING, seed=TRAINING.seed + update), 2) for update in (0, 4, 8)]


def test_dropout_is_off_while_gradients_are_measured_and_on_again_for_the_training(task):
    followed, modes = start(task), []

    def at(update):
        modes.append((update, followed.model.training))
        return Objective(followed.loss, followed.stream(SCHEDULE))

    follow(followed, task, [Compared("seen", "de", at)], SETTINGS)
    assert modes == [(0, False), (4, False), (8, False)]
    assert followed.model.training


def test_random_numbers_drawn_aside_change_no_others():
    def draw():
        return torch.rand(1).item(), np.random.random(), random.random()

    torch.manual_seed(1), np.random.seed(1), random.seed(1)
    expected = [draw(), draw()]
    torch.manual_seed(1), np.random.seed(1), random.seed(1)
    first = draw()
    with random_aside(7):
        aside = draw()
    assert [first, draw()] == expected
    with random_aside(7):
        assert draw() == aside


def test_a_packed_model_computes_all_states_for_a_while(tmp_path):
    folder = write_encoder(tmp_path / "wide", ["one two three"] * 9, width=128)
    model = load_classifier(folder, LABELS).eval()
    inputs = {
        "input_ids": torch.tensor([[1, 5, 6], [1, 7, 0]]),
        "attention_mask": torch.tensor([[1, 1, 1], [1, 1, 0]]),
    }
    assert pack_encoder(model, first=True, variables={})
    assert model.base_model(**inputs).last_hidden_state.shape == (2, 1, 128)
    with unpacked(model):
        states = model.base_model(**inputs).last_hidden_state
    assert states.shape == (2, 3, 128)
    first = model.base_model(**inputs).last_hidden_state
    torch.testing.assert_close(first[:, 0], states[:, 0], atol=1e-5, rtol=1e-5)
