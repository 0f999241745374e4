"""Heads for a few labelled texts: scikit-learn gives the same, and a missing label breaks nothing."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from xstitch.models.labelled_heads import Choice, Texts, choose_head, labelled_answers, standardised_texts
from xstitch.models.settings.labelled import LabelledSettings

RANDOM = np.random.default_rng(3)
SOURCE = Texts(RANDOM.normal(size=(60, 4)), np.arange(60) % 3)
FEW = np.array([0, 1, 2, 2, 0, 1, 1, 2, 0, 1])
TARGET = Texts(RANDOM.normal(size=(10, 4)) + np.eye(4)[FEW], FEW)
ASKED = RANDOM.normal(size=(7, 4))


def fitted(known, weights, strength):
    return LogisticRegression(C=strength, max_iter=2000).fit(known.features, known.labels, weights)


def joined(target, source=SOURCE):
    return Texts(*(np.concatenate(both) for both in zip(target, source, strict=True)))


def test_a_target_text_counts_for_several_source_texts():
    # The same as ten copies of each target text.
    only = LabelledSettings(strengths=[0.1], weights=[10.0])
    copies = Texts(np.repeat(TARGET.features, 10, axis=0), np.repeat(TARGET.labels, 10))
    expected = fitted(joined(copies), None, 0.1).predict_proba(ASKED)
    np.testing.assert_allclose(labelled_answers(TARGET, SOURCE, ASKED, 3, only), expected, atol=2e-4)
    unweighted = LabelledSettings(strengths=[0.1], weights=[1.0])
    assert np.abs(labelled_answers(TARGET, SOURCE, ASKED, 3, unweighted) - expected).max() > 0.01


def test_without_source_texts_the_target_alone_is_fitted():
    only = LabelledSettings(strengths=[0.5], weights=[3.0])  # a weight of all texts would be a strength
    expected = fitted(TARGET, None, 0.5).predict_proba(ASKED)
    np.testing.assert_allclose(labelled_answers(TARGET, None, ASKED, 3, only), expected, atol=1e-6)


@pytest.mark.parametrize("source", [SOURCE, None])
def test_the_choice_has_the_lowest_loss_on_held_out_target_texts(source):
    settings = LabelledSettings(strengths=[0.01, 1.0], weights=[1.0, 5.0], folds=3)
    fold, losses = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0]), {}
    for strength in (0.01, 1.0):
        for weight in (1.0, 5.0) if source else (1.0,):
            answers = np.empty((10, 3))
            for held_out in range(3):
                rest = TARGET.some(fold != held_out)
                known = joined(rest, source) if source else rest
                weights = np.r_[
                    np.full(len(rest.labels), weight), np.ones(len(known.labels) - len(rest.labels))
                ]
                head = fitted(known, weights, strength)
                answers[fold == held_out] = head.predict_proba(TARGET.features[fold == held_out])
            losses[strength, weight] = log_loss(TARGET.labels, answers)
    choice = choose_head(TARGET, source, 3, settings)
    best = min(losses, key=losses.get)
    assert choice == Choice(pytest.approx(losses[best]), *best)


def test_labels_that_no_text_has_are_never_the_answer():
    two = Texts(TARGET.features[:6], np.array([0, 2, 0, 2, 0, 2]))
    answers = labelled_answers(two, None, ASKED, 4, LabelledSettings())
    assert answers.shape == (7, 4)
    assert (answers[:, [1, 3]] < 1e-9).all()
    np.testing.assert_allclose(answers.sum(axis=1), 1)


def test_texts_of_one_label_have_one_answer():
    one = Texts(TARGET.features[:3], np.array([1, 1, 1]))
    assert (labelled_answers(one, None, ASKED, 3, LabelledSettings()).argmax(axis=1) == 1).all()


def test_of_two_texts_each_is_held_out_once():
    # Held out, each has the other's label: the loss is that of a label without texts.
    two = Texts(TARGET.features[:2], np.array([0, 1]))
    assert choose_head(two, None, 2, LabelledSettings()).loss == pytest.approx(-np.log(1e-12), rel=1e-6)


def test_features_are_standardised_by_the_training_texts():
    features = {"train": np.array([[0.0, 5.0], [2.0, 5.0]], "f4"), "test": np.array([[3.0, 6.0]], "f4")}
    texts = standardised_texts(features, {"train": [1, 0], "test": [1]})
    # Mean 1 and spread 1; the second feature does not vary and keeps its scale.
    np.testing.assert_allclose(texts["train"].features, [[-1, 0], [1, 0]])
    np.testing.assert_allclose(texts["test"].features, [[2, 1]])
    assert texts["train"].labels.tolist() == [1, 0]
    assert set(standardised_texts({"train": features["train"]}, {"train": [1, 0]})) == {"train"}
