"""Heads fitted once more: by scikit-learn on features computed one text at a time."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from test_frozen import by_hand
from tiny import write_encoder
from toy import EVEN, LABELS, LENGTH, texts

from xstitch.core.errors import InputError
from xstitch.models.classification import predict_labels
from xstitch.models.frozen import fit_head
from xstitch.models.refitting import prior_shift, refit_head, self_trained
from xstitch.models.settings.frozen import FrozenSettings, RefitSettings

TRAIN, DEV = texts(1, 120, EVEN), texts(2, 40, EVEN)
TARGET = texts(3, 90, [0.6, 0.3, 0.1], foreign=0.5)
GOLD = np.array([LABELS.index(label) for label in TRAIN["label"]])
STRENGTH = 0.3


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    encoder = write_encoder(folder / "encoder", [*TRAIN["text"], *DEV["text"]])
    settings = FrozenSettings(layers=[2], strengths=[STRENGTH])
    fit_head(encoder, TRAIN, DEV, LABELS, settings, LENGTH, folder / "source")
    return folder


def standardised(models, some_texts):
    features = by_hand(models / "encoder", some_texts, 2, "mean")
    return (features - features.mean(axis=0)) / features.std(axis=0)


def refitted(models, output, **settings):
    source = models / "source"
    refit_head(
        *(source, source, TRAIN, list(TARGET["text"]), LABELS, RefitSettings(**settings), LENGTH, output)
    )
    return predict_labels(output, list(TARGET["text"]), LENGTH).probabilities


def fitted(features, gold):
    return LogisticRegression(C=STRENGTH, max_iter=2000).fit(features, gold)


def test_the_chosen_strength_is_on_record(models):
    choice = json.loads((models / "source/head.json").read_text(encoding="utf-8"))
    assert (choice["layer"], choice["pooling"], choice["strength"]) == (2, "mean", STRENGTH)


def test_without_rounds_each_side_is_standardised_by_its_own_texts(models, tmp_path):
    found = refitted(models, tmp_path / "own", rounds=0)
    head = fitted(standardised(models, TRAIN["text"]), GOLD)
    assert np.abs(found - head.predict_proba(standardised(models, TARGET["text"]))).max() < 3e-3


def test_a_round_learns_from_the_surest_texts_of_every_class(models, tmp_path):
    """A third of 90 texts: ten of each class, by the head's own answers."""
    source, target = (standardised(models, rows["text"]) for rows in (TRAIN, TARGET))
    answers = fitted(source, GOLD).predict_proba(target)
    chosen = []
    for label in range(3):
        of_label = [row for row in range(90) if answers[row].argmax() == label]
        chosen += sorted(of_label, key=lambda row: -answers[row].max())[:10]
    taught = fitted(np.concatenate([source, target[chosen]]), np.append(GOLD, answers[chosen].argmax(axis=1)))
    found = refitted(models, tmp_path / "taught", rounds=1, share=1 / 3)
    expected = taught.predict_proba(target)
    assert np.abs(found - expected).max() < 5e-3
    assert np.abs(expected - answers).max() > 0.02  # a round that matters


def test_a_second_round_forgets_the_answers_of_the_first():
    random = np.random.default_rng(0)
    known, gold = random.normal(size=(30, 4)), np.arange(30) % 3
    unlabelled = random.normal(size=(60, 4)) + 0.5
    once = self_trained(known, gold, unlabelled, 1.0, RefitSettings(rounds=1, share=1.0))
    twice = self_trained(known, gold, unlabelled, 1.0, RefitSettings(rounds=2, share=1.0))
    answers = once.predict_proba(unlabelled)
    rows = []
    for label in range(3):
        of_label = [row for row in range(60) if answers[row].argmax() == label]
        rows += sorted(of_label, key=lambda row: -answers[row].max())[:20]
    features = np.concatenate([known, unlabelled[sorted(rows)]])
    labels = np.append(gold, answers[sorted(rows)].argmax(axis=1))
    expected = LogisticRegression(C=1.0, max_iter=2000).fit(features, labels)
    assert np.allclose(twice.coef_, expected.coef_, atol=1e-4)
    assert not np.allclose(twice.coef_, once.coef_, atol=1e-2)


def test_class_weights_are_the_ratio_of_priors_where_the_head_never_errs():
    """Three classes far apart, a third each; of the unlabelled texts a half, a third and a sixth."""
    centres = np.eye(3) * 50
    known, gold = np.repeat(centres, 10, axis=0), np.repeat(np.arange(3), 10)
    unlabelled = np.repeat(centres, [30, 20, 10], axis=0)
    head = LogisticRegression(C=1.0, max_iter=2000).fit(known, gold)
    shift = prior_shift(head, known, gold, unlabelled, 1.0, 0.0)
    assert np.allclose(shift, np.log([1.5, 1.0, 0.5]), atol=1e-6)
    cautious = prior_shift(head, known, gold, unlabelled, 1.0, 0.5)
    assert np.allclose(cautious, np.log([1.25, 1.0, 0.75]), atol=1e-6)


def test_class_weights_take_errors_on_held_out_texts_into_account():
    """Two classes that overlap: the weights solve C w = p, C being counted on texts not fitted to."""
    random = np.random.default_rng(4)
    gold = np.arange(200) % 2
    known = random.normal(size=(200, 2)) + gold[:, None]
    unlabelled = random.normal(size=(300, 2)) + (np.arange(300) % 5 == 0)[:, None]
    head = LogisticRegression(C=0.5, max_iter=2000).fit(known, gold)
    joint = np.zeros((2, 2))
    for seen, unseen in StratifiedKFold(5).split(known, gold):
        other = LogisticRegression(C=0.5, max_iter=2000).fit(known[seen], gold[seen])
        for row in unseen:
            joint[other.predict(known[row : row + 1])[0], gold[row]] += 1 / 200
    predicted = np.bincount(head.predict(unlabelled), minlength=2) / 300
    expected = np.linalg.solve(joint, predicted)
    assert expected[1] < 0.8  # a fifth of the unlabelled texts are of the second class
    shift = prior_shift(head, known, gold, unlabelled, 0.5, 0.0)
    assert np.allclose(np.exp(shift), expected, atol=1e-6)


def test_class_weights_are_added_to_the_scores(models, tmp_path):
    plain, weighted = (
        refitted(models, tmp_path / name, rounds=0, class_weights=flag)
        for name, flag in (("plain", False), ("weighted", True))
    )
    source, target = (standardised(models, rows["text"]) for rows in (TRAIN, TARGET))
    shift = prior_shift(fitted(source, GOLD), source, GOLD, target, STRENGTH, 0.25)
    moved = plain * np.exp(shift)
    assert np.abs(weighted - moved / moved.sum(axis=1, keepdims=True)).max() < 3e-3
    assert np.abs(shift).max() > 0.1


def test_a_model_without_the_record_is_refused(models, tmp_path):
    with pytest.raises(InputError, match=r"head\.json: missing; make the model again"):
        refit_head(
            models / "source", tmp_path, TRAIN, ["a"], LABELS, RefitSettings(), LENGTH, tmp_path / "new"
        )
