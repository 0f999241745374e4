"""What measurements of shifts amount to: decreases of feature shift, corrections of prior shift."""

import pytest

from xstitch.core.tsv import write_tsv
from xstitch.results.resampling import run_of
from xstitch.results.shift_data import corrections, decreases
from xstitch.results.tables import fill_grid

FIELDS = {"src": "en", "split": "held-out", "scale": "mini"}
IWDA = {"recipe": "iwda", "seed": 1, "chain": "2"}
SHIFTS = ("target", "pooling", "layer", "feature_shift")


def shifts(folder, recipe, *last):
    """Write shifts of two languages; those of earlier layers and of means over tokens must not count."""
    rows = [
        (target, pooling, layer, shift if (pooling, layer) == ("cls", 2) else 77)
        for target, shift in zip(("nb", "nan"), last, strict=True)
        for pooling in ("cls", "mean")
        for layer in (0, 1, 2)
    ]
    write_tsv(folder / f"{recipe}.tsv", SHIFTS, rows)
    return {"recipe": recipe, "task": "marc", "seed": 3, "chain": "1", "file": str(folder / f"{recipe}.tsv")}


def test_decreases_by_hand(tmp_path):
    """From 8 to 2 three quarters are gone, from 4 to 5 a quarter was added; `nan` is a language."""
    cases = [shifts(tmp_path, "zero", 8, 4), shifts(tmp_path, "iwda", 2, 5)]
    scores = list(decreases(cases, "zero", **FIELDS))
    assert [(s.recipe, s.task, s.tgt, s.seed, s.value) for s in scores] == [
        ("iwda", "marc", "nb", 3, 0.75),
        ("iwda", "marc", "nan", 3, -0.25),
    ]
    held = {"MARC": {"task": "marc", "metric": "decrease", "languages": ["en", "nb", "nan"]}}
    spec = {
        **{"split": "held-out", "whole": 100, "measures": {}, "held": held},
        "rows": [{"row": "IWDA", "recipe": "iwda"}],
    }
    cell = fill_grid(spec, {("IWDA", "MARC"): 51.53}, scores, "en")["IWDA", "MARC"]
    assert cell.reproduced == pytest.approx(25.0)  # the mean over languages, in percent
    assert cell.published == 51.53


def test_decreases_are_relative_to_the_baseline_of_the_same_chain(tmp_path):
    (tmp_path / "2").mkdir()
    cases = [shifts(tmp_path, "zero", 8, 4), shifts(tmp_path, "iwda", 2, 5)]
    cases += [
        {**shifts(tmp_path / "2", *case), "chain": "2"} for case in (("zero", 1, 1), ("iwda", 0.5, 0.9))
    ]
    values = {(run_of(score)[0], score.tgt): score.value for score in decreases(cases, "zero", **FIELDS)}
    expected = {("1", "nb"): 0.75, ("1", "nan"): -0.25, ("2", "nb"): 0.5, ("2", "nan"): 0.1}
    assert values == pytest.approx(expected)


def test_corrections_by_hand(tmp_path):
    """From a total variation of .4 on, a shift is large; a set without any shift has no value."""
    rows = [(0.0, ""), (0.1, -3.0), (0.399, -1.0), (0.4, 0.2), (0.6, 0.4)]
    write_tsv(tmp_path / "sets.tsv", ("prior_shift", "correction"), rows)
    case = {**IWDA, "task": "marc", "target": "ja", "file": tmp_path / "sets.tsv"}
    scores = {score.metric: score for score in corrections([case], **FIELDS)}
    assert scores["correction"].value == pytest.approx(-3.4 / 4)
    assert scores["correction_large"].value == pytest.approx(0.3)
    assert scores["correction_small"].value == pytest.approx(-2.0)
    assert (scores["correction"].n, scores["correction_large"].n) == (4, 2)
    assert (scores["correction"].tgt, *run_of(scores["correction"])) == ("ja", "2", 1)


def test_what_was_not_measured_has_no_correction(tmp_path):
    write_tsv(tmp_path / "sets.tsv", ("prior_shift", "correction"), [(0.1, 0.5)])
    case = {**IWDA, "task": "conll", "target": "de", "file": tmp_path / "sets.tsv"}
    assert [score.metric for score in corrections([case], **FIELDS)] == ["correction", "correction_small"]
