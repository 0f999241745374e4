"""VecMap: maps against their defining properties, self-learning on rotated spaces, refusals in one line."""

import logging
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import torch

from xstitch.core.errors import InputError
from xstitch.sources.lexica import SCHEMA
from xstitch.spaces import self_learning
from xstitch.spaces.learning_state import Iteration, Learned
from xstitch.spaces.self_learning import learn_dictionary
from xstitch.spaces.settings.alignment import SelfLearning, VecmapSettings
from xstitch.spaces.vecmap import (
    align,
    dictionary_rows,
    history_table,
    normalise,
    orthogonal_map,
    spans_all_dimensions,
    whitened_maps,
)
from xstitch.vectors.table import Vectors, unit_rows

QUICK = SelfLearning(patience=5)


def spaces(noise=0.0, count=300, dimensions=10, seed=0):
    random = np.random.default_rng(seed)
    # Axes with different spreads and skewed values: without them, distributions of similarities say nothing.
    x = random.gamma(1.0, size=(count, dimensions)) * np.linspace(0.3, 2, dimensions)
    rotation, _ = np.linalg.qr(random.normal(size=(dimensions, dimensions)))
    z = 3 * (x + noise * random.normal(size=x.shape)) @ rotation
    # Shuffled: in one order, words would find their partners by their place.
    order = np.random.default_rng(seed + 1).permutation(count)
    source = Vectors([f"s{i}" for i in range(count)], x.astype("f4"))
    return source, Vectors([f"t{i}" for i in order], z[order].astype("f4"))


def dictionary(rows):
    return pa.table({"source": [f"s{i}" for i in rows], "target": [f"t{i}" for i in rows]})


def partners(target):
    """Find the row of t0, t1 and so on, the translations of s0, s1 ..."""
    return np.array([target.index[f"t{i}"] for i in range(len(target.words))])


def pairs(target, count):
    return np.stack([np.arange(count), partners(target)[:count]], axis=1)


def accuracy(alignment, target):
    nearest = (unit_rows(alignment.source) @ unit_rows(alignment.target).T).argmax(axis=1)
    return (nearest == partners(target)).mean()


def test_normalise_by_hand():
    # Unit: (1, 0), (0, 1), (1, 0); mean (2/3, 1/3); centred (1/3, -1/3), (-2/3, 2/3), again; unit.
    half = np.sqrt(0.5)
    expected = [[half, -half], [-half, half], [half, -half]]
    for dtype in (np.int64, np.float32, np.float64):
        given = np.array([[5, 0], [0, 2], [1, 0]], dtype=dtype)
        found = normalise(given)
        np.testing.assert_allclose(found, expected, atol=1e-6)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(given, [[5, 0], [0, 2], [1, 0]])  # untouched


def test_procrustes_recovers_a_rotation():
    source, target = spaces()
    x, z = source.matrix, target.matrix
    w = orthogonal_map(x, z, pairs(target, 20))
    np.testing.assert_allclose(w @ w.T, np.eye(10), atol=1e-6)
    np.testing.assert_allclose(3 * x @ w, z[partners(target)], atol=1e-4)


def test_whitened_maps_without_weights_keep_each_side_up_to_a_rotation():
    # Whitening and then de-whitening the same side is a rotation if nothing is re-weighted.
    source, target = spaces(0.5)
    for w in whitened_maps(source.matrix, target.matrix, pairs(target, 300), 0.0):
        np.testing.assert_allclose(w @ w.T, np.eye(10), atol=1e-8)


def test_weights_are_canonical_correlations():
    # With a weight of one half on both sides, the moments of the whitened, mapped sides are the squared
    # correlations.
    source, target = spaces(0.5)
    x, z = normalise(source.matrix), normalise(target.matrix)
    w, _ = whitened_maps(x, z, pairs(target, 300), 0.5)
    plain, _ = whitened_maps(x, z, pairs(target, 300), 0.0)
    qx, qz = np.linalg.qr(x)[0], np.linalg.qr(z[partners(target)])[0]
    correlations = np.linalg.svd(qx.T @ qz)[1]
    ratio = abs(np.linalg.det(w) / np.linalg.det(plain))
    assert ratio == pytest.approx(np.sqrt(correlations).prod(), rel=1e-4)


@pytest.mark.parametrize("mode", ["supervised", "orthogonal"])
def test_a_dictionary_recovers_a_rotation(mode):
    source, target = spaces()
    alignment = align(source, target, dictionary(range(40)), VecmapSettings(mode))
    np.testing.assert_allclose(alignment.source, alignment.target[partners(target)], atol=1e-4)
    assert alignment.dictionary.schema == SCHEMA
    np.testing.assert_allclose(alignment.dictionary["score"], np.ones(40), atol=1e-4)
    assert (alignment.history, alignment.objective) == ([], None)


@pytest.mark.parametrize("mode", ["unsupervised", "semi-supervised"])
def test_self_learning_finds_a_rotated_space(mode):
    source, target = spaces(0.05)
    seeds = dictionary(range(12)) if mode == "semi-supervised" else None
    held_out = dictionary(range(100, 200))
    alignment = align(source, target, seeds, VecmapSettings(mode, learning=QUICK), held_out)
    assert accuracy(alignment, target) > 0.97
    assert alignment.history[-1].accuracy > 97
    assert alignment.history[0].keep == pytest.approx(0.1)
    assert alignment.history[-1].keep == 1
    same = [row["source"][1:] == row["target"][1:] for row in alignment.dictionary.to_pylist()]
    assert np.mean(same) > 0.95
    scores = alignment.dictionary["score"].to_numpy()
    assert (np.diff(scores) <= 0).all()


def test_identical_words_start_the_loop():
    source, target = spaces(0.05)
    shared = {f"t{i}": f"s{i}" for i in range(15)}
    same = Vectors([shared.get(word, word) for word in target.words], target.matrix)
    alignment = align(source, same, None, VecmapSettings("identical", learning=QUICK))
    assert accuracy(alignment, target) > 0.97


def test_equal_seeds_give_equal_results_and_others_another_history():
    source, target = spaces(0.3)
    runs = [
        align(
            source,
            target,
            dictionary(range(8)),
            VecmapSettings("semi-supervised", learning=SelfLearning(patience=2, seed=seed)),
        )
        for seed in (3, 3, 4)
    ]
    np.testing.assert_array_equal(runs[0].source, runs[1].source)
    assert runs[0].history == runs[1].history
    assert runs[0].history != runs[2].history


def test_of_several_runs_the_one_with_the_best_objective_counts(monkeypatch):
    source, target = spaces(1.0)
    x, z = normalise(source.matrix), normalise(target.matrix)
    start = pairs(target, 8)

    def learn(seed, restarts):
        return learn_dictionary(x, z, start, SelfLearning(patience=2, seed=seed, restarts=restarts))

    # Which of the two runs is better depends on the last bits, and so on the processor.
    first, second = learn(5, 1), learn(6, 1)
    assert first.history != second.history
    assert learn(5, 2).history == max((first, second), key=lambda run: run.objective).history

    objectives = {5: 40.0, 6: 90.0, 7: 60.0}

    def learned(*arguments):
        objective = objectives[arguments[2].seed]
        return Learned(start, np.ones(8), [Iteration(1, 1.0, 8, objective, None)])

    monkeypatch.setattr(self_learning, "_learn_once", learned)
    assert [learn(5, restarts).objective for restarts in (1, 2, 3)] == [40, 90, 90]
    objectives = {5: 40.0, 6: 40.0000004}
    assert learn(5, 2).objective == 40  # the other one's lead is rounding


def test_a_rotation_of_one_side_changes_nothing():
    source, target = spaces(0.3)
    rotation = np.linalg.qr(np.random.default_rng(9).normal(size=(10, 10)))[0].astype("f4")
    rotated = Vectors(target.words, target.matrix @ rotation)
    one, two = (align(source, side, dictionary(range(50)), VecmapSettings()) for side in (target, rotated))
    products = [side.source[:50] @ side.target[:50].T for side in (one, two)]
    np.testing.assert_allclose(*products, atol=1e-4)


def test_too_few_pairs_fall_back_to_an_orthogonal_map(caplog):
    source, target = spaces(0.1)
    with caplog.at_level(logging.WARNING, "xstitch"):
        few = align(source, target, dictionary(range(9)), VecmapSettings())
    (record,) = caplog.records
    assert "9 dictionary pairs do not span the 10 dimensions" in record.getMessage()
    plain = align(source, target, dictionary(range(9)), VecmapSettings("orthogonal"))
    np.testing.assert_array_equal(few.source, plain.source)


def test_rows_span_all_dimensions_if_no_axis_is_rounding():
    # An axis is rounding if it is shorter than 1e-5 of the longest one, however short the others are.
    assert spans_all_dimensions(np.eye(3))
    assert spans_all_dimensions(np.diag([1, 1e-4, 2e-5]))
    assert not spans_all_dimensions(np.diag([1, 1e-4, 5e-6]))
    assert not spans_all_dimensions(np.eye(3)[:2])


def test_repeated_words_do_not_make_up_for_dimensions(caplog):
    source, target = spaces(0.1)
    table = pa.table({"source": ["s1", "s2"] * 10, "target": [f"t{i}" for i in range(20)]})
    align(source, target, table, VecmapSettings())
    assert "not whitened" in caplog.text


def test_the_best_map_is_kept_not_the_last(monkeypatch):
    # The objective falls after the second iteration: the dictionary must come from the second map.
    source, target = spaces(0.3)
    x, z = normalise(source.matrix), normalise(target.matrix)
    real, seen = self_learning.evaluate, []

    def worse(*arguments):
        state = real(*arguments)
        seen.append(arguments[2])
        return replace(state, objective={1: 0.1, 2: 0.9}.get(len(seen), 0.5))

    monkeypatch.setattr(self_learning, "evaluate", worse)
    start = pairs(target, 30)
    learned = learn_dictionary(x, z, start, SelfLearning(patience=1, keep=0.5))
    assert torch.equal(seen[-1], seen[1])
    # Idle rounds with a patience of 1: two before the share grows from 0.5 to 1, two before the end.
    assert [step.keep for step in learned.history] == [0.5, 0.5, 0.5, 0.5, 1.0, 1.0]


def test_the_cap_ends_the_loop_with_a_warning(caplog):
    source, target = spaces(0.3)
    settings = VecmapSettings("unsupervised", learning=SelfLearning(max_iterations=3))
    alignment = align(source, target, None, settings)
    assert len(alignment.history) == 3
    assert "max_iterations (3)" in caplog.text


def test_the_history_is_logged_and_makes_a_table(caplog):
    source, target = spaces(0.3)
    settings = VecmapSettings("unsupervised", learning=SelfLearning(max_iterations=2))
    with caplog.at_level(logging.INFO, "xstitch"):
        alignment = align(source, target, None, settings)
    table = history_table(alignment.history)
    assert table.column_names == ["iteration", "keep", "pairs", "objective", "accuracy"]
    assert table["accuracy"].to_pylist() == [None, None]
    assert alignment.objective == max(table["objective"].to_pylist())
    assert "iteration 2: keep 0.10, 600 pairs, objective" in caplog.text


def test_pairs_are_looked_up_once_each():
    source, target = spaces()
    second, none = target.words[2], target.words[0]
    table = pa.table({"source": ["s3", "x", "s3", "s1"], "target": [second, "t1", second, none]})
    np.testing.assert_array_equal(dictionary_rows(table, source, target), [[3, 2], [1, 0]])


def test_mistakes_are_reported_in_one_line():
    source, target = spaces()
    narrow = Vectors(target.words, target.matrix[:, :5])
    broken = Vectors(target.words, target.matrix * np.nan)
    for mode, other, table, message in [
        ("supervised", target, None, "needs a dictionary"),
        ("unsupervised", narrow, None, "10 and 5 dimensions"),
        ("unsupervised", broken, None, "the target vectors contain numbers that are not finite"),
        ("identical", target, None, "share no word"),
        ("supervised", target, pa.table({"source": ["x"], "target": ["y"]}), "none of the dictionary's 1"),
    ]:
        with pytest.raises(InputError, match=message):
            align(source, other, table, VecmapSettings(mode))


def csls_pairs(left, right, k):
    """Find each word's best partner by CSLS, in both directions, from all scores."""
    scores = left @ right.T
    means = [np.sort(side, axis=1)[:, -k:].mean(axis=1) for side in (scores, scores.T)]
    csls = 2 * scores - means[0][:, None] - means[1]
    for side in (csls, csls.T):  # no pair wins by so little that rounding decides
        best = np.sort(side, axis=1)
        assert (best[:, -1] - best[:, -2]).min() > 1e-5
    rows, columns = np.arange(len(left)), np.arange(len(right))
    return [*zip(rows, csls.argmax(axis=1), strict=True), *zip(csls.argmax(axis=0), columns, strict=True)]


def test_the_unsupervised_start_compares_sorted_roots_of_similarities():
    source, target = spaces(0.05, count=60, dimensions=6)
    x, z = normalise(source.matrix), normalise(target.matrix)
    profiles = []
    for side in (x, z):
        values, axes = np.linalg.eigh(side.astype(float) @ side.T.astype(float))
        root = axes * np.sqrt(np.maximum(values, 0)) @ axes.T
        profiles.append(normalise(np.sort(root, axis=1)).astype(float))
    start = self_learning.start_unsupervised(x, z, SelfLearning(csls_k=3), normalise)
    np.testing.assert_array_equal(start, csls_pairs(*profiles, 3))
    assert (start[:60, 1] == partners(target)).mean() > 0.5
    among_frequent = self_learning.start_unsupervised(x, z, SelfLearning(csls_k=3, start_words=25), normalise)
    alone = self_learning.start_unsupervised(x[:25], z[:25], SelfLearning(csls_k=3), normalise)
    np.testing.assert_array_equal(among_frequent, alone)


def test_learned_pairs_are_scored_by_csls():
    # In a rotated space the best map is exact, so that the spaces' cosines are those within one of them: a
    # word's score with its partner is 2 less twice its mean cosine to the three nearest words, itself first.
    source, target = spaces(0.0)
    x, z = normalise(source.matrix), normalise(target.matrix)
    learned = learn_dictionary(x, z, pairs(target, 300), SelfLearning(csls_k=3, patience=1, keep=1.0))
    means = np.sort(x.astype(float) @ x.T.astype(float), axis=1)[:, -3:].mean(axis=1)
    assert learned.rows[:300].tolist() == pairs(target, 300).tolist()
    np.testing.assert_allclose(learned.scores[:300], 2 - 2 * means, atol=1e-5)
    assert learned.objective == pytest.approx(100, abs=1e-3)


@pytest.mark.parametrize("direction", ["forth", "back"])
def test_a_hub_is_discounted_in_both_directions(direction):
    # The query at 35 degrees is as near to the hub at 20 as to the word at 50.01, even a little nearer. With
    # k = 1 the hub's mean is 1, from its twin, the other's cos 15 degrees: the other one wins.
    def angles(*degrees):
        return torch.from_numpy(np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], axis=1))

    queries, words = angles(35, 20).float(), angles(20, 50.01).float()
    left, right = (queries, words) if direction == "forth" else (words, queries)
    settings = SelfLearning(csls_k=1)
    state = self_learning.evaluate(left, right, torch.eye(2), settings)
    rows = self_learning.induce(state, 1.0, torch.Generator())
    assert rows.tolist() == [[0, 1], [1, 0], [1, 0], [0, 1]]


@pytest.mark.parametrize(("reweight", "length"), [(0.0, 1.0), (0.5, 0.5**0.5), (1.0, 0.5)])
def test_weights_of_a_map_by_hand(reweight, length):
    # Words lie on two axes. Pairs agree along the first; along the second, three of four agree and one has
    # the opposite direction: correlations 1 and (3 - 1) / 4. Both sides have the same moments, so whitening
    # and colouring cancel, and the second axis is multiplied by its correlation to the power `reweight`.
    one, two = np.eye(2)
    x = np.array([one, -one, two, -two, two, -two, two, -two, two, -two], dtype="f4")
    z = np.array([one, -one, two, -two, two, -two, two, -two, -two, two], dtype="f4")
    source, target = (Vectors([f"{p}{i}" for i in range(10)], side) for p, side in (("s", x), ("t", z)))
    for settings in [VecmapSettings(reweight=reweight)] + [VecmapSettings()] * (reweight == 0.5):
        alignment = align(source, target, dictionary(range(10)), settings)
        for mapped, side in ((alignment.source, x), (alignment.target, z)):
            np.testing.assert_allclose(np.abs(mapped), np.abs(side) * [1, length], atol=1e-6)
