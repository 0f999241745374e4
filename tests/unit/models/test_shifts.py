"""Shifts between languages, and samples with different priors."""

import numpy as np
import pandas as pd
import pytest
from tiny import write_trainable
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

from xstitch.core.errors import InputError
from xstitch.models.transfer import sampling, shifts
from xstitch.models.transfer.sampling import (
    class_counts,
    draw_samples,
    draw_with_prior,
    item_prior,
    sentence_ranks,
    skewed_rows,
)
from xstitch.models.transfer.shifts import (
    conditional_shift,
    measure,
    prior_correction,
    shift_records,
    total_variation,
)

LABELS = ("a", "b")


def test_total_variation_and_correction_by_hand():
    assert total_variation([0.5, 0.5], [0.9, 0.1]) == pytest.approx(0.4)
    # The shift is 0.4; 0.1 is left after the estimate.
    assert prior_correction(
        np.array([0.9, 0.1]), np.array([0.5, 0.5]), np.array([0.8, 0.2])
    ) == pytest.approx(0.75)
    assert prior_correction(
        np.array([0.6, 0.4]), np.array([0.5, 0.5]), np.array([0.2, 0.8])
    ) == pytest.approx(-3)


def test_conditional_shift_by_hand():
    """The sums are of three classes, one layer, two dimensions and the number of items."""
    source = np.array([[[2.0, 4.0, 2]], [[3.0, 3.0, 3]], [[0.0, 0.0, 0]]])  # means (1, 2), (1, 1), none
    target = np.array([[[0.0, 5.0, 1]], [[8.0, 0.0, 4]], [[5.0, 5.0, 1]]])  # means (0, 5), (2, 0)
    assert conditional_shift(source, target) == pytest.approx([(4 + 2) / 2])


def test_samples_go_from_even_to_skewed_and_follow_the_seed():
    gold = np.repeat(np.arange(4), 200)
    counts = np.eye(4, dtype=int)[gold]
    samples = draw_samples(counts, 9, 100, seed=1)
    shifts = [
        total_variation(np.bincount(gold[rows], minlength=4) / 100, np.full(4, 0.25)) for rows in samples
    ]
    assert shifts[0] < 0.15
    assert max(shifts) > 0.5
    assert all(len(set(rows)) == 100 for rows in samples)
    again = draw_samples(counts, 9, 100, seed=1)
    assert all(np.array_equal(first, second) for first, second in zip(samples, again, strict=True))
    with pytest.raises(InputError, match="size is 900, but there are 800 examples"):
        draw_samples(counts, 1, 900, seed=1)


def test_texts_are_drawn_as_ever(monkeypatch):
    """The sets of earlier results, so that they stay comparable; texts have no ranks."""
    monkeypatch.setattr(sampling, "sentence_ranks", None)
    counts = np.eye(3, dtype=int)[np.repeat(np.arange(3), 8)]
    assert [rows.tolist() for rows in draw_samples(counts, 3, 6, seed=5)] == [
        [1, 6, 13, 15, 16, 21],
        [0, 2, 4, 5, 6, 13],
        [16, 17, 18, 19, 21, 23],
    ]


def test_ranks_of_sentences_by_hand():
    """Words outside names count -1, names +1.

    All six sentences have -15 in 53 words; by that average the best two are the third and the fifth (2 in
    30), by the average of these two the third and the sixth (5 in 9), which stay. What each adds to 5 in 9,
    times 9: -122, -10, -4, -140, -128, 4. By mean liking alone, the first would be behind the fifth.
    """
    counts = np.array([[9, 1], [1, 1], [2, 6], [10, 0], [12, 10], [0, 1]])
    assert sentence_ranks(counts, np.array([-1, 1]), 2).tolist() == [3, 2, 1, 5, 4, 0]
    # Equal sentences share a rank, so that none is drawn because it comes first in the file.
    assert sentence_ranks(counts[[0, 0, 5]], np.array([-1, 1]), 1).tolist() == [1, 1, 0]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sets_of_sentences_reach_large_shifts(seed):
    """Nearly all words are outside names, as in CoNLL; 200 of 2,000 sentences are short and mostly names.

    At most 3 of 4 words of a set can be names of one kind. Some of 24 sets with random preferences are near.
    """
    kinds = {(20, 0, 0): 1200, (17, 2, 1): 600, (1, 3, 0): 100, (1, 0, 3): 100}
    counts = np.repeat(list(kinds), list(kinds.values()), axis=0)
    natural = counts.sum(axis=0) / counts.sum()
    samples = draw_samples(counts, 24, 100, seed)
    priors = [counts[rows].sum(axis=0) / counts[rows].sum() for rows in samples]
    assert total_variation(priors[0], natural) < 0.05  # the first set has no preference
    assert max(prior[1] for prior in priors) > 0.5
    assert max(prior[2] for prior in priors) > 0.5
    assert max(prior[0] for prior in priors) > 0.99
    assert all(len(set(rows)) == 100 for rows in samples)


def test_sentences_count_by_their_words():
    sentences = pd.DataFrame({"words": [["x", "y"], ["z"]], "tags": [["a", "b"], ["b"]]})
    assert class_counts(sentences, LABELS).tolist() == [[1, 1], [0, 1]]
    assert item_prior(sentences, LABELS) == pytest.approx([1 / 3, 2 / 3])
    assert item_prior(sentences, ("a", "b", "c")) == pytest.approx([1 / 3, 2 / 3, 0])
    assert skewed_rows(sentences, LABELS, {"containing": "a"}, 1).tolist() == [0]
    with pytest.raises(InputError, match="no sentence has the label 'c'"):
        skewed_rows(sentences, LABELS, {"containing": "c"}, 1)


def test_texts_are_skewed_to_a_prior():
    texts = pd.DataFrame({"text": ["x"] * 100, "label": ["a"] * 50 + ["b"] * 50})
    counts = texts["label"].iloc[skewed_rows(texts, LABELS, {"prior": [0.2, 0.8]}, 1)].value_counts()
    assert (counts["a"], counts["b"]) == (12, 50)  # 50 is all of b; 12.5 would be a fifth of both
    assert len(skewed_rows(texts, LABELS, {"prior": [1, 4]}, 1)) == 12 + 50
    assert len(draw_with_prior(np.array([0, 0, 1]), np.array([0.5, 0.5]), 1)) == 2
    with pytest.raises(InputError, match="prior needs 2 shares"):
        skewed_rows(texts, LABELS, {"prior": [1.0]}, 1)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Make an untrained classifier: its states are as good as any."""
    folder = tmp_path_factory.mktemp("model")
    encoder = write_trainable(folder / "encoder", ["a0 a1 b0 b1 c"] * 4)
    classifier = AutoModelForSequenceClassification.from_pretrained(encoder, num_labels=2)
    classifier.save_pretrained(folder / "model")
    AutoTokenizer.from_pretrained(encoder).save_pretrained(folder / "model")
    return folder / "model"


def test_states_are_those_of_transformers(model):
    """The expected means of one sample's classes are computed text by text with transformers."""
    texts = pd.DataFrame({"text": ["a0 a1", "b0", "b1 c a0 b0", "a1"], "label": ["a", "b", "b", "a"]})
    samples = [np.array([0, 1, 2]), np.arange(4)]
    _, measured = measure(model, texts, LABELS, 16, samples, batch_size=3)
    body, tokenizer = AutoModel.from_pretrained(model).eval(), AutoTokenizer.from_pretrained(model)
    states = []
    for text in texts["text"]:
        inputs = tokenizer(text, return_tensors="pt")
        inputs.pop("token_type_ids", None)
        states.append(body(**inputs, output_hidden_states=True).hidden_states)
    for layer in range(3):
        cls = np.stack([s[layer][0, 0].detach().numpy() for s in states])
        mean = np.stack([s[layer][0].mean(dim=0).detach().numpy() for s in states])
        for pooling, expected in (("cls", cls), ("mean", mean)):
            sums = measured.sums[pooling][0, 1, layer]  # the first sample's class b: texts 1 and 2
            assert sums[-1] == 2
            assert sums[:-1] / 2 == pytest.approx(expected[[1, 2]].mean(axis=0), abs=1e-5)


def test_a_language_has_no_shift_from_itself(model):
    texts = pd.DataFrame({"text": ["a0 a1", "b0", "b1 c a0 b0", "a1"], "label": ["a", "b", "b", "a"]})
    target = {"target": "xx"}
    records = list(shift_records(model, texts, texts, LABELS, 16, np.array([0.5, 0.5]), 1, 4, 1, target))
    assert len(records) == 2 * 2 * 3  # samples, poolings, layers
    assert [record["sample"] for record in records] == ["0"] * 6 + ["all"] * 6
    assert {record["feature_shift"] for record in records} == {"0.000000"}
    assert {record["prior_shift"] for record in records} == {"0.000000"}


def test_records_have_the_scores_of_their_samples(model):
    texts = pd.DataFrame({"text": ["a0 a1", "b0", "b1 c a0 b0", "a1"], "label": ["a", "b", "b", "a"]})
    _, measured = measure(model, texts, LABELS, 16, [np.arange(4)])
    right = measured.predicted == [0, 1, 1, 0]
    f1 = [
        2 * right[rows].sum() / (2 + (measured.predicted == label).sum())
        for label, rows in enumerate(([0, 3], [1, 2]))
    ]
    record = next(
        shift_records(model, texts, texts, LABELS, 16, np.array([0.8, 0.2]), 1, 4, 1, {"target": "xx"})
    )
    assert record == {
        "target": "xx",
        "sample": "0",
        "prior_shift": "0.300000",
        "macro_f1": f"{np.mean(f1):.6f}",
        "pooling": "cls",
        "layer": "0",
        "feature_shift": "0.000000",
    }


@pytest.mark.parametrize(("texts", "sets", "drawn"), [(5, 2, 2), (1, 2, 1), (5, 1, 5)])
def test_of_several_samples_none_has_more_than_half_of_a_language(model, monkeypatch, texts, sets, drawn):
    sizes = []
    monkeypatch.setattr(shifts, "draw_samples", lambda *arguments: sizes.append(arguments[2]) or [])
    table = pd.DataFrame({"text": ["a0 b0"] * texts, "label": ["a"] * texts})
    list(shift_records(model, table, table, LABELS, 16, np.array([1.0, 0.0]), sets, 99, 1, {}))
    assert sizes == [drawn]


def test_words_are_measured_at_their_first_subwords(model, tmp_path):
    """A tagger with the same weights sums words by sample and class."""
    from transformers import AutoModelForTokenClassification

    AutoModelForTokenClassification.from_pretrained(model, num_labels=2).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(model).save_pretrained(tmp_path)
    sentences = pd.DataFrame({"words": [["a0", "b0"], ["c"]], "tags": [["a", "b"], ["b"]]})
    domain, measured = measure(tmp_path, sentences, LABELS, 16, [np.array([0]), np.array([1])])
    counts = measured.sums["cls"][:, :, 0, -1]
    assert counts.tolist() == [[1, 1], [0, 1]]
    assert domain.items_of(np.array([1])).tolist() == [2]
