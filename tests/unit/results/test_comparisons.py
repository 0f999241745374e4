"""Intervals over test items, by hand and against an independent resampling; paired differences."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import f1_score

from xstitch.core.errors import InputError
from xstitch.results.comparisons import compare_recipes, predictions_table
from xstitch.results.intervals import interval, resampled_macro_f1, resampled_weights

LABELS = ("a", "b", "c")


def test_every_resample_is_scored_as_sklearn_scores_its_items():
    random = np.random.default_rng(0)
    gold, predicted = random.choice(LABELS, 40), random.choice(LABELS, 40)
    weights = resampled_weights(40, seed=1, resamples=5)
    ours = resampled_macro_f1(gold, [predicted], LABELS, weights)
    for row, score in zip(weights.astype(int), ours, strict=True):
        items = np.repeat(np.arange(40), row)
        truth = f1_score(gold[items], predicted[items], labels=LABELS, average="macro", zero_division=0)
        assert score == pytest.approx(truth)


def test_the_first_row_is_the_sample_itself_and_every_resample_has_as_many_items():
    weights = resampled_weights(17, seed=3, resamples=50)
    assert (weights[0] == 1).all()
    assert (weights.sum(axis=1) == 17).all()


def test_runs_are_averaged():
    gold = ["a", "b"]
    weights = np.ones((1, 2))
    # Right on both: 1; always "a": F1 of a is 2/3, of b 0, mean 1/3.
    scores = resampled_macro_f1(gold, [["a", "b"], ["a", "a"]], ("a", "b"), weights)
    assert scores == pytest.approx([(1 + 1 / 3) / 2])


def test_interval_by_hand():
    found = interval(np.array([0.5, *np.linspace(0, 1, 1001)]))
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.025, 0.975))


def make_predictions(runs, ids=("1", "2", "3", "4"), gold=("a", "b", "a", "b")):
    tables = [
        predictions_table("x", seed, {"id": list(ids), "label": list(gold)}, run)
        for seed, run in enumerate(runs, 1)
    ]
    return pa.concat_tables(tables)


def test_a_recipe_compared_with_itself_does_not_differ():
    table = make_predictions([["a", "b", "b", "b"], ["a", "a", "a", "b"]])
    records = list(
        compare_recipes({"base": table, "twin": table}, "base", {"base": "B", "twin": "T"}, ("a", "b"), 1)
    )
    assert [record["method"] for record in records] == ["B", "T"]
    twin = records[1]
    assert (twin["seeds"], twin["items"]) == (2, 4)
    assert {float(twin[f"difference{end}"]) for end in ("", "_low", "_high")} == {0.0}
    assert float(twin["macro_f1_low"]) < float(twin["macro_f1"]) < float(twin["macro_f1_high"])


def test_a_perfect_recipe_is_above_a_poor_one_in_every_resample():
    gold = list("ab" * 30)
    ids = [str(number) for number in range(60)]
    poor = make_predictions([["a"] * 60], ids, gold)
    right = make_predictions([gold], ids, gold)
    *_, record = compare_recipes({"p": poor, "r": right}, "p", {"p": "P", "r": "R"}, ("a", "b"), 1)
    assert float(record["difference"]) == pytest.approx(1 - 1 / 3, abs=1e-4)
    assert float(record["difference_low"]) > 0.5


def test_other_items_than_the_baselines_are_refused():
    other = make_predictions([["a", "b", "a", "b"]], ids=("1", "2", "3", "9"))
    base = make_predictions([["a", "b", "a", "b"]])
    with pytest.raises(InputError, match="not the test items"):
        list(compare_recipes({"b": base, "o": other}, "b", {"b": "B", "o": "O"}, ("a", "b"), 1))
