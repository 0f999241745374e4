"""Verdicts on claims by hand: every kind of predicate, ties, absent numbers, intervals, many differences."""

from dataclasses import replace

import numpy as np
import pytest

from xstitch.core.tsv import write_records
from xstitch.results.claims.numbers import Described, Languages, Numbers, published_numbers
from xstitch.results.claims.records import (
    Claim,
    claim_record,
    judged_by_published,
    judged_by_run,
    listed_verdicts,
)
from xstitch.results.ranges import UNIT
from xstitch.results.resampled_tables import Known

LANGUAGES = Languages("en", {"low": ["fo", "tt"], "nowhere": []})


def exact(**rows):
    """A table of published numbers: by row, the numbers of de, fo and tt, as far as there are any."""
    return {
        (row.replace("_", " "), column): Known(np.array([float(value)]))
        for row, values in rows.items()
        for column, value in zip(("de", "fo", "tt"), values, strict=False)
    }


def varying(value, deviation, covers=("items",), chains=1):
    """A number whose resamples are, by turns, above and below it by the deviation."""
    turns = np.tile([deviation, -deviation], 1000)
    return Known(np.concatenate([[value], value + turns]), frozenset(covers), frozenset([1]), chains)


def steady(value, covers=("items",), chains=1):
    """A number that is the same in all resamples."""
    return Known(np.full(2001, float(value)), frozenset(covers), frozenset([1]), chains)


def numbers(cells, source="Table 1", more=None, **described):
    sources = {source: cells, **(more or {})}
    about = Described(decimals=2, **described)
    return Numbers(sources, dict.fromkeys([*sources, "Table 9", "Figure 9"], about), LANGUAGES)


def claim(*predicates):
    entry = {"says": "It is so.", "place": "section 1", "predicates": list(predicates)}
    return Claim.from_config("so", entry)


def published(cells, *predicates, **more):
    return judged_by_published(claim(*predicates), numbers(cells, **more)).verdict


def run(cells, *predicates, **more):
    return judged_by_run(claim(*predicates), numbers(cells, **more)).verdict


def beats(rows=("A",), over=("B",), **more):
    return {"kind": "beats", "table": "1", "rows": list(rows), "over": list(over), **more}


BETTER = exact(A=(0.5, 0.4, 0.3), B=(0.4, 0.3, 0.2))
TIE = exact(A=(0.5, 0.4, 0.3), B=(0.4, 0.4, 0.2))
WORSE_IN_ONE = exact(A=(0.5, 0.2, 0.3), B=(0.4, 0.3, 0.2))


@pytest.mark.parametrize(
    ("cells", "keys", "verdict"),
    [
        (BETTER, {}, "supported"),
        (TIE, {}, "not supported"),
        (WORSE_IN_ONE, {}, "not supported"),
        (WORSE_IN_ONE, {"but": 1}, "supported"),
        (WORSE_IN_ONE, {"share": 0.6}, "supported"),  # two of three are .67
        (WORSE_IN_ONE, {"share": 0.7}, "not supported"),
        (WORSE_IN_ONE, {"least": 2}, "supported"),
        (WORSE_IN_ONE, {"least": 3}, "not supported"),
        (BETTER, {"least": 9}, "supported"),  # in all that there are
        (WORSE_IN_ONE, {"mean": True}, "supported"),  # 1.0 and .9 in sum
        (WORSE_IN_ONE, {"columns": ["de", "tt"]}, "supported"),
        (WORSE_IN_ONE, {"columns": ["{low}"]}, "not supported"),
        (exact(A=(0.5, 0.1, 0.3), B=(0.4, 0.3, 0.2)), {"mean": True}, "not supported"),  # .9 and .9
        (BETTER, {"by": 0.1}, "supported"),  # .4 - .3 is below .1 in floats
        (BETTER, {"by": 0.11}, "not supported"),
        (BETTER, {"times": 1.25}, "supported"),  # .5 is 1.25 times .4, .4 is 1.33 times .3
        (BETTER, {"times": 1.26}, "not supported"),
        (exact(A=(0.5,), B=(0.4, 0.3)), {"columns": ["de", "fo"]}, "cannot be told"),
        (exact(A=(0.3,), B=(0.4, 0.3)), {"columns": ["de", "fo"]}, "not supported"),  # whatever fo is
        (exact(A=(0.5,), B=(0.4, 0.3)), {}, "supported"),  # in the columns that both have
        (BETTER, {"columns": ["{nowhere}"]}, "cannot be told"),
        (BETTER, {"table": "9"}, "cannot be told"),
        # It must hold somewhere, even if there are no more columns than exceptions.
        (exact(A=(0.3,), B=(0.4,)), {"but": 1}, "not supported"),
    ],
)
def test_published_numbers_compared(cells, keys, verdict):
    assert published(cells, beats(**keys)) == verdict


def test_enough_of_several_rows_in_every_column():
    cells = exact(A=(0.5, 0.2, 0.3), C=(0.3, 0.4, 0.3), B=(0.4, 0.3, 0.2))
    assert published(cells, beats(["A", "C"], enough=1)) == "supported"
    assert published(cells, beats(["A", "C"], enough=2)) == "not supported"
    assert published(cells, beats(["A", "C"])) == "not supported"


def test_every_other_row_is_compared_with():
    cells = exact(A=(0.5,), B=(0.4,), C=(0.6,))
    assert published(cells, beats(over=["B"])) == "supported"
    assert published(cells, beats(over=["B", "C"])) == "not supported"


def test_all_predicates_of_a_claim_must_hold():
    cells = exact(A=(0.5,), B=(0.4,))
    assert published(cells, beats(), beats(by=0.05)) == "supported"
    assert published(cells, beats(), beats(by=0.2)) == "not supported"
    assert published(cells, beats(table="9"), beats(by=0.2)) == "not supported"
    assert published(cells, beats(table="9"), beats()) == "cannot be told"


def test_the_lowest_error_is_the_best():
    cells = {
        ("A", "MAE de"): Known(np.array([0.7])),
        ("B", "MAE de"): Known(np.array([0.8])),
        ("A", "F1 de"): Known(np.array([0.7])),
        ("B", "F1 de"): Known(np.array([0.6])),
    }
    assert published(cells, beats(), lowest=["MAE"]) == "supported"
    assert published(cells, beats()) == "not supported"
    near = {**beats(), "kind": "reaches", "columns": ["MAE de"], "within": 0.05}
    assert published(cells, {**near, "rows": ["B"], "over": ["A"]}, lowest=["MAE"]) == "not supported"
    assert published(cells, {**near, "rows": ["B"], "over": ["A"]}) == "supported"


@pytest.mark.parametrize(
    ("kind", "within", "verdict"),
    [
        ("reaches", 0.0, "not supported"),  # fo: .38 against .40
        ("reaches", 0.02, "supported"),
        ("reaches", 0.01, "not supported"),
        ("near", 0.02, "not supported"),  # de: .50 against .40
        ("near", 0.1, "supported"),
    ],
)
def test_reached_and_near(kind, within, verdict):
    cells = exact(A=(0.5, 0.38), B=(0.4, 0.4))
    assert published(cells, {**beats(), "kind": kind, "within": within}) == verdict


def test_a_tie_is_reached():
    assert published(TIE, {**beats(), "kind": "reaches", "within": 0.0}) == "supported"


def test_an_order_holds_from_each_row_to_the_next():
    order = {"kind": "order", "table": "1", "rows": ["A", "B", "C"]}
    assert published(exact(A=(3, 3), B=(2, 2), C=(1, 1)), order) == "supported"
    swapped = exact(A=(3, 3), B=(1, 2), C=(2, 1))
    assert published(swapped, order) == "not supported"
    assert published(swapped, {**order, "but": 1}) == "supported"
    assert published(exact(A=(3, 3), B=(1, 3), C=(2, 0)), {**order, "mean": True}) == "supported"  # 3, 2, 1
    assert published(exact(A=(3,), B=(2,), C=(2,)), order) == "not supported"


def test_the_best_and_the_worst_row():
    cells = exact(A=(3,), B=(2,), C=(1,))
    extreme = {"kind": "extreme", "table": "1", "of": ["B", "C"]}
    assert published(cells, {**extreme, "row": "A", "end": "best"}) == "supported"
    assert published(cells, {**extreme, "row": "A", "end": "worst"}) == "not supported"
    extreme["of"] = ["A", "C"]
    assert published(cells, {**extreme, "row": "B", "end": "best"}) == "not supported"
    assert published(cells, {**extreme, "row": "B", "end": "worst"}) == "not supported"
    extreme["of"] = ["A", "B"]
    assert published(cells, {**extreme, "row": "C", "end": "worst"}) == "supported"
    assert published(exact(A=(3,), B=(3,)), {**extreme, "row": "A", "of": ["B"], "end": "best"}) == (
        "not supported"
    )


def test_numbers_above_and_below_another():
    cells = exact(A=(5, -3))
    beyond = {"kind": "beyond", "table": "1", "rows": ["A"]}
    assert published(cells, {**beyond, "side": "above", "value": -4.0}) == "supported"
    assert published(cells, {**beyond, "side": "above", "value": 0.0}) == "not supported"
    assert published(cells, {**beyond, "side": "below", "value": 6.0}) == "supported"
    assert published(cells, {**beyond, "side": "below", "value": 5.0}) == "not supported"


def test_what_is_gained_most_somewhere():
    cells = exact(A=(9, 5, 3), B=(5, 3, 2))  # 4, 2 and 1 gained
    most = {"kind": "most-in", "table": "1", "row": "A", "over": "B"}
    assert published(cells, {**most, "column": "de"}) == "supported"
    assert published(cells, {**most, "column": "fo"}) == "not supported"
    assert published(cells, {**most, "column": "fo", "columns": ["tt"]}) == "supported"
    assert published(exact(A=(9, 5), B=(5,)), {**most, "column": "de", "columns": ["fo"]}) == "cannot be told"


def test_a_correlation_has_a_sign():
    cells = {("zero-shot", "MARC r feature shift"): varying(-0.6, 0.1)}
    correlates = {"kind": "correlates", "figure": "1", "row": "zero-shot", "shift": "feature"}
    assert run(cells, {**correlates, "sign": "negative"}, source="Figure 1") == "holds"
    assert run(cells, {**correlates, "sign": "positive"}, source="Figure 1") == "fails"
    assert run(cells, {**correlates, "sign": "negative", "fixed": True}, source="Figure 1") == "not run"
    cells = {("zero-shot", "MARC r prior shift, feature shift fixed"): varying(-0.15, 0.1)}
    prior = {**correlates, "shift": "prior", "fixed": True, "sign": "negative"}
    assert run(cells, prior, source="Figure 1") == "open"


def test_rows_of_another_table():
    more = {"Table 2": exact(A=(0.3, 0.5))}
    other = beats(over=["A"], over_table="2", columns=["de"])
    assert published(exact(A=(0.4, 0.4)), other, more=more) == "supported"
    assert published(exact(A=(0.4, 0.4)), {**other, "columns": ["*"]}, more=more) == "not supported"
    assert published(exact(A=(0.4, 0.4)), other, more={"Table 2": {}}) == "cannot be told"
    alone = judged_by_published(claim(other), numbers(exact(A=(0.4, 0.4))))
    assert (alone.verdict, alone.numbers) == ("cannot be told", "absent: Table 2")


def test_patterns_leave_averages_and_the_source_out():
    cells = {
        (row, column): Known(np.array([value]))
        for row, values in {"A": (1, 5, 5, 1), "B": (2, 4, 4, 2)}.items()
        for column, value in zip(("F1 en", "F1 de", "F1 fo", "F1 all"), values, strict=True)
    }
    asked = numbers(cells, averages=["all"])
    columns = {
        pattern: asked.columns("Table 1", [pattern], ["A", "B"])
        for pattern in ("F1 *", "F1 {targets}", "F1 {source}", "F1 {low}", "F1 all", "EM *")
    }
    assert columns == {
        "F1 *": ["F1 en", "F1 de", "F1 fo"],
        "F1 {targets}": ["F1 de", "F1 fo"],
        "F1 {source}": ["F1 en"],
        "F1 {low}": ["F1 fo"],
        "F1 all": ["F1 all"],
        "EM *": [],
    }


def test_targets_may_begin_like_the_source():
    cells = {("A", column): Known(np.zeros(1)) for column in ("en", "enx", "de")}
    assert numbers(cells).columns("Table 1", ["{targets}"], ["A"]) == ["enx", "de"]


# A difference of two deviations has the p-value .0455, one of 1.9 .0574, one of three .0027.
@pytest.mark.parametrize(
    ("differences", "verdict"),
    [
        ([2.0], "holds"),
        ([1.9], "open"),
        ([-1.9], "open"),
        ([-2.0], "fails"),
        ([0.0], "open"),
        ([2.0, 2.0], "open"),  # times two: .091
        ([3.0, 2.0], "holds"),  # .0054, and the larger is not multiplied
        ([-2.0, 2.0], "open"),
        ([-3.0, 2.0], "fails"),
        ([-3.0, 0.1], "fails"),
        ([3.0, 0.1], "open"),
    ],
)
def test_a_run_shows_what_holms_correction_leaves(differences, verdict):
    columns = ("de", "fo", "tt")
    cells = {("A", column): varying(value, 1.0) for column, value in zip(columns, differences, strict=False)}
    cells |= {("B", column): steady(0.0) for column in columns[: len(differences)]}
    assert run(cells, beats()) == verdict


def test_exceptions_leave_open_what_may_be_one():
    cells = {("A", column): varying(value, 1.0) for column, value in (("de", 5), ("fo", 5), ("tt", -5))}
    cells |= {("B", column): steady(0.0) for column in ("de", "fo", "tt")}
    assert run(cells, beats()) == "fails"
    assert run(cells, beats(but=1)) == "holds"
    assert run({**cells, ("A", "fo"): varying(0.5, 1.0)}, beats(but=1)) == "open"
    assert run({**cells, ("A", "fo"): varying(-5, 1.0)}, beats(but=1)) == "fails"


def test_paired_numbers_are_compared_resample_by_resample():
    cells = {("A", "de"): varying(0.5, 0.3), ("B", "de"): varying(0.4, 0.3)}
    assert run(cells, beats()) == "holds"  # both vary, their difference does not
    turned = Known(np.concatenate([[0.4], 0.8 - varying(0.4, 0.3).resamples[1:]]), frozenset(["items"]))
    assert run({**cells, ("B", "de"): turned}, beats()) == "open"


# The middle half of the resamples is 2 wide, that of Student's t with two degrees of freedom 1.633: one unit
# of it is 1.2247. Of this, 4 is 3.27, with the p-value .082, and 6 is 4.90, with .039.
@pytest.mark.parametrize(("chains", "value", "verdict"), [(1, 4, "holds"), (3, 4, "open"), (3, 6, "holds")])
def test_few_chains_show_less(chains, value, verdict):
    cells = {("A", "de"): varying(value, 1.0, chains=chains), ("B", "de"): steady(0.0, chains=chains)}
    assert run(cells, beats()) == verdict
    assert run(cells, beats(mean=True)) == verdict
    above = {"kind": "beyond", "table": "1", "rows": ["A"], "side": "above", "value": 0.0}
    assert run(cells, above) == verdict
    gained = {**cells, ("A", "fo"): steady(0.0, chains=chains), ("B", "fo"): steady(0.0, chains=chains)}
    most = {"kind": "most-in", "table": "1", "row": "A", "over": "B", "column": "de"}
    assert run(gained, most) == verdict


def test_not_worse_must_be_shown():
    cells = {("A", "de"): varying(0.0, 1.0), ("B", "de"): steady(1.0)}
    reaches = {**beats(), "kind": "reaches"}
    assert run(cells, {**reaches, "within": 2.0}) == "open"  # 1 above what it must reach
    assert run(cells, {**reaches, "within": 3.5}) == "holds"
    assert run(cells, {**reaches, "within": 0.0}) == "open"
    assert run({**cells, ("A", "de"): varying(-2.0, 1.0)}, {**reaches, "within": 0.5}) == "fails"


def test_nothing_is_shown_where_nothing_was_repeated():
    cells = {("A", "de"): steady(5.0, covers=()), ("B", "de"): steady(0.0, covers=())}
    assert run(cells, beats()) == "open"
    seeds = {("A", "de"): steady(5.0, covers=("seeds",)), ("B", "de"): steady(0.0, covers=("seeds",))}
    assert run(seeds, beats()) == "holds"
    # How far seeds of B are apart tells nothing about those of A, which has one.
    assert run({**cells, ("B", "de"): seeds["B", "de"]}, beats()) == "open"
    assert run({**seeds, ("A", "de"): steady(5.0, covers=("items",))}, beats()) == "open"
    assert (
        run({key: steady(cell.resamples[0], covers=("items",)) for key, cell in cells.items()}, beats())
        == "holds"
    )
    assert run(cells, beats(), exact=True) == "holds"  # a count
    assert run(cells, beats(["B"], ["A"]), exact=True) == "fails"
    assert published(exact(A=(300,), B=(15,)), beats(times=10.0), exact=True) == "supported"


def test_a_tie_that_never_varies_holds_where_ties_will_do():
    cells = {("A", "de"): steady(5.0), ("B", "de"): steady(5.0)}
    assert run(cells, beats(by=0.0)) == "open"  # not above
    tied = {("A", "de"): steady(6.0), ("B", "de"): steady(5.0)}
    assert run(tied, beats(by=1.0)) == "holds"


def test_what_was_not_run_is_named():
    cells = {("A", "de"): varying(5.0, 1.0), ("B", "de"): steady(0.0)}
    judged = judged_by_run(claim(beats(["C"], columns=["de"])), numbers(cells))
    assert (judged.verdict, judged.numbers) == ("not run", "absent: Table 1, C, de")
    judged = judged_by_run(claim(beats(columns=["{low}"])), numbers(cells))
    assert judged.numbers == "absent: Table 1: no column {low} that has all rows"
    absent = Numbers({}, {"Table 1": Described()}, LANGUAGES, {"Table 1": "no task x"})
    assert judged_by_run(claim(beats()), absent).numbers == "absent: Table 1 (no task x)"
    # A part that fails decides, whatever was not run; a part that holds does not.
    other = beats(table="9")
    assert run(cells, beats(["B"], ["A"]), other) == "fails"
    assert run(cells, beats(), other) == "not run"


def test_the_numbers_behind_a_verdict_are_shown_as_in_the_table():
    cells = {("A", "de"): varying(0.5, 0.1), ("B", "de"): steady(0.4), ("A", "fo"): varying(0.2, 0.1)}
    cells[("B", "fo")] = steady(0.4)
    judged = judged_by_run(claim(beats(by=0.05)), numbers(cells, lowest=["fo"]))
    assert judged.numbers == "Table 1, A - B: de +0.10 [0.00 to 0.20], fo -0.20 [-0.30 to -0.10]"


def test_of_many_numbers_those_that_decide_are_shown():
    columns = [f"c{number}" for number in range(10)]
    cells = {("A", column): Known(np.array([float(number)])) for number, column in enumerate(columns)}
    cells |= {("B", column): Known(np.array([1.0])) for column in columns}
    by_all = judged_by_published(claim(beats()), numbers(cells)).numbers
    assert by_all.startswith("8 of 10 as claimed; least so: Table 1, A - B: c0 -1.00, c1 +0.00, c2 +1.00,")
    cells |= {("B", column): Known(np.array([7.5])) for column in columns}
    by_few = judged_by_published(claim(beats(least=1)), numbers(cells)).numbers
    assert by_few.startswith("2 of 10 as claimed; most so: Table 1, A - B: c9 +1.50, c8 +0.50, c7 -0.50,")


def test_published_numbers_are_those_of_the_reference(tmp_path):
    reference = tmp_path / "p.tsv"
    reference.write_text("table\trow\tcolumn\tmetric\tvalue\tspread\tnote\n1\tA\tde\tf1\t0.5\t\t\n")
    described = {"Table 1": Described(), "Table 2": Described(), "Figure 1": Described()}
    found = published_numbers(reference, described, LANGUAGES)
    assert found.known("Table 1", "A", "de").resamples.tolist() == [0.5]
    assert found.known("Table 2", "A", "de") == "Table 2 (no numbers are published)"
    assert found.known("Figure 1", "A", "de") == "Figure 1 (no numbers are published)"


def test_a_record_has_both_verdicts_and_the_scale():
    cells = {("A", "de"): varying(0.5, 0.01), ("B", "de"): steady(0.4)}
    judged = claim(beats())
    by_paper = judged_by_published(judged, numbers(exact(A=(0.3,), B=(0.4,))))
    record = claim_record("paper", judged, by_paper, judged_by_run(judged, numbers(cells)), "mini")
    assert record == {
        "paper": "paper",
        "claim": "so",
        "says": "It is so.",
        "place": "section 1",
        "published": "not supported",
        "published_numbers": "Table 1, A - B: de -0.10",
        "verdict": "holds",
        "numbers": "Table 1, A - B: de +0.10 [0.09 to 0.11]",
        "scale": "mini",
    }


def test_claims_are_listed_for_a_terminal(tmp_path):
    records = [
        {"claim": "a", "says": "A is best.", "published": "not supported", "verdict": "open"},
        {"claim": "b", "says": "B is worst.", "published": "supported", "verdict": "not run"},
    ]
    write_records(records, tmp_path / "claims.tsv")
    assert listed_verdicts(tmp_path / "claims.tsv").splitlines() == [
        "this run  published      claim",
        "open      not supported  A is best.",
        "not run   supported      B is worst.",
    ]


def within(known, unit=UNIT):
    return replace(known, within=unit)


def test_intervals_end_within_the_range_of_their_numbers():
    cells = {("A", "de"): within(varying(0.5, 0.8)), ("B", "de"): within(steady(0.0))}
    beyond = {"kind": "beyond", "table": "1", "rows": ["A"], "columns": ["de"], "value": 0.1, "side": "above"}
    # 1 / (1 + exp(.8 / .25)) is .039; a difference is cut off at 1.
    assert "+0.50 [0.04 to 0.96]" in judged_by_run(claim(beyond), numbers(cells)).numbers
    assert "+0.50 [-0.30 to 1.00]" in judged_by_run(claim(beats()), numbers(cells)).numbers
    # The mean of two columns has the range that both have.
    cells |= {("A", "fo"): within(varying(0.5, 0.8))}
    mean = {**beyond, "columns": ["de", "fo"], "mean": True}
    assert "[0.04 to 0.96]" in judged_by_run(claim(mean), numbers(cells)).numbers
    cells |= {("A", "fo"): varying(0.5, 0.8)}
    assert "[-0.30 to 1.30]" in judged_by_run(claim(mean), numbers(cells)).numbers
