"""The figure of two spaces: clusters, principal axes by hand, the same picture twice for parallel anchors."""

import numpy as np
import pytest
from rotated import rotated_spaces

from xstitch.core.errors import InputError
from xstitch.results.space_figure import (
    LOOKS,
    Spaces,
    clusters_of,
    draw_figure,
    figure_points,
    principal_axes,
)


@pytest.fixture(scope="module")
def points():
    spaces = rotated_spaces()
    both = Spaces(
        ("FT", "W2V"), [f"w{row}" for row in range(300)], spaces.source, spaces.target[spaces.partners]
    )
    source = spaces.source[spaces.anchors]
    wrong = np.random.default_rng(0).permutation(spaces.true_anchors)
    anchors = {"GT": (source, spaces.true_anchors), "wrong": (source, wrong)}
    return figure_points(both, anchors, clusters=3, size=20)


def picture(points, row, space):
    return np.array([(p["x"], p["y"]) for p in points.to_pylist() if (p["row"], p["space"]) == (row, space)])


def test_every_word_of_the_clusters_is_in_every_picture(points):
    rows = points.to_pylist()
    assert len(rows) == 3 * 2 * 60
    assert {(p["row"], p["space"]) for p in rows} == {
        (row, space) for row in ("absolute", "GT", "wrong") for space in ("FT", "W2V")
    }
    assert len({(p["word"], p["cluster"]) for p in rows}) == 60


def test_parallel_anchors_give_the_same_picture_twice(points):
    np.testing.assert_allclose(picture(points, "GT", "FT"), picture(points, "GT", "W2V"), atol=1e-5)
    distance = np.abs(picture(points, "wrong", "FT") - picture(points, "wrong", "W2V")).mean()
    assert distance > 10 * np.abs(picture(points, "GT", "FT") - picture(points, "GT", "W2V")).mean()


def test_axes_have_the_largest_variance():
    random = np.random.default_rng(0)
    rows = random.normal(size=(500, 3)) * [0.1, 5.0, 1.0] + [7.0, 0.0, 0.0]
    centre, axes = principal_axes(rows)
    np.testing.assert_allclose(centre, rows.mean(axis=0))
    np.testing.assert_allclose(axes, [[0, 0], [1, 0], [0, 1]], atol=0.05)


def test_clusters_keep_the_words_nearest_to_their_centres():
    middle = np.array([[0.0, 0.0], [10.0, 0.0]])
    rows = np.concatenate([middle + offset for offset in ([0, 0], [0, 0.1], [0, 3.0], [0.1, 0])])
    chosen = clusters_of(rows, 2, 2, seed=0)
    assert (chosen >= 0).sum() == 4
    assert chosen[4] == chosen[5] == -1  # the distant ones
    assert chosen[0] != chosen[1]


@pytest.mark.parametrize("clusters", [0, len(LOOKS) + 1])
def test_no_clusters_and_more_clusters_than_colours_are_refused(clusters):
    with pytest.raises(InputError, match=f"1 to {len(LOOKS)} clusters"):
        clusters_of(np.zeros((9, 2)), clusters, 2, 0)


def test_the_drawing_has_all_panels_and_is_reproducible(points, tmp_path):
    for name in ("a.svg", "b.svg"):
        draw_figure(points, tmp_path / name)
    drawing = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert drawing == (tmp_path / "b.svg").read_text(encoding="utf-8")
    assert [f">{label}<" in drawing for label in ("FT", "W2V", "absolute", "GT", "wrong")] == [True] * 5
    assert all(colour.lower() in drawing for colour, _ in LOOKS[:3])
    assert not any(colour.lower() in drawing for colour, _ in LOOKS[3:])
    for cluster in range(3):  # the legend: each cluster's first word, once
        word = next(point["word"] for point in points.to_pylist() if point["cluster"] == cluster)
        assert drawing.count(f">{word}<") == 1
