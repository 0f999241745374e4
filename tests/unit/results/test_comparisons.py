"""Recipes compared on the same items: differences are paired, different items are refused."""

import pyarrow as pa
import pytest

from xstitch.core.errors import InputError
from xstitch.results.comparisons import compare_recipes
from xstitch.results.scores import predictions_table

LABELS = ("a", "b", "c")


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


def test_items_that_differ_from_the_baselines_are_refused():
    other = make_predictions([["a", "b", "a", "b"]], ids=("1", "2", "3", "9"))
    base = make_predictions([["a", "b", "a", "b"]])
    with pytest.raises(InputError, match="not the same test items"):
        list(compare_recipes({"b": base, "o": other}, "b", {"b": "B", "o": "O"}, ("a", "b"), 1))
