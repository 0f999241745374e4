"""The numbers of figures, as claims are judged by them."""

import numpy as np
import pandas as pd
import pytest

from xstitch.results.claims.figures import figure_cells
from xstitch.results.intervals import interval


def written(path, rows, **columns):
    table = pd.DataFrame(rows)
    for name, value in columns.items():
        table[name] = value
    table.to_csv(path, sep="\t", index=False)
    return path


def improvements(path, values):
    """Improvements of methods by seed, at two small and two large shifts."""
    rows = [
        {"panel": "MARC, qaa to qad", "method": method, "seed": seed, "set": number, "improvement": value}
        for (method, seed), gains in values.items()
        for number, value in enumerate(gains)
    ]
    shifts = [0.1, 0.39, 0.4, 0.7] * len(values)
    return written(path, rows, prior_shift=shifts, correction=[""] * len(shifts))


def test_improvements_at_small_and_at_large_shifts(tmp_path):
    file = improvements(
        tmp_path / "f.tsv",
        {("IWDA", 1): (1, 3, 10, 20), ("IWDA", 2): (3, 5, 10, 0), ("ST", 1): (0, 2, 9, 19)},
    )
    cells = figure_cells("improvements", file, 1)
    means = {key: cell.resamples[0] for key, cell in cells.items()}
    assert means == {
        ("IWDA", "MARC small shifts"): pytest.approx(3),  # the means of the seeds are 2 and 4
        ("IWDA", "MARC large shifts"): pytest.approx(10),  # 15 and 5
        ("ST", "MARC small shifts"): pytest.approx(1),
        ("ST", "MARC large shifts"): pytest.approx(14),
    }
    assert cells["IWDA", "MARC small shifts"].covers == {"seeds", "items"}
    assert cells["ST", "MARC small shifts"].covers == {"items"}


def test_a_set_without_an_improvement_counts_for_no_seed(tmp_path):
    values = {("IWDA", 1): (1, "", 10, 20), ("IWDA", 2): (3, 5, 10, 0), ("ST", 1): (0, "", 9, 19)}
    cells = figure_cells("improvements", improvements(tmp_path / "f.tsv", values), 1)
    assert cells["IWDA", "MARC small shifts"].resamples[0] == pytest.approx(2)
    assert cells["ST", "MARC small shifts"].resamples[0] == pytest.approx(0)


def test_few_sets_and_few_languages_leave_few_degrees_of_freedom(tmp_path):
    gains = (1, 2, 4, 9, 14, 5)
    shifts_of = [0.1, 0.2, 0.3, 0.5, 0.6, 0.7]
    rows = {"seed": 1, "set": range(6), "improvement": gains, "prior_shift": shifts_of, "correction": ""}
    file = written(tmp_path / "f.tsv", rows, panel="MARC, qaa to qad", method="IWDA")
    cell = figure_cells("improvements", file, 1)["IWDA", "MARC small shifts"]
    assert cell.freedom == 2
    assert cell.resamples[1:].std() == pytest.approx(np.std(gains[:3], ddof=1) / 3**0.5, rel=0.05)
    shifts(tmp_path / "s.tsv")
    cells = figure_cells("shifts", tmp_path / "s.tsv", 1)
    assert {cell.freedom for cell in cells.values()} == {2}


def test_methods_are_compared_on_the_same_target_sets(tmp_path):
    values = {("IWDA", 1): (1, 3, 10, 30), ("ST", 1): (0, 2, 9, 29)}
    cells = figure_cells("improvements", improvements(tmp_path / "f.tsv", values), 1)
    one, other = (cells[method, "MARC large shifts"].resamples for method in ("IWDA", "ST"))
    assert np.ptp(one) > 10  # sets differ much, methods by 1 on each
    assert one - other == pytest.approx(np.ones(2001))


def test_the_score_after_the_last_step(tmp_path):
    rows = {"step": [5, 9, 5, 9], "seed": [1, 1, 2, 2], "macro_f1": [0.9, 0.4, 0.9, 0.6]}
    file = written(tmp_path / "f.tsv", rows, panel="CoNLL, qaa to qab", method="IWDA")
    cell = figure_cells("steps", file, 1)["IWDA", "CoNLL last step"]
    assert cell.resamples[0] == pytest.approx(0.5)
    assert cell.resamples[1:].std() == pytest.approx(0.1, rel=0.05)  # the standard error of .4 and .6
    assert cell.seeds == {2}
    assert cell.covers == {"seeds"}


def shifts(path, targets=("de", "fo", "tt"), points=20):
    """Scores that fall with both shifts, in languages that differ in feature shift."""
    draws = np.random.default_rng(3)
    target = np.repeat(targets, points)
    feature = np.repeat(np.arange(len(targets)), points) + draws.normal(0, 0.3, len(target))
    prior = draws.random(len(target))
    score = 1 - 0.2 * feature - 0.3 * prior + draws.normal(0, 0.05, len(target))
    last = {"target": target, "feature_shift": feature, "prior_shift": prior, "macro_f1": score}
    first = {**last, "feature_shift": -feature}
    whole = pd.concat([pd.DataFrame(first).assign(layer=1), pd.DataFrame(last).assign(layer=2)])
    written(path, whole, panel="MARC", method="zero-shot", pooling="cls")
    return feature, prior, score


def residuals(values, fixed):
    """What a straight line through another factor leaves of values."""
    return values - np.polyval(np.polyfit(fixed, values, 1), fixed)


def test_correlations_are_those_of_the_last_layer(tmp_path):
    feature, prior, score = shifts(tmp_path / "f.tsv")
    cells = figure_cells("factors", tmp_path / "f.tsv", 1)
    found = {column: cell.resamples[0] for (_, column), cell in cells.items()}
    assert found == {
        "MARC feature shift": pytest.approx(feature.mean()),
        "MARC r feature shift": pytest.approx(np.corrcoef(feature, score)[0, 1]),
        "MARC r feature shift, prior shift fixed": pytest.approx(
            np.corrcoef(residuals(feature, prior), residuals(score, prior))[0, 1]
        ),
        "MARC r prior shift": pytest.approx(np.corrcoef(prior, score)[0, 1]),
        "MARC r prior shift, feature shift fixed": pytest.approx(
            np.corrcoef(residuals(prior, feature), residuals(score, feature))[0, 1]
        ),
    }


def test_languages_are_drawn_not_only_points(tmp_path):
    """A mean over three languages is as uncertain as three numbers, however many points each has."""
    shifts(tmp_path / "few.tsv", points=20)
    shifts(tmp_path / "many.tsv", points=500)
    few, many = (
        figure_cells("factors", tmp_path / f"{name}.tsv", 1)["zero-shot", "MARC feature shift"]
        for name in ("few", "many")
    )
    assert few.covers == many.covers == {"languages"}
    widths = [interval(cell.resamples).high - interval(cell.resamples).low for cell in (few, many)]
    assert min(widths) > 1.5  # two of the languages 0, 1 and 2 are drawn: from 0 to 2


def test_one_language_shows_nothing_about_others(tmp_path):
    shifts(tmp_path / "f.tsv", targets=("de",))
    cells = figure_cells("factors", tmp_path / "f.tsv", 1)
    assert cells["zero-shot", "MARC r prior shift"].covers == frozenset()


def test_what_does_not_vary_does_not_correlate(tmp_path):
    rows = {
        "target": ["de", "fo"],
        "feature_shift": [1.0, 2.0],
        "prior_shift": [0.0, 0.0],
        "macro_f1": [0.5, 0.4],
    }
    written(tmp_path / "f.tsv", rows, panel="XNLI", method="zero-shot", pooling="cls", layer=1)
    cells = figure_cells("factors", tmp_path / "f.tsv", 1)
    assert ("zero-shot", "XNLI r prior shift") not in cells
    r = cells["zero-shot", "XNLI r feature shift"].resamples
    assert r[0] == pytest.approx(-1)
    assert set(r[1:]) == {0.0}  # one language is drawn
