"""Curves: points with intervals, amounts over chains, and where one method overtakes another, by hand."""

from math import exp, inf, log

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import expit

from xstitch.core.errors import InputError
from xstitch.results.curve_figure import draw_curve
from xstitch.results.curves import (
    CROSSINGS,
    Point,
    counted,
    crossing,
    crossing_records,
    curve_points,
    point_records,
)
from xstitch.results.scores import predictions_table

LABELS = ("a", "b")
IDS, GOLD = [str(number) for number in range(60)], list("ab" * 30)


def predicted(wrong, target="de", seeds=(0,), gold=GOLD):
    """Predictions with the first texts wrong, another one with every seed."""
    other = {"a": "b", "b": "a"}
    tables = []
    for seed in seeds:
        answers = [other[label] if row < wrong + seed else label for row, label in enumerate(gold)]
        tables.append(predictions_table(target, seed, {"id": IDS, "label": gold}, answers))
    return pa.concat_tables(tables)


def point(method, x, *scores, target="de"):
    return Point(method, target, x, np.array(scores), 60, 1, 1)


def test_a_point_is_the_mean_over_chains_and_draws():
    rows = [{"row": "S", "recipe": "s"}, {"row": "L", "recipe": "l", "level": True}]
    chains = {"1": predicted(6, seeds=(0, 2)), "2": predicted(12, seeds=(0, 2))}
    points = curve_points(rows, {"s": chains, "l": {"1": predicted(0)}}, {("s", "de"): 50}, LABELS, 1)
    assert [(one.method, one.x, one.items, one.chains, one.draws) for one in points] == [
        ("S", 50, 60, 2, 2),
        ("L", None, 60, 1, 1),
    ]
    # 6, 8, 12 and 14 of 60 wrong; with as many of either label, macro-F1 is the share that is right.
    assert points[0].scores[0] == pytest.approx(1 - 10 / 60)
    assert points[0].scores.shape == (2001,)


def test_chains_with_the_same_items_do_not_narrow_the_interval():
    rows = [{"row": "S", "recipe": "s"}]
    amounts = {("s", "de"): 5}

    def width(chains):
        scores = curve_points(rows, {"s": chains}, amounts, LABELS, 1)[0].scores
        return np.ptp(np.percentile(scores[1:], [2.5, 97.5]))

    one, same = {"1": predicted(20)}, {str(number): predicted(20) for number in (1, 2, 3)}
    assert width(same) == pytest.approx(width(one))
    # Other items (here with other labels) are resampled on their own, and their errors average out.
    turned = {**one, "2": predicted(20, gold=list("ba" * 30))}
    first, second = (
        curve_points(rows, {"s": {"1": table}}, amounts, LABELS, 1)[0].scores for table in turned.values()
    )
    assert not np.allclose(first, second)


def test_of_equal_amounts_the_last_row_is_kept():
    rows = [{"row": "S", "recipe": "some"}, {"row": "S", "recipe": "all"}]
    predictions = {"some": {"1": predicted(30)}, "all": {"1": predicted(0)}}
    points = curve_points(rows, predictions, {("some", "de"): 200, ("all", "de"): 200}, LABELS, 1)
    assert [(one.x, one.scores[0]) for one in points] == [(200, 1.0)]


def test_points_are_ordered_by_language():
    rows = [{"row": "S", "recipe": "s"}, {"row": "T", "recipe": "t"}]
    both = pa.concat_tables([predicted(1), predicted(1, "es")])
    amounts = {(recipe, target): 9 for recipe in "st" for target in ("de", "es")}
    points = curve_points(rows, {"s": {"1": both}, "t": {"1": both}}, amounts, LABELS, 1)
    assert [(one.target, one.method) for one in points] == [
        ("de", "S"),
        ("de", "T"),
        ("es", "S"),
        ("es", "T"),
    ]


def test_amounts_are_counted_in_every_chain_and_limited():
    amounts = [
        {"recipe": "free", "target": "de", "file": "", "most": 0},
        {"recipe": "some", "target": "de", "file": "x", "most": 100},
        {"recipe": "all", "target": "de", "file": "x", "most": None},
    ]
    found = counted(amounts, [80, 80, 121, 121], 2)
    # Limited in each chain first: (80 + 100) / 2, and (80 + 121) / 2 = 100.5, to the nearest even number.
    assert found == {("free", "de"): 0, ("some", "de"): 90, ("all", "de"): 100}
    assert counted(amounts[:1], [], 2) == {("free", "de"): 0}


@pytest.mark.parametrize(
    ("differences", "x"),
    [
        ([-1, -1, 1], exp((log(50) + log(200)) / 2)),  # halfway on a logarithmic axis: 100
        ([-3, 1, 2], exp(log(10) + 0.75 * log(5))),
        ([1, -1, 1], 100.0),  # ahead for good only after the last time it is behind
        ([1, 1, 1], 10.0),  # already at the first amount
        ([0, 0, 0], 10.0),
        ([1, 1, -1], inf),
        ([-1, 0, 1], 50.0),
    ],
)
def test_crossings_by_hand(differences, x):
    assert crossing([10, 50, 200], differences) == pytest.approx(x)


def test_a_crossing_has_the_interval_of_its_resamples():
    # In the first column (all items) A overtakes at 100; of the resamples, half do so at once, half never.
    points = [
        point("A", 0, 0.1, 0.1, 0.1),
        point("A", 50, 0.4, 0.9, 0.1),
        point("A", 200, 0.6, 0.9, 0.1),
        point("B", 50, 0.5, 0.5, 0.5),
        point("B", 200, 0.5, 0.5, 0.5),
        point("level", None, 0.5, 0.5, 0.5),
    ]
    pairs = [{"row": "A", "over": "B"}, {"row": "A", "over": "level"}]
    first, second = crossing_records(points, pairs, "labels", "mini")
    assert tuple(first) == CROSSINGS
    numbers = {key: first[key] for key in ("x", "low", "high", "from", "to", "ahead")}
    assert numbers == {"x": "100", "low": "50", "high": "inf", "from": "50", "to": "200", "ahead": "0.500"}
    assert {**first, "over": "level"} == second
    with pytest.raises(InputError, match=r"^labels: A and C have no amount in common$"):
        list(crossing_records(points, [{"row": "A", "over": "C"}], "labels", "mini"))


def test_records_say_what_is_behind_a_number():
    scores = np.array([0.5, *np.linspace(0, 1, 41)])
    level, some = point_records(
        [Point("L", "de", None, scores, 60, 3, 1), point("A", 7, *scores)], "text", "real"
    )
    assert level == {
        "curve": "text",
        "language": "de",
        "scale": "real",
        "x": "",
        "method": "L",
        "macro_f1": "0.5000",
        "low": f"{expit(-0.475 / 0.25):.4f}",  # from .025, on the logit scale
        "high": f"{expit(0.475 / 0.25):.4f}",
        "n": "60",
        "chains": "3",
        "draws": "1",
    }
    assert (some["x"], some["chains"]) == ("7", "1")


def test_a_figure_has_a_panel_for_each_language_and_a_line_for_each_method():
    scores = (0.5, 0.4, 0.6)
    points = [point("A", x, *scores, target=target) for target in ("de", "es") for x in (0, 200, 10)]
    points.append(point("L", None, *scores))
    figure = draw_curve(points, "labels", "title")
    first, second = figure.axes
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["de", "es"]
    assert list(first.lines[0].get_xdata()) == [0, 10, 200]  # in the order of the axis
    assert first.get_xscale() == "symlog"
    assert [text.get_text() for text in first.get_xticklabels()] == ["0", "10", "200"]
    assert (len(first.lines), len(second.lines)) == (2, 1)  # L is in German alone
    assert (
        draw_curve([point("A", 10, *scores), point("A", 20, *scores)], "pairs", "").axes[0].get_xscale()
        == "log"
    )
