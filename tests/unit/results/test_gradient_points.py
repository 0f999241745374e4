"""Cosines of gradients over several runs: means, intervals, records, and the lines of a figure."""

import math

import pandas as pd
import pytest

from xstitch.results.gradient_figure import draw_gradients
from xstitch.results.gradients import gradient_points, point_records

NUMBERS = {"norm": 2.0, "task_norm": 4.0}


def table(cosines, shift=0.0):
    """Rows of a file: cosines by loss, target, update and layer, a list of draws each."""
    points = {update: number for number, update in enumerate(sorted({place[2] for place in cosines}))}
    return pd.DataFrame(
        {
            "loss": loss,
            "target": target,
            "point": points[update],
            "update": update,
            "layer": layer,
            "draw": draw,
            "cosine": cosine + shift,
            **NUMBERS,
        }
        for (loss, target, update, layer), draws in cosines.items()
        for draw, cosine in enumerate(draws)
    )


ONE = table(
    {
        ("task", "en", 0, "all"): [0.8, 0.6],
        ("wordot", "de", 0, "all"): [0.1, -0.1],
        ("wordot", "de", 0, "1"): [0.3, 0.3],
        ("task", "en", 10, "all"): [0.5, 0.5],
        ("wordot", "de", 10, "all"): [0.0, 0.4],
    }
)


def by_place(points):
    return {(point.loss, point.layer, point.update): point for point in points}


def test_draws_of_one_run_are_averaged_and_give_the_interval():
    found = by_place(gradient_points({("1", 1): ONE}, seed=0))
    own, flat = found["task", "all", 0], found["wordot", "1", 0]
    assert own.cosine == pytest.approx(0.7)
    assert own.low < 0.7 < own.high
    assert (flat.cosine, flat.low, flat.high) == (pytest.approx(0.3), None, None)  # nothing varies
    assert (own.norm, own.task_norm) == (2, 4)
    assert (own.chains, own.seeds, own.draws) == (1, 1, 2)


FOUR = [0.1, 0.2, 0.3, 0.6]


def test_the_interval_of_four_draws_is_students():
    """Squared distances from .3 add up to .14: the mean's standard error is sqrt(.14 / 3 / 4), .108.

    Student's t with three degrees of freedom is 3.182 at its ends; four of four, drawn again, would be within
    1.96 x sqrt(3 / 4) of these errors, three of four within 1.96. Ends are on Fisher's scale.
    """
    (point,) = gradient_points({("1", 1): table({("dcca", "de", 0, "all"): FOUR})}, seed=0)
    assert point.cosine == pytest.approx(0.3)
    width = 3.182 * math.sqrt(0.14 / 12) / (1 - 0.3**2)
    assert math.atanh(point.high) - math.atanh(0.3) == pytest.approx(width, rel=0.1)
    assert math.atanh(0.3) - math.atanh(point.low) == pytest.approx(width, rel=0.1)


def test_another_seed_draws_other_resamples():
    runs = {("1", 1): table({("dcca", "de", 0, "all"): FOUR})}
    (one,), (same,), (other,) = (gradient_points(runs, seed) for seed in (0, 0, 1))
    assert one == same
    assert one.low != other.low


def test_three_unequal_runs_are_averaged_number_by_number():
    """Means of .1, .1 and .7: .3, while their median is .1; norms of 1.25, 2.5 and 6.375 have 3.375."""
    place = ("dcca", "de", 0, "all")
    runs = {
        ("1", number): table({place: [mean - 0.05, mean + 0.05]}).assign(norm=norm, task_norm=norm / 4)
        for number, (mean, norm) in enumerate([(0.1, 1.25), (0.1, 2.5), (0.7, 6.375)])
    }
    (point,) = gradient_points(runs, seed=0)
    assert (point.cosine, point.norm, point.task_norm) == pytest.approx((0.3, 3.375, 0.84375))
    assert (point.chains, point.seeds, point.draws) == (1, 3, 2)
    (record,) = point_records([point], {})
    assert (record["cosine"], record["norm"], record["task_norm"]) == ("0.3000", "3.375", "0.8438")


def test_draws_of_one_run_say_nothing_about_those_of_another():
    """Alike in all runs, the noise of draws would be no smaller in the mean of three than in one."""
    same = table({("dcca", "de", 0, "all"): FOUR})
    (alone,) = gradient_points({("1", 1): same}, seed=0)
    (three,) = gradient_points({("1", seed): same for seed in (1, 2, 3)}, seed=0)
    assert three.high - three.low < 0.9 * (alone.high - alone.low)


def test_runs_are_averaged_and_chains_widen_the_interval():
    alone = by_place(gradient_points({("1", 1): ONE}, seed=0))["wordot", "all", 10]
    other = ONE.assign(cosine=ONE["cosine"] + 0.1)
    both = by_place(gradient_points({("1", 1): ONE, ("2", 1): other}, seed=0))["wordot", "all", 10]
    assert alone.cosine == pytest.approx(0.2)
    assert both.cosine == pytest.approx(0.25)
    assert both.chains == 2
    # Student's t with one degree of freedom: 12.7 standard errors of .05.
    assert both.high - both.low > alone.high - alone.low


def test_points_keep_their_order_and_those_of_unequal_runs_meet():
    shorter = ONE.replace({"update": {10: 8}})
    points = gradient_points({("1", 1): ONE, ("1", 2): shorter}, seed=0)
    assert [(point.loss, point.layer, point.update) for point in points] == [
        ("task", "all", 0),
        ("wordot", "all", 0),
        ("wordot", "1", 0),
        ("task", "all", 9),
        ("wordot", "all", 9),
    ]
    assert {point.seeds for point in points} == {2}


def test_a_layer_that_a_loss_does_not_reach_stays_empty():
    unreached = table({("dcca", "de", 0, "3"): [math.nan, math.nan]})
    points = gradient_points({("1", 1): unreached, ("2", 1): unreached}, seed=0)
    (record,) = point_records(points, {"task": "verses"})
    assert record == {
        "task": "verses",
        "language": "de",
        "loss": "dcca",
        "layer": "3",
        "update": "0",
        "cosine": "",
        "low": "",
        "high": "",
        "norm": "2",
        "task_norm": "4",
        "chains": "2",
        "seeds": "1",
        "draws": "2",
    }


def test_the_figure_has_a_panel_per_language_with_zero_the_tasks_own_line_and_all_layers_together():
    second = ONE[ONE["loss"] == "wordot"].assign(target="sw", loss="critic")
    figure = draw_gradients(gradient_points({("1", 1): pd.concat([ONE, second])}, seed=0), "title")
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["de", "sw"]
    zero, own, wordot, dcca, critic = figure.axes[0].lines
    assert list(zero.get_ydata()) == [0, 0]
    assert list(own.get_xdata()) == [0, 10]
    assert list(own.get_ydata()) == pytest.approx([0.7, 0.5])
    assert own.get_linestyle() == "--"
    assert list(wordot.get_ydata()) == pytest.approx([0.0, 0.2])
    assert not len(dcca.get_xdata())
    assert not len(critic.get_xdata())
    assert list(figure.axes[1].lines[4].get_ydata()) == pytest.approx([0.0, 0.2])
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["task, other batches", "WordOT", "DCCA", "critic (IWDA)"]
