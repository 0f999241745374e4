"""Bodies tuned on pairs of labelled texts: which pairs, the loss by hand, and what tuning does to a toy."""

import json
import os
import shutil
import signal
from collections import Counter
from functools import partial
from itertools import count, product
from math import sqrt

import numpy as np
import pytest
import torch
from killing import run_child
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from tiny import write_trainable
from toy import EVEN, LABELS, LENGTH, texts

from xstitch.core.files import save_npz
from xstitch.encoders.folders import load_tokenizer
from xstitch.models import contrastive_heads
from xstitch.models.classification import label_numbers, tokenise_texts
from xstitch.models.contrastive_heads import (
    Known,
    PooledBody,
    contrastive_answers,
    draw_pairs,
    kept_answers,
    pair_loss,
    tune_body,
)
from xstitch.models.frozen import CHOICE, fit_head
from xstitch.models.pooled_classifier import LINEAR
from xstitch.models.settings.contrastive import ContrastiveSettings
from xstitch.models.settings.frozen import FrozenSettings
from xstitch.models.standardising import head_features
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import Schedule

TRAIN, TEST = texts(1, 90, EVEN), texts(2, 40, EVEN)
NUMBERS = label_numbers(TRAIN["label"], LABELS, "training")
ROWS = np.arange(3, 90, 4)  # every fourth text is labelled
KNOWN = Known(ROWS, NUMBERS[ROWS])
SCHEDULE = Schedule(learning_rate=1e-2, batch_size=16, epochs=1, warmup=0.1, batches="random", seed=5)
SETTINGS = ContrastiveSettings()


@pytest.fixture(scope="module", params=["mean", "first"])
def folder(request, tmp_path_factory):
    """A frozen classifier of the toy's texts; the head is not on the last layer."""
    folder = tmp_path_factory.mktemp(request.param)
    encoder = write_trainable(folder / "encoder", [*TRAIN["text"], *TEST["text"]])
    settings = FrozenSettings(pooling=[request.param], layers=[1])
    fit_head(encoder, TRAIN, TEST, LABELS, settings, LENGTH, folder / "model")
    return folder / "model"


def read(folder, rows):
    return tokenise_texts(load_tokenizer(folder), rows["text"], None, LENGTH)


def tuned(folder, known=KNOWN, settings=SETTINGS, schedule=SCHEDULE):
    body = PooledBody(folder, folder)
    tune_body(body, read(folder, TRAIN), known, settings, schedule)
    return body.features(read(folder, TRAIN))


def test_every_round_pairs_each_text_with_its_label_and_with_another():
    labels = np.array([0, 1, 0, 2, 1, 0, 2])
    pairs = draw_pairs(labels, ContrastiveSettings(rounds=20, max_pairs=None), 1)
    assert len(pairs.first) == 20 * 7 * 2
    assert (pairs.first != pairs.second).all()
    assert pairs.same.tolist() == [1.0, 0.0] * (20 * 7)
    assert (labels[pairs.first] == labels[pairs.second]).tolist() == [True, False] * (20 * 7)
    for number in range(20):
        assert sorted(pairs.first[14 * number : 14 * (number + 1)]) == sorted([*range(7), *range(7)])
    # All partners there are come up: two others of label 0, one of the others; of different labels, all.
    found = set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    assert found == {(one, other) for one in range(7) for other in range(7) if one != other}


def test_partners_are_equally_likely():
    pairs = draw_pairs(np.array([0, 0, 0, 0, 1]), ContrastiveSettings(rounds=3000, max_pairs=None), 2)
    of_first = pairs.second[(pairs.first == 0) & (pairs.same == 1)]
    counts = Counter(of_first.tolist())
    assert sum(counts.values()) == 3000 and counts.keys() == {1, 2, 3}
    assert all(abs(count - 1000) < 5 * sqrt(3000 * 2 / 9) for count in counts.values())


def test_a_text_that_has_its_label_to_itself_is_in_no_pair_of_one_label():
    labels = np.array([0, 1, 1])
    pairs = draw_pairs(labels, ContrastiveSettings(rounds=4, max_pairs=None), 0)
    assert len(pairs.first) == 4 * (1 + 2 + 2)
    assert pairs.same[pairs.first == 0].tolist() == [0.0] * 4
    assert 0 not in pairs.second[pairs.same == 1]


def test_pairs_end_at_the_limit_and_a_round_that_is_cut_takes_any_texts():
    labels = np.arange(50) % 2
    few = ContrastiveSettings(rounds=20, max_pairs=30)
    pairs = draw_pairs(labels, few, 3)
    whole = draw_pairs(labels, ContrastiveSettings(rounds=20, max_pairs=None), 3)
    assert len(pairs.first) == 30
    np.testing.assert_array_equal(pairs.second, whole.second[:30])
    assert pairs.first.max() > 25  # fifteen texts, not the first fifteen
    assert len(draw_pairs(labels[:10], ContrastiveSettings(), 3).first) == 20 * 10 * 2
    assert len(draw_pairs(labels, ContrastiveSettings(), 3).first) == 2000
    assert len(draw_pairs(np.arange(51) % 2, ContrastiveSettings(), 3).first) == 2000


def test_the_loss_by_hand():
    # Cosines 3/5 of (1, 0) and (3, 4), and 0 of (0, 2) and (1, 0).
    first, second = torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[3.0, 4.0], [1.0, 0.0]])
    assert pair_loss(first, second, torch.tensor([1.0, 1.0])).item() == pytest.approx((0.4**2 + 1) / 2)
    assert pair_loss(first, second, torch.tensor([0.0, 0.0])).item() == pytest.approx(0.6**2 / 2)
    assert pair_loss(10 * first, second, torch.tensor([1.0, 0.0])).item() == pytest.approx(0.4**2 / 2)


def test_before_tuning_a_body_gives_what_the_head_reads(folder):
    expected = head_features(folder, list(TEST["text"]), LENGTH) / LINEAR
    np.testing.assert_allclose(
        PooledBody(folder, folder).features(read(folder, TEST)), expected, atol=5e-3, rtol=1e-3
    )


def cosines(features, rows, labels):
    """The mean cosines of pairs of texts with one label, and of those with different labels."""
    unit = features[rows] / np.linalg.norm(features[rows], axis=1, keepdims=True)
    product, alike = unit @ unit.T, labels[:, None] == labels
    other = ~np.eye(len(rows), dtype=bool)
    return product[alike & other].mean(), product[~alike].mean()


def test_tuning_pulls_texts_of_one_label_together_and_others_apart(folder):
    before, after = PooledBody(folder, folder).features(read(folder, TRAIN)), tuned(folder)
    (same, different), (near, far) = (cosines(part, ROWS, NUMBERS[ROWS]) for part in (before, after))
    assert same - different < 0.1
    assert near > 0.9 and far < 0.1
    # Texts without a label, of the same words, follow.
    unseen = np.setdiff1d(np.arange(90), ROWS)
    (same, different), (near, far) = (cosines(part, unseen, NUMBERS[unseen]) for part in (before, after))
    assert same - different < 0.1 and near - far > 0.4


def rewritten(folder, name, **changes):
    """Change values of a model's JSON file."""
    file = folder / name
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_features_are_read_without_dropout(folder, tmp_path):
    model = shutil.copytree(folder, tmp_path / "model")
    rewritten(model, "config.json", hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1)
    body, inputs = PooledBody(model, model), read(model, TEST)
    tune_body(body, read(model, TRAIN), KNOWN, SETTINGS, SCHEDULE)
    first, again = body.features(inputs), body.features(inputs)
    np.testing.assert_array_equal(first, again)
    body.train()  # or dropout would have nothing to do with what is read
    states = [body(inputs.collate(np.arange(4))) for _ in range(2)]
    assert not torch.equal(*states)


def test_how_states_are_pooled_is_read_from_the_model_that_the_head_was_fitted_in(folder, tmp_path):
    stitched, source = (shutil.copytree(folder, tmp_path / name) for name in ("stitched", "source"))
    other = {"mean": "first", "first": "mean"}[PooledBody(folder, folder).pooling]
    rewritten(source, CHOICE, pooling=other)
    (stitched / CHOICE).unlink()  # a stitched model's folder has none
    assert PooledBody(stitched, source).pooling == other


def test_tuning_ends_with_the_same_features_for_one_seed_and_others_for_another(folder):
    first, again = tuned(folder), tuned(folder)
    np.testing.assert_array_equal(first, again)
    other = tuned(folder, schedule=Schedule(**{**vars(SCHEDULE), "seed": 6}))
    assert np.abs(first - other).max() > 0.01


def test_only_whether_labels_differ_counts(folder):
    first, second = np.array([0, 1, 1]), np.array([2, 0, 0])
    found = [tuned(folder, Known(ROWS[:3], labels)) for labels in (first, second)]
    np.testing.assert_array_equal(*found)


def test_texts_of_one_label_leave_a_body_as_it_is(folder):
    untouched = PooledBody(folder, folder).features(read(folder, TRAIN))
    for rows in (ROWS[:3], ROWS[:1]):
        np.testing.assert_array_equal(tuned(folder, Known(rows, np.ones(len(rows), int))), untouched)


def test_what_stands_for_the_pooling_is_not_trained(folder):
    body = PooledBody(folder, folder)
    assert len(body.body.encoder.layer) == 1
    before = {name: tensor.clone() for name, tensor in body.body.state_dict().items()}
    tune_body(body, read(folder, TRAIN), KNOWN, SETTINGS, SCHEDULE)
    after = body.body.state_dict()
    assert after.keys() == before.keys()
    learnt = {name for name in after if not torch.equal(after[name], before[name])}
    assert {"embeddings.word_embeddings.weight", "encoder.layer.0.output.dense.weight"} <= learnt


def test_the_head_is_logistic_regression_on_standardised_features_of_the_tuned_body(folder):
    settings = ContrastiveSettings(rounds=2, strength=0.2)
    inputs = {"train": read(folder, TRAIN), "test": read(folder, TEST)}
    answers = contrastive_answers(PooledBody(folder, folder), inputs, KNOWN, 4, settings, SCHEDULE)
    body = PooledBody(folder, folder)
    tune_body(body, inputs["train"], KNOWN, settings, SCHEDULE)
    scaler = StandardScaler().fit(body.features(inputs["train"]).astype(np.float64))  # by all texts
    train, test = (
        scaler.transform(body.features(inputs[split]).astype(np.float64)) for split in ("train", "test")
    )
    expected = LogisticRegression(C=0.2, max_iter=2000).fit(train[ROWS], NUMBERS[ROWS]).predict_proba(test)
    np.testing.assert_allclose(answers[:, :3], expected, atol=1e-4)
    assert (answers[:, 3] < 1e-9).all()  # no text has the fourth label
    assert np.ptp(expected, axis=0).min() > 0.3  # else any head would do


CASES = list(product(("x", "y"), (0, 1)))  # languages and draws
UPDATES = 20  # of a case, which has 2 x 160 pairs in batches of 16


def answer_all(folder, work, die_at=None):
    """Answer for all cases as a job does; the process kills itself at the loss number `die_at`."""
    losses, real = count(1), contrastive_heads.pair_loss

    def dying(*sides):
        if next(losses) == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*sides)

    contrastive_heads.pair_loss = dying
    inputs = {"train": read(folder, TRAIN), "test": read(folder, TEST)}
    checkpoint = Checkpoint(work / "checkpoints", "this job", steps=3)
    found = {}
    for target, seed in CASES:
        rows = ROWS[:8] + (target == "y")
        known, schedule = Known(rows, NUMBERS[rows]), Schedule(**{**vars(SCHEDULE), "seed": seed})
        answer = partial(
            contrastive_answers, PooledBody(folder, folder), inputs, known, 4, SETTINGS, schedule
        )
        found[f"{target}{seed}"] = kept_answers(answer, target, seed, checkpoint)
    save_npz(work / "answers.npz", **found, losses=np.array(next(losses) - 1))
    checkpoint.remove()


def answered(work):
    with np.load(work / "answers.npz") as found:
        return dict(found)


@pytest.fixture(scope="module")
def undisturbed(folder, tmp_path_factory):
    work = tmp_path_factory.mktemp("whole")
    assert run_child(answer_all, folder, work) == 0
    assert not (work / "checkpoints").exists()
    return answered(work)


@pytest.mark.parametrize(("die_at", "left"), [(2, 80), (27, 54), (80, 2)])
@pytest.mark.parametrize("folder", ["mean"], indirect=True)
def test_a_killed_job_goes_on_within_its_case_and_answers_the_same(
    folder, undisturbed, tmp_path, die_at, left
):
    """Steps 3, 6, ... of a case write checkpoints; of a case that is finished, no loss is computed again."""
    assert run_child(answer_all, folder, tmp_path, die_at) == -signal.SIGKILL
    assert run_child(answer_all, folder, tmp_path) == 0
    found = answered(tmp_path)
    assert (undisturbed["losses"], found["losses"]) == (4 * UPDATES, left)
    answers = [found[f"{target}{seed}"] for target, seed in CASES]
    assert len({answer.tobytes() for answer in answers}) == len(CASES)
    for (target, seed), answer in zip(CASES, answers, strict=True):
        np.testing.assert_array_equal(answer, undisturbed[f"{target}{seed}"])


def test_answers_of_another_run_do_not_count(tmp_path):
    runs = [Checkpoint(tmp_path, fingerprint) for fingerprint in ("this job", "another", "this job")]
    answers = [
        kept_answers(lambda _, number=number: np.array(number), "x", 0, run)
        for number, run in enumerate(runs)
    ]
    assert [*map(int, answers)] == [0, 1, 0]
