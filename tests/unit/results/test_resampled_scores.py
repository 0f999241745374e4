"""Scores with resamples of items: of predictions as sklearn scores them, elsewhere as formulas say."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import accuracy_score, f1_score

from xstitch.results import resampled_scores
from xstitch.results.intervals import RESAMPLES, resampled_weights
from xstitch.results.resampled_scores import Predicted, stream, with_resamples
from xstitch.results.scores import Score, predictions_table

LABELS = ("a", "b", "c")


def score(value, metric, recipe="lr", tgt="de", seed=1, n=400):
    return Score(recipe, "taxi", "en", tgt, "test", metric, seed, value, n, "mini")


def resampled(*scores, predicted=()):
    return [one.value for one in with_resamples(scores, predicted, 5)]


def predictions(recipe, answers, gold, ids):
    tables = [
        predictions_table("de", seed, {"id": ids, "label": gold}, run) for seed, run in enumerate(answers, 1)
    ]
    return Predicted(recipe, "taxi", pa.concat_tables(tables), LABELS)


def test_predictions_are_scored_on_every_resample_as_sklearn_scores_them():
    rng = np.random.default_rng(1)
    ids = [f"{number:03}" for number in range(30)]
    gold, answers = list(rng.choice(LABELS, 30)), list(rng.choice(LABELS, 30))
    f1 = f1_score(gold, answers, labels=LABELS, average="macro", zero_division=0)
    right = accuracy_score(gold, answers)
    part = predictions("lr", [answers], gold, ids)
    by_f1, by_accuracy = resampled(score(f1, "macro_f1"), score(right, "accuracy"), predicted=[part])
    weights = resampled_weights(30, stream(5, "taxi")).astype(int)
    for draw in (0, 1, 7, RESAMPLES):
        items = np.repeat(np.arange(30), weights[draw])
        truth, answered = np.array(gold)[items], np.array(answers)[items]
        expected = f1_score(truth, answered, labels=LABELS, average="macro", zero_division=0)
        assert by_f1[draw] == pytest.approx(expected)
        assert by_accuracy[draw] == pytest.approx(accuracy_score(truth, answered))


def test_recipes_are_scored_on_the_same_resamples_whatever_the_order_of_their_items():
    ids, gold, answers = ["x", "y", "z"], ["a", "b", "c"], ["a", "a", "c"]
    first = predictions("lr", [answers], gold, ids)
    second = predictions("ls", [answers[::-1]], gold[::-1], ids[::-1])
    one, two = resampled(
        score(0.5, "macro_f1"), score(0.5, "macro_f1", recipe="ls"), predicted=[first, second]
    )
    assert (one == two).all()
    assert np.ptp(one) > 0


def test_tagged_sentences_are_scored_on_every_resample_by_their_spans():
    """Each of 30 sentences has one span; every third is found, and in every second another is made up."""
    ids = [f"{number:02}" for number in range(30)]
    gold = ["B-LOC O O"] * 30
    answers = [
        f"{'B-LOC' if number % 3 == 0 else 'O'} O {'B-PER' if number % 2 == 0 else 'O'}"
        for number in range(30)
    ]
    tables = predictions_table("de", 1, {"id": ids, "label": gold}, answers)
    part = Predicted("lr", "taxi", tables, None)
    f1, right = resampled(score(2 * 10 / 55, "f1"), score(55 / 90, "accuracy"), predicted=[part])
    for draw, times in enumerate(resampled_weights(30, stream(5, "taxi"))):
        found, made_up = times[::3].sum(), times[::2].sum()
        assert f1[draw] == pytest.approx(2 * found / (30 + found + made_up))
        assert right[draw] == pytest.approx((60 - made_up + found) / 90)


def test_a_score_of_several_models_keeps_its_own_value():
    part = predictions("lr", [["a", "a", "c"]], ["a", "b", "c"], ["x", "y", "z"])
    low, high = resampled(score(0.2, "macro_f1"), score(0.6, "macro_f1"), predicted=[part])
    assert (low[0], high[0]) == (0.2, 0.6)
    assert high - low == pytest.approx(np.full(RESAMPLES + 1, 0.4))


def test_languages_whose_items_are_translations_have_the_hard_ones_in_common():
    """The mean of two languages with the same answers varies as much as one of them does."""
    ids, gold = [f"{number:03}" for number in range(100)], ["a"] * 100
    answers = ["a", "b"] * 50
    part = predictions("lr", [answers], gold, ids)
    other = part.table.set_column(0, "tgt", pa.array(["es"] * 100))
    both = replace(part, table=pa.concat_tables([part.table, other]))
    one, two = resampled(score(0.5, "accuracy"), score(0.5, "accuracy", tgt="es"), predicted=[both])
    assert np.std((one + two) / 2) == pytest.approx(0.05, rel=0.05)


def test_weights_are_small_and_drawn_once_for_all_languages():
    resampled_scores._weights.cache_clear()
    ids, gold = [f"{number:02}" for number in range(20)], list("ab" * 10)
    table = predictions("lr", [gold], gold, ids).table
    tables = [table.set_column(0, "tgt", pa.array([f"l{number}"] * 20)) for number in range(6)]
    resampled(score(1.0, "accuracy"), predicted=[Predicted("lr", "taxi", pa.concat_tables(tables), LABELS)])
    assert resampled_scores._weights.cache_info().misses == 1
    assert resampled_weights(20, 1).dtype == np.float32


def test_every_chain_has_items_and_resamples_of_its_own():
    """The second chain's predictions are wrong on other items; no resample of one is one of the other."""
    ids, gold = [f"{number:02}" for number in range(20)], list("ab" * 10)
    first = predictions("lr", [["a"] * 20], gold, ids)
    second = replace(predictions("lr", [gold], gold, ids), chain="2")
    scores = score(1 / 2, "accuracy"), score(1.0, "accuracy")._replace(chain="2")
    one, two = resampled(*scores, predicted=[second, first])
    assert np.ptp(one) > 0.2 and set(two) == {1.0}
    same = replace(first, chain="2")
    other = score(1 / 2, "accuracy")._replace(chain="2")
    one, two = resampled(score(1 / 2, "accuracy"), other, predicted=[first, same])
    assert abs(np.corrcoef(one[1:], two[1:])[0, 1]) < 0.1
    counted = score(0.8, "csls_p1")
    one, two = resampled(counted, counted._replace(chain="2"))
    assert abs(np.corrcoef(one[1:], two[1:])[0, 1]) < 0.1


def test_shares_of_right_items_vary_as_binomial_numbers_do():
    (values,) = resampled(score(0.8, "csls_p1"))
    assert values[0] == 0.8
    assert values[1:].std() == pytest.approx(np.sqrt(0.8 * 0.2 / 400), rel=0.05)
    one, two = resampled(score(0.8, "csls_p1", seed=1), score(0.7, "csls_p1", seed=2))
    # Seeds share their items, recipes perhaps not.
    assert np.corrcoef(one[1:], two[1:])[0, 1] == pytest.approx(1)
    one, two = resampled(score(0.8, "csls_p1"), score(0.7, "csls_p1", recipe="ls"))
    assert abs(np.corrcoef(one[1:], two[1:])[0, 1]) < 0.1


def test_rank_correlations_vary_as_fishers_transformation_says():
    (values,) = resampled(score(0.7, "spearman"))
    expected = np.sqrt((1 + 0.7**2 / 2) / 397)
    assert values[0] == pytest.approx(0.7)
    assert np.arctanh(values[1:]).std() == pytest.approx(expected, rel=0.05)
    assert np.arctanh(values[1:]).mean() == pytest.approx(np.arctanh(0.7), abs=0.01)


def test_other_metrics_do_not_vary_with_items():
    f1, too_few = resampled(score(0.7, "f1"), score(0.7, "spearman", n=3))
    assert set(f1) == set(too_few) == {0.7}
