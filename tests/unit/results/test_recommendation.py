"""Choices beside the truth, and what is expected where nobody knows it, by hand-made records."""

import math

import pytest

from xstitch.core.errors import InputError
from xstitch.core.tsv import write_records
from xstitch.results.recommendation import (
    SIGNALS,
    chosen,
    expect,
    judge,
    judged_records,
    rank_correlation,
    read_known,
)
from xstitch.results.scores import Score


def candidate(recipe, information, taken=""):
    return {
        "recipe": recipe,
        **dict.fromkeys(SIGNALS, "0.5"),
        "information": str(information),
        "chosen": taken,
    }


def row(language, recipe, information, truth, taken="", chain="1"):
    about = {"language": language, "scale": "mini", "chain": chain}
    return {**about, **candidate(recipe, information, taken), "macro_f1": str(truth)}


def score(recipe, tgt, value, chain="1", metric="macro_f1", seed=0):
    return Score(recipe, "t", "a", tgt, "test", metric, seed, value, 10, "mini", chain)


def test_every_candidate_gets_the_truth_of_its_language_and_chain():
    choices = [[candidate("x", 0.6, "yes"), candidate("y", 0.4)], [candidate("x", 0.3, "yes")]]
    scores = [
        *(score("x", "b", value, seed=seed) for seed, value in enumerate((0.5, 0.7))),
        score("y", "b", 0.9),
        score("x", "b", 0.1, metric="accuracy"),
        score("x", "b", 0.2, chain="2"),
        score("x", "c", 0.8),
    ]
    found = judged_records([("1", "b"), ("2", "b")], choices, scores, "mini")
    assert [(one["chain"], one["recipe"], one["macro_f1"]) for one in found] == [
        ("1", "x", "0.600000"),  # the mean of two seeds
        ("1", "y", "0.900000"),
        ("2", "x", "0.200000"),
    ]


def test_regret_is_what_the_best_candidate_scores_more():
    rows = [row("b", "x", 0.9, 0.5, "yes"), row("b", "y", 0.8, 0.7), row("b", "z", 0.1, 0.2)]
    (found,) = judge(rows)
    assert (found.chosen, found.best, found.candidates, found.median) == ("x", "y", 3, 0.5)
    assert found.regret == pytest.approx(0.2)
    assert found.correlations["information"] == pytest.approx(0.5)  # ranks 3, 2, 1 against 2, 3, 1
    assert math.isnan(found.correlations["coverage"])  # all the same
    assert (found.alone["information"], found.alone["coverage"]) == (0.5, 0.5)  # of equal ones the first


def test_the_chains_of_a_language_are_choices_of_their_own():
    rows = [row("b", "x", 0.9, 0.5, "yes"), row("b", "x", 0.9, 0.4, "yes", chain="2")]
    assert [(one.case.chain, one.value) for one in judge(rows)] == [("1", 0.5), ("2", 0.4)]


def test_rank_correlation_by_hand():
    # Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: products of what is off the mean add up to 4.5,
    # squares to 4.5 and 5.
    assert rank_correlation([0.1, 0.2, 0.2, 0.9], [1, 30, 2, 400]) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)


@pytest.mark.filterwarnings("error")
def test_a_constant_side_has_no_rank_correlation_and_no_warning_says_so():
    assert math.isnan(rank_correlation([1, 2, 3], [0.5, 0.5, 0.5]))


@pytest.mark.parametrize("marks", [("", ""), ("yes", "yes")])
def test_a_choice_has_one_chosen_candidate(marks):
    with pytest.raises(InputError, match="one chosen candidate"):
        chosen([candidate(name, 0.5, mark) for name, mark in zip("xy", marks, strict=True)])


# Three languages in three draws; the truth is information minus .1, but for one choice that is .25 below.
LINE = [
    row(
        language,
        f"r{information}",
        information,
        information - 0.1,
        "yes" if information == 0.6 else "",
        chain,
    )
    for language in "bcd"
    for chain in "123"
    for information in (0.4, 0.6)
]


def test_the_expectation_is_the_height_of_the_line_through_other_languages():
    found = expect(0.5, LINE, "e")
    assert found.value == pytest.approx(0.4)
    assert (found.low, found.high) == (pytest.approx(0.4), pytest.approx(0.4))
    assert (found.languages, found.choices) == (3, 9)


def test_the_interval_is_as_wide_as_the_line_missed_left_out_languages():
    off = [
        *LINE,
        *(
            row("f", "r", information, information - 0.3, mark)
            for information, mark in ((0.4, ""), (0.6, "yes"))
        ),
    ]
    found = expect(0.6, off, "e")
    # Twenty points .1 below the information, but for two that are .3 below: a parallel line, .12 below.
    assert found.value == pytest.approx(0.48)
    # Without f, the line is .1 below and misses its choice by .2, the largest miss of ten.
    assert (found.low, found.high) == (pytest.approx(0.28), pytest.approx(0.68))


def test_a_languages_own_truth_is_no_part_of_its_expectation():
    wrong = [row("e", "r", 0.5, 1.0, "yes"), row("e", "s", 0.4, 1.0)]
    assert expect(0.5, [*LINE, *wrong], "e") == expect(0.5, LINE, "e")


def test_too_few_languages_or_choices_give_no_expectation():
    assert expect(0.5, LINE, "b") is None  # two languages are left
    assert expect(0.5, [one for one in LINE if one["chain"] == "1"], "e") is None
    assert expect(0.5, [], "e") is None


def test_an_expectation_stays_between_nothing_and_all():
    found = expect(3.0, LINE, "e")
    assert (found.value, found.high) == (1.0, 1.0)
    assert expect(-1.0, LINE, "e").value == 0.0


def test_a_record_without_its_columns_is_refused(tmp_path):
    write_records([{"language": "b", "recipe": "x"}], tmp_path / "known.tsv")
    with pytest.raises(
        InputError, match=r"known.tsv:1: no column chain, chosen, information, macro_f1, scale"
    ):
        read_known(tmp_path / "known.tsv")
