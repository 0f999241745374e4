"""What more of a language would bring, from curves made by hand."""

import math

import pytest

from xstitch.core.errors import InputError
from xstitch.core.tsv import write_records
from xstitch.results.raising import Curve, gains, height, read_curves


def curve(*points, name="pairs", language="b"):
    return Curve(name, language, "stitched, no target labels", list(points))


def record(curve, language, x, value, method="stitched, no target labels"):
    return {
        "curve": curve,
        "language": language,
        "scale": "mini",
        "x": x,
        "method": method,
        "macro_f1": value,
    }


def test_heights_between_points_follow_the_logarithm():
    points = [(0.0, 0.2), (math.e**2 - 1, 0.6)]  # log1p is 0 and 2
    assert height(points, math.e - 1) == pytest.approx(0.4)
    assert height(points, 0.0) == 0.2 and height(points, math.e**2 - 1) == pytest.approx(0.6)


def test_gains_are_means_over_the_curves_that_reach_so_far():
    curves = [
        curve((100, 0.3), (200, 0.5)),
        curve((100, 0.4), (200, 0.5), language="c"),
        curve((100, 0.4), (150, 0.9), language="d"),  # ends before 200
        curve((120, 0.1), (200, 0.9), language="e"),  # begins after 100
        curve((100, 0.0), (200, 1.0), language="own"),
    ]
    (found,) = gains(curves, {"pairs": 100.0}, "own")
    assert (found.before, found.after, found.curves) == (100, 200, 2)
    assert (found.mean, found.least, found.most) == (
        pytest.approx(0.15),
        pytest.approx(0.1),
        pytest.approx(0.2),
    )


def test_the_largest_gain_comes_first_and_labels_go_from_none_to_fifty():
    curves = [
        curve((100, 0.3), (200, 0.35)),
        curve((0, 0.4), (50, 0.6), (200, 0.7), name="labels"),
        curve((1000, 0.5), (9000, 0.5), name="text"),
    ]
    found = gains(curves, {"pairs": 100.0, "labels": 0.0, "text": 2000.0})
    assert [(gain.name, gain.after, round(gain.mean, 3)) for gain in found] == [
        ("labels", 50, 0.2),
        ("pairs", 200, 0.05),
        ("text", 4000, 0.0),
    ]
    assert found[0].unit == "labelled texts"


def test_without_curves_nothing_is_said():
    assert read_curves([]) == []
    assert gains([], {"pairs": 100.0, "labels": 0.0}) == []


def test_tables_are_read_without_level_lines_and_other_methods(tmp_path):
    rows = [
        record("pairs", "b", "200", "0.5"),
        record("pairs", "b", "100", "0.3"),
        record("pairs", "b", "", "0.9"),
        record("pairs", "b", "100", "0.9", method="LR on word vectors"),
    ]
    write_records(rows, tmp_path / "curves.tsv")
    assert read_curves([tmp_path / "curves.tsv"]) == [curve((100.0, 0.3), (200.0, 0.5))]


@pytest.mark.parametrize("wrong", [{"x": "many"}, {"macro_f1": ""}])
def test_a_damaged_table_is_refused_in_one_line(tmp_path, wrong):
    write_records([{**record("pairs", "b", "1", "0.5"), **wrong}], tmp_path / "curves.tsv")
    with pytest.raises(InputError, match=r"curves.tsv:2: not a point of a curve"):
        read_curves([tmp_path / "curves.tsv"])
