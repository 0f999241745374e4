"""Retrieval by relative vectors: measures by hand, unknown partners, both directions, independent counts."""

import numpy as np
import pytest
import torch
from rotated import across, rotated_spaces

from xstitch.core.errors import InputError
from xstitch.spaces.anchors.problem import UNKNOWN, SeededSpaces
from xstitch.spaces.anchors.retrieval import (
    evaluate_pairs,
    jaccard,
    reciprocal_ranks,
    relative_rows,
    retrieve,
)
from xstitch.spaces.neighbours import Top
from xstitch.vectors.table import unit_rows


def circle(*degrees):
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype("f4")


def test_jaccard_by_hand():
    # {1, 2, 3} and {3, 4, 1} share two of four; {7, 8, 9} and {1, 2, 3} none; UNKNOWN matches nothing.
    first = torch.tensor([[1, 2, 3], [7, 8, 9], [UNKNOWN, 5, 6]])
    second = torch.tensor([[3, 4, 1], [1, 2, 3], [5, 6, 7]])
    np.testing.assert_allclose(jaccard(first, second), [0.5, 0.0, 0.5])


def test_reciprocal_ranks_by_hand():
    top = Top(torch.zeros(3, 3), torch.tensor([[4, 5, 6], [6, 5, 4], [1, 2, 3]]))
    np.testing.assert_allclose(reciprocal_ranks(top, torch.tensor([4, 4, 4])), [1, 1 / 3, 0])


def test_all_measures_by_hand():
    # Words at 0, 10, 40, 90 degrees in the source; the target has them in the order 2, 0, 3, 1, with word 0
    # rotated by 14 degrees. With k = 2, x among source words / among target words (as source numbers):
    #   word 0 (0 degrees):  {0, 1} / 1 at 10, 0 at 14  -> Jaccard 1, rank 2
    #   word 1 (10 degrees): {1, 0} / 1 at 10, 0 at 14  -> Jaccard 1, rank 1
    #   word 2 (40 degrees): {2, 1} / 2 at 40, 0 at 14  -> Jaccard 1/3, rank 1
    #   word 3 (90 degrees): {3, 2} / 3, 2              -> Jaccard 1, rank 1
    source, target = torch.from_numpy(circle(0, 10, 40, 90)), torch.from_numpy(circle(40, 14, 90, 10))
    scores = retrieve(source, target, np.array([1, 3, 0, 2]), k=2, compared="source")
    assert scores.jaccard == pytest.approx((1 + 1 + 1 / 3 + 1) / 4)
    assert scores.mrr == pytest.approx((1 / 2 + 1 + 1 + 1) / 4)
    assert scores.cosine == pytest.approx((np.cos(np.radians(14)) + 3) / 4, abs=1e-6)
    assert scores.words == 4
    assert list(scores.metrics()) == ["jaccard", "mrr", "cosine"]


def test_jaccard_as_relreps_computes_it_by_hand():
    # The same words. Now x and y = x's partner, both among target words (as source numbers):
    #   word 0 (0 and 14 degrees):  {1, 0} / {0, 1}  -> 1
    #   word 1 (10 and 10 degrees): {1, 0} / {1, 0}  -> 1
    #   word 2 (40 and 40 degrees): {2, 0} / {2, 0}  -> 1, where x's nearest source words gave 1/3
    #   word 3 (90 and 90 degrees): {3, 2} / {3, 2}  -> 1
    source, target = torch.from_numpy(circle(0, 10, 40, 90)), torch.from_numpy(circle(40, 14, 90, 10))
    assert retrieve(source, target, np.array([1, 3, 0, 2]), k=2).jaccard == pytest.approx(1)
    # Word 0 at -60 degrees in the source: {1, 0} / {0, 1}. Word 3 at 11 degrees: {1, 0} / {3, 2} -> 0.
    source = torch.from_numpy(circle(-60, 10, 40, 11))
    assert retrieve(source, target, np.array([1, 3, 0, 2]), k=2).jaccard == pytest.approx(3 / 4)
    # Among the source words: {0, 1}, {1, 3}, {2, 3}, {3, 1}, against {1, 0}, {1, 0}, {2, 0}, {1, 0}.
    by_source = retrieve(source, target, np.array([1, 3, 0, 2]), k=2, compared="source").jaccard
    assert by_source == pytest.approx((1 + 1 / 3 + 1 / 3 + 1 / 3) / 4)


def test_a_word_without_a_partner_is_a_neighbour_but_no_query():
    # As above without word 1's partner: as a neighbour of words 0 and 2 it matches nothing.
    source, target = torch.from_numpy(circle(0, 10, 40, 90)), torch.from_numpy(circle(40, 14, 90))
    scores = retrieve(source, target, np.array([1, UNKNOWN, 0, 2]), k=2, compared="source")
    # Word 0: {0, 1} / {0, 2} -> 1/3; word 2: {2, 1} / {2, 0} -> 1/3; word 3: 1. All first.
    assert scores.jaccard == pytest.approx((1 / 3 + 1 / 3 + 1) / 3)
    assert (scores.mrr, scores.words) == (1.0, 3)


def test_relative_rows_are_cosines_to_anchors():
    rows = relative_rows(np.array([[2.0, 0.0]]), np.array([[0.0, 3.0], [5.0, 5.0]]))
    # Cosines 0 and sqrt(1/2), then unit length.
    np.testing.assert_allclose(rows, [[0, 1]], atol=1e-6)
    rows = relative_rows(np.array([[1.0, 1.0]]), np.array([[0.0, 3.0], [5.0, 0.0]]))
    np.testing.assert_allclose(rows, [[np.sqrt(0.5)] * 2], atol=1e-6)


def test_a_space_retrieves_itself():
    rows = torch.from_numpy(unit_rows(np.random.default_rng(0).normal(size=(40, 5))).astype("f4"))
    scores = retrieve(rows, rows, np.arange(40))
    assert (scores.jaccard, scores.mrr) == (1.0, 1.0)
    assert scores.cosine == pytest.approx(1)


def test_anchors_are_measured_in_both_directions():
    random = np.random.default_rng(1)
    source, order = random.normal(size=(60, 8)).astype("f4"), random.permutation(60)
    target = (source + 0.5 * random.normal(size=source.shape).astype("f4"))[order]
    partners = np.argsort(order)
    anchors = random.choice(60, 20, replace=False)
    spaces = SeededSpaces(source, target, anchors, partners[anchors[:6]], partners)
    for vectors, count in ((spaces.true_anchors, 20), (spaces.seed_anchors, 6)):
        left = unit_rows(unit_rows(source) @ unit_rows(source[anchors[:count]]).T)
        right = unit_rows(unit_rows(target) @ unit_rows(vectors).T)[partners]  # in the source's order
        measured = across(spaces, vectors, "source"), across(spaces, vectors)
        for number, (x, y) in enumerate(((left, right), (right, left))):
            scores, as_relreps = (pair[number] for pair in measured)
            best = np.argsort(-(x @ y.T), axis=1)[:, :10]
            ranks = [list(row).index(word) + 1 if word in row else np.inf for word, row in enumerate(best)]
            within = np.argsort(-(x @ x.T), axis=1)[:, :10]
            shares = [len({*a} & {*b}) / len({*a} | {*b}) for a, b in zip(within, best, strict=True)]
            assert scores.mrr == pytest.approx(np.mean(1 / np.array(ranks)), abs=1e-6)
            assert scores.jaccard == pytest.approx(np.mean(shares), abs=1e-6)
            partners_own = np.argsort(-(y @ y.T), axis=1)[:, :10]
            shares = [len({*a} & {*b}) / len({*a} | {*b}) for a, b in zip(partners_own, best, strict=True)]
            assert as_relreps.jaccard == pytest.approx(np.mean(shares), abs=1e-6)
            assert scores.cosine == pytest.approx((x * y).sum(axis=1).mean(), abs=1e-5)


def test_without_the_truth_nothing_is_measured():
    rows = circle(0, 10)
    with pytest.raises(InputError, match="partners are known"):
        across(SeededSpaces(rows, rows, np.array([0]), np.array([0])), rows[:1])
    with pytest.raises(InputError, match="no word"):
        retrieve(torch.from_numpy(rows), torch.from_numpy(rows), np.full(2, UNKNOWN))


def test_pairs_of_named_spaces():
    spaces = rotated_spaces(noise=0.3)
    both = across(spaces, spaces.true_anchors)
    pairs = evaluate_pairs(spaces, spaces.true_anchors, ("FT", "W2V"))
    assert (pairs["FT", "W2V"], pairs["W2V", "FT"]) == both
    for within in (pairs["FT", "FT"], pairs["W2V", "W2V"]):
        assert within.metrics() == pytest.approx({"jaccard": 1.0, "mrr": 1.0, "cosine": 1.0})


def test_vectors_without_anchors_are_only_compared_within_a_space():
    pairs = evaluate_pairs(rotated_spaces(target_width=14), None, ("base", "small"))
    assert set(pairs) == {("base", "base"), ("small", "small")}
    assert pairs["small", "small"].mrr == pytest.approx(1.0)
