"""Recipes compared on the same items: differences are paired, different items are refused."""

import pyarrow as pa
import pytest

from xstitch.core.errors import InputError
from xstitch.results.columns import MEAN
from xstitch.results.comparisons import compare_recipes
from xstitch.results.scores import predictions_table

LABELS = ("a", "b", "c")


def make_predictions(runs, ids=("1", "2", "3", "4"), gold=("a", "b", "a", "b")):
    tables = [
        predictions_table("x", seed, {"id": list(ids), "label": list(gold)}, run)
        for seed, run in enumerate(runs, 1)
    ]
    return pa.concat_tables(tables)


def in_one_chain(**tables):
    return {recipe: {"1": table} for recipe, table in tables.items()}


def test_a_recipe_compared_with_itself_does_not_differ():
    table = make_predictions([["a", "b", "b", "b"], ["a", "a", "a", "b"]])
    records = list(
        compare_recipes(
            in_one_chain(base=table, twin=table), "base", {"base": "B", "twin": "T"}, ("a", "b"), 1
        )
    )
    assert [record["method"] for record in records] == ["B", "T"]
    twin = records[1]
    assert (twin["seeds"], twin["items"]) == (2, 4)
    assert {float(twin[f"difference{end}"]) for end in ("", "_low", "_high")} == {0.0}
    assert float(twin["macro_f1_low"]) < float(twin["macro_f1"]) < float(twin["macro_f1_high"])
    assert (twin["chains"], twin["p_holm"], twin["shown"]) == (1, "1.0000", "no difference shown")
    assert (records[0]["p_holm"], records[0]["shown"]) == ("", "")  # the baseline is not tested


def test_a_perfect_recipe_is_above_a_poor_one_in_every_resample():
    gold = list("ab" * 30)
    ids = [str(number) for number in range(60)]
    poor = make_predictions([["a"] * 60], ids, gold)
    right = make_predictions([gold], ids, gold)
    *_, record = compare_recipes(in_one_chain(p=poor, r=right), "p", {"p": "P", "r": "R"}, ("a", "b"), 1)
    assert float(record["difference"]) == pytest.approx(1 - 1 / 3, abs=1e-4)
    assert float(record["difference_low"]) > 0.5
    assert record["shown"] == "above"


def test_the_more_recipes_are_compared_the_larger_a_difference_must_be():
    gold, ids = list("ab" * 30), [str(number) for number in range(60)]
    base = make_predictions([["a"] * 20 + gold[20:]], ids, gold)
    other = make_predictions([["a"] * 12 + gold[12:]], ids, gold)  # right on four more of sixty
    alone = compare_recipes(in_one_chain(b=base, o=other), "b", {"b": "B", "o": "O"}, ("a", "b"), 1)
    many = in_one_chain(b=base, **{f"o{number}": other for number in range(9)})
    among = compare_recipes(many, "b", {name: name for name in many}, ("a", "b"), 1)
    assert alone[1]["shown"] == "above"
    assert {record["shown"] for record in among[1:]} == {"no difference shown"}
    # All nine have the same p-value; the first to be adjusted is multiplied by nine.
    assert float(among[1]["p_holm"]) == pytest.approx(9 * float(alone[1]["p_holm"]), abs=1e-3)
    assert among[1]["difference_low"] == alone[1]["difference_low"]


def test_seeds_widen_the_interval_of_a_difference():
    gold, ids = list("ab" * 30), [str(number) for number in range(60)]
    base = make_predictions([["a"] * 60, ["a"] * 60], ids, gold)
    half = make_predictions([["a"] * 60, gold], ids, gold)  # one seed learns nothing, the other all
    *_, record = compare_recipes(in_one_chain(b=base, h=half), "b", {"b": "B", "h": "H"}, ("a", "b"), 1)
    assert float(record["difference"]) == pytest.approx(1 / 3, abs=1e-4)
    # Differences of 0 and 2/3: a standard error of 1/3 and 12.706 of them to either side, cut at the bounds.
    assert (record["difference_low"], record["difference_high"]) == ("-1.0000", "1.0000")
    assert float(record["p_holm"]) == pytest.approx(0.5, abs=0.02)  # of t = 1 with one degree of freedom
    assert record["shown"] == "no difference shown"


def test_items_that_differ_from_the_baselines_are_refused():
    other = make_predictions([["a", "b", "a", "b"]], ids=("1", "2", "3", "9"))
    base = make_predictions([["a", "b", "a", "b"]])
    with pytest.raises(InputError, match="not the same test items"):
        list(compare_recipes(in_one_chain(b=base, o=other), "b", {"b": "B", "o": "O"}, ("a", "b"), 1))


def test_chains_have_items_of_their_own_and_count_the_same():
    """The second chain has other items, with other labels under the same ids; a method is right on all."""
    ids = [str(number) for number in range(60)]
    golds = {"1": list("ab" * 30), "2": list("ba" * 30), "3": list("aab" * 20)}
    right = {chain: make_predictions([gold], ids, gold) for chain, gold in golds.items()}
    poor = {chain: make_predictions([["a"] * 60], ids, gold) for chain, gold in golds.items()}
    base, record = compare_recipes({"p": poor, "r": right}, "p", {"p": "P", "r": "R"}, ("a", "b"), 1)
    assert (record["chains"], record["seeds"], record["items"]) == (3, 1, 180)
    assert float(record["macro_f1"]) == 1
    # Always a: F1 of a is 2/3 if half of the items are, 4/5 if two thirds are; that of b is 0.
    assert float(base["macro_f1"]) == pytest.approx((1 / 3 + 1 / 3 + 2 / 5) / 3, abs=1e-4)
    assert record["shown"] == "above"


def test_a_difference_of_one_chain_in_three_is_not_shown():
    gold, ids = list("ab" * 30), [str(number) for number in range(60)]
    base = make_predictions([["a"] * 60], ids, gold)
    learnt = make_predictions([gold], ids, gold)
    tables = {"b": dict.fromkeys("123", base), "o": {"1": learnt, "2": base, "3": base}}
    *_, record = compare_recipes(tables, "b", {"b": "B", "o": "O"}, ("a", "b"), 1)
    assert float(record["difference"]) == pytest.approx(2 / 9, abs=1e-4)
    assert float(record["difference_low"]) < 0
    assert record["shown"] == "no difference shown"


def in_languages(**runs):
    """The predictions of one run in several languages, which all have the same four items."""
    texts = {"id": ["1", "2", "3", "4"], "label": ["a", "b", "a", "b"]}
    return pa.concat_tables(predictions_table(target, 1, texts, run) for target, run in runs.items())


def compared_in_languages(**recipes):
    names = {recipe: recipe for recipe in recipes}
    records = compare_recipes(in_one_chain(**recipes), "base", names, ("a", "b"), 1)
    return {(record["method"], record["target"]): record for record in records}


def numbers(record, name):
    return [float(record[f"{name}{end}"]) for end in ("", "_low", "_high")]


def test_the_mean_over_languages_is_a_target_of_its_own():
    # Always a: 2/3 for a, 0 for b. One b taken for an a: 4/5 for a, 2/3 for b.
    always, nearly, right = ["a"] * 4, ["a", "b", "a", "a"], ["a", "b", "a", "b"]
    found = compared_in_languages(
        base=in_languages(x=always, y=nearly), other=in_languages(x=nearly, y=right)
    )
    assert [*found] == [(name, target) for target in ("x", "y", MEAN) for name in ("base", "other")]
    base, other = found["base", MEAN], found["other", MEAN]
    assert float(base["macro_f1"]) == pytest.approx((1 / 3 + 11 / 15) / 2, abs=1e-4)
    assert float(other["macro_f1"]) == pytest.approx((11 / 15 + 1) / 2, abs=1e-4)
    assert float(other["difference"]) == pytest.approx((2 / 5 + 4 / 15) / 2, abs=1e-4)
    assert (other["chains"], other["seeds"], other["items"]) == (1, 1, 8)
    assert (base["p_holm"], base["shown"]) == ("", "")


def test_a_mean_is_tested_with_all_other_differences():
    gold = list("ab" * 30)
    texts = {"id": [str(number) for number in range(60)], "label": gold}
    poor, better = ["a"] * 20 + gold[20:], ["a"] * 12 + gold[12:]

    def compared(targets):
        tables = {
            name: pa.concat_tables(predictions_table(target, 1, texts, run) for target in targets)
            for name, run in (("base", poor), ("other", better))
        }
        return compared_in_languages(**tables)

    alone, three = float(compared("x")["other", "x"]["p_holm"]), compared("xy")
    # Three equal p-values: those of two languages and of their mean.
    for target in ("x", "y", MEAN):
        assert float(three["other", target]["p_holm"]) == pytest.approx(3 * alone, abs=2e-4)


def test_resamples_are_paired_across_languages():
    """Languages with the same answers vary together: their mean varies as each of them does."""
    first, second = ["a", "b", "b", "b"], ["a", "a", "a", "b"]
    found = compared_in_languages(base=in_languages(x=first, y=first), other=in_languages(x=second, y=second))
    for name in ("macro_f1", "difference"):
        one, mean = (numbers(found["other", target], name) for target in ("x", MEAN))
        assert mean == one and one[1] < one[0] < one[2]


def test_a_recipe_that_lacks_a_language_has_no_mean():
    run = ["a", "b", "b", "b"]
    found = compared_in_languages(base=in_languages(x=run, y=run), other=in_languages(y=run))
    assert [*found] == [("base", "x"), ("base", "y"), ("other", "y"), ("base", MEAN)]


SIZES = {"x": 4, "y": 6, "z": 10}  # items of three languages, every second of which is an a


def gold_of(target):
    return list("ab" * (SIZES[target] // 2))


def in_unequal_languages(seeds=(1,), **runs):
    """The predictions of some runs in languages of different sizes, the same for every seed."""
    return pa.concat_tables(
        predictions_table(target, seed, {"id": [*map(str, range(len(run)))], "label": gold_of(target)}, run)
        for target, run in runs.items()
        for seed in seeds
    )


ALWAYS = {target: ["a"] * size for target, size in SIZES.items()}
RIGHT = {target: gold_of(target) for target in SIZES}


def test_languages_count_the_same_whatever_their_size():
    # One b of five taken for an a: 10/11 for a, 8/9 for b.
    other = {"x": RIGHT["x"], "y": ALWAYS["y"], "z": [*RIGHT["z"][:-1], "a"]}
    found = compared_in_languages(base=in_unequal_languages(**ALWAYS), other=in_unequal_languages(**other))
    mean = found["other", MEAN]
    assert float(mean["macro_f1"]) == pytest.approx((1 + 1 / 3 + (10 / 11 + 8 / 9) / 2) / 3, abs=1e-4)
    assert float(found["base", MEAN]["macro_f1"]) == pytest.approx(1 / 3, abs=1e-4)
    assert mean["items"] == 4 + 6 + 10


@pytest.mark.parametrize("missing", SIZES)
def test_a_recipe_that_lacks_any_of_three_languages_has_no_mean(missing):
    some = {target: run for target, run in RIGHT.items() if target != missing}
    found = compared_in_languages(
        base=in_unequal_languages(**ALWAYS),
        some=in_unequal_languages(**some),
        all=in_unequal_languages(**RIGHT),
    )
    assert {method for method, target in found if target == MEAN} == {"base", "all"}
    assert {target for method, target in found if method == "some"} == {*some}


def test_a_mean_is_of_as_many_chains_and_seeds_as_the_language_that_has_fewest():
    """Three chains and two seeds in x, one chain and three seeds in y, two chains and one seed in z."""
    base = dict.fromkeys("123", in_unequal_languages(**ALWAYS))
    x, y, z = (
        in_unequal_languages(seeds, **{target: RIGHT[target]})
        for target, seeds in (("x", (1, 2)), ("y", (1, 2, 3)), ("z", (1,)))
    )
    other = {"1": pa.concat_tables([x, y, z]), "2": pa.concat_tables([x, z]), "3": x}
    records = compare_recipes({"b": base, "o": other}, "b", {"b": "B", "o": "O"}, ("a", "b"), 1)
    counted = {
        record["target"]: (record["chains"], record["seeds"], record["items"])
        for record in records
        if record["method"] == "O"
    }
    assert counted == {"x": (3, 2, 12), "y": (1, 3, 18), "z": (2, 1, 30), MEAN: (1, 1, 60)}


def test_one_language_has_no_mean():
    run = ["a", "b", "b", "b"]
    assert [*compared_in_languages(base=in_languages(x=run))] == [("base", "x")]


def test_tagged_sentences_are_compared_by_the_spans_of_the_same_sentences():
    """The baseline finds one of two names, the other recipe both and one that is none."""
    ids, gold = [str(number) for number in range(40)], ["B-PER O", "O B-LOC"] * 20
    base = make_predictions([["B-PER O", "O O"] * 20], ids, gold)
    other = make_predictions([["B-PER B-PER", "O B-LOC"] * 20], ids, gold)
    one, two = compare_recipes(in_one_chain(b=base, o=other), "b", {"b": "B", "o": "O"}, None, 1)
    assert (one["f1"], two["f1"]) == ("0.6667", "0.8000")
    assert two["difference"] == "0.1333"
    # If a share q of the sentences drawn is of the first kind, 2 q / (1 + q) and 2 / (2 + q) are compared.
    assert float(two["difference_low"]) < 0.1333 < float(two["difference_high"])
    assert "macro_f1" not in one


def test_the_source_language_is_not_compared_and_not_in_the_mean():
    """One recipe has no predictions in the source language, as stitched models have none."""

    def predictions(targets, answers):
        rows = {"id": ["1", "2"], "label": ["a", "b"]}
        return pa.concat_tables([predictions_table(target, 1, rows, answers) for target in targets])

    tables = in_one_chain(
        b=predictions(["en", "de", "es"], ["a", "a"]), o=predictions(["de", "es"], ["a", "b"])
    )
    records = compare_recipes(tables, "b", {"b": "B", "o": "O"}, ("a", "b"), 1, "en")
    assert [(record["target"], record["method"]) for record in records] == [
        (target, method) for target in ("de", "es", MEAN) for method in ("B", "O")
    ]
    assert records[-1]["macro_f1"] == "1.0000"
