"""Cells with resamples: what is written is read again, and comparisons show the intervals."""

import csv

import pytest
from scipy.special import expit, logit
from scipy.stats import t

from xstitch.results.ranges import Range
from xstitch.results.resampled_scores import with_resamples
from xstitch.results.resampled_tables import read_resamples, write_resamples
from xstitch.results.scores import Score
from xstitch.results.tables import fill_grid, write_comparison

SPEC = {
    "metric": "csls_p1",
    "split": "test",
    "decimals": 2,
    "corner": "model",
    "column": "target",
    "columns": ["de", "es"],
    "average": "avg",
    "whole": 100,
    "rows": [{"row": "A", "recipe": "a"}, {"row": "B", "recipe": "b"}],
}
SCORES = [
    Score("a", "bli", "en", tgt, "test", metric, seed, value, 100, "mini")
    for tgt, metric, seed, value in [
        ("de", "csls_p1", 1, 0.5),
        ("de", "csls_p1", 2, 0.7),
        ("es", "csls_p1", 1, 0.2),
        ("es", "csls_p1", 2, 0.2),
    ]
]


@pytest.fixture
def grid():
    return fill_grid(SPEC, {("B", "de"): 40.0}, list(with_resamples(SCORES, [], 1)), "en")


def test_cells_are_read_as_written(grid, tmp_path):
    write_resamples(grid, "mini", tmp_path / "t.npz", 1)
    table = read_resamples(tmp_path / "t.npz")
    assert table.scale == "mini"
    assert set(table.cells) == {("A", "de"), ("A", "es"), ("A", "avg")}  # B has no numbers of ours
    cell = table.cells["A", "de"]
    assert (cell.seeds, cell.chains, cell.covers) == ({2}, 1, {"seeds", "items"})
    assert cell.resamples[0] == pytest.approx(60)
    # The average has the resamples of its columns: they are drawn together.
    mean = (cell.resamples + table.cells["A", "es"].resamples) / 2
    assert table.cells["A", "avg"].resamples == pytest.approx(mean)
    assert cell.within == Range(0, 100)


def test_what_has_no_range_is_read_as_such(tmp_path):
    scores = [score._replace(metric="mae", value=2.0) for score in SCORES]
    spec = {**SPEC, "metric": "mae"}
    write_resamples(
        fill_grid(spec, {}, list(with_resamples(scores, [], 1)), "en"), "mini", tmp_path / "t.npz", 1
    )
    assert read_resamples(tmp_path / "t.npz").cells["A", "de"].within is None


def test_a_table_without_numbers_can_be_written(tmp_path):
    write_resamples(fill_grid(SPEC, {}, [], "en"), "paper", tmp_path / "t.npz", 1)
    table = read_resamples(tmp_path / "t.npz")
    assert (dict(table.cells), table.scale) == ({}, "paper")


def test_comparisons_show_the_interval_and_what_it_covers(grid, tmp_path):
    write_comparison(SPEC, grid, "mini", tmp_path / "c.tsv", 1)
    with (tmp_path / "c.tsv").open(encoding="utf-8") as stream:
        cells = {(row["row"], row["column"]): row for row in csv.DictReader(stream, delimiter="\t")}
    both, published = cells["A", "de"], cells["B", "de"]
    assert (both["seeds"], both["chains"], both["covers"]) == ("2", "1", "seeds items")
    # 50 and 70 have a standard error of 10 with one degree of freedom, 100 items one of 4.8: by Welch and
    # Satterthwaite 11.1 with 1.5 degrees of freedom. The ends are on the logit scale around 60.
    seeds, items = 10**2, 4.8**2
    width = t.ppf(0.975, (seeds + items) ** 2 / seeds**2) * (seeds + items) ** 0.5
    expected = [100 * expit(logit(0.6) + end / 100 / 0.24) for end in (-width, width)]
    assert [float(both["low"]), float(both["high"])] == pytest.approx(expected, abs=3)
    assert (published["published"], published["low"], published["covers"]) == ("40.0000", "", "")
