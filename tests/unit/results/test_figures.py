"""Figures: drawn from numbers, with text as text, and the same in every run."""

import json

import numpy as np
import pandas as pd
import pytest

from xstitch.results import figures
from xstitch.results.figure_data import draw, facts, gather

ORDER = {"xa": 0, "xb": 1}


@pytest.fixture
def shifts(tmp_path):
    """Write a file of measured shifts of two languages."""
    rng = np.random.default_rng(0)
    rows = [
        (target, sample, rng.random(), rng.random(), pooling, layer, rng.random())
        for target in ORDER
        for sample in range(5)
        for pooling in ("cls", "mean")
        for layer in range(3)
    ]
    names = ["target", "sample", "prior_shift", "macro_f1", "pooling", "layer", "feature_shift"]
    path = tmp_path / "shifts.tsv"
    pd.DataFrame(rows, columns=names).to_csv(path, sep="\t", index=False)
    return path


def spec(kind, rows=("zero-shot",), panels=("MARC",), **more):
    return {
        "title": "A figure",
        "kind": kind,
        "panels": [{"title": name, "task": "marc"} for name in panels],
        "rows": [{"row": row, "recipe": row} for row in rows],
        **more,
    }


def drawn(specification, data, tmp_path):
    path = tmp_path / "figure.svg"
    figures.save(draw(specification, data, ORDER, "mini"), path)
    first = path.read_text(encoding="utf-8")
    figures.save(draw(specification, data, ORDER, "mini"), path)
    assert path.read_text(encoding="utf-8") == first  # no date, no random ids
    return first


@pytest.mark.parametrize("more", [{}, {"layers": True}, {"layers": True, "prior": False}])
def test_factors_show_their_panels(shifts, tmp_path, more):
    figure = spec("factors", **more)
    svg = drawn(figure, gather(figure, [shifts]), tmp_path)
    for text in ("A figure (scale: mini)", figures.SCORE, figures.FEATURE_SHIFT, "xa", "xb", "r = "):
        assert text in svg
    assert (figures.PRIOR_SHIFT in svg) == more.get("prior", True)
    assert (figures.LAYER in svg) == more.get("layers", False)


def test_layers_and_joint_shifts_have_a_titled_panel_each(shifts, tmp_path):
    poolings = {"cls": "[CLS]", "mean": "mean-pooled"}
    figure = spec("layers", rows=("zero-shot", "bilingual"), poolings=poolings)
    svg = drawn(figure, gather(figure, [shifts, shifts]), tmp_path)
    assert "bilingual, mean-pooled" in svg
    figure = spec("joint", panels=("MARC", "WikiANN"))
    assert "WikiANN" in drawn(figure, gather(figure, [shifts, shifts]), tmp_path)


def test_improvements_are_drawn_and_averaged(tmp_path):
    path = tmp_path / "improvements.tsv"
    rows = {"set": [0, 1], "prior_shift": [0.1, 0.7], "improvement": [2.0, -4.0], "correction": [-1.0, 0.5]}
    pd.DataFrame(rows).to_csv(path, sep="\t", index=False)
    figure = spec("improvements", rows=("IWDA", "KD"))
    data = gather(figure, [path, path])
    assert "improvement of macro-F1 over zero-shot (%)" in drawn(figure, data, tmp_path)
    values = {(fact["method"], fact["fact"]): fact["value"] for fact in facts(figure, data)}
    assert values["IWDA", "mean improvement (%), shifts from 0.4"] == "-4.0000"
    assert values["KD", "mean prior-shift correction, shifts below 0.4"] == "-1.0000"


def test_steps_are_read_from_models(tmp_path):
    folder = tmp_path / "seed3"
    folder.mkdir()
    records = [{"step": 5, "loss": 1.0, "metric": 0.4}, {"step": 9, "loss": 0.5, "metric": 0.6}]
    (folder / "xstitch.json").write_text(json.dumps({"history": {"records": records, "best": None}}))
    figure = spec("steps", rows=("IWDA",))
    data = gather(figure, [folder])
    assert data["seed"].tolist() == ["3", "3"]
    assert "update steps" in drawn(figure, data, tmp_path)
    assert [fact["value"] for fact in facts(figure, data)] == ["0.6000"]


def test_the_log_of_an_alignment_is_drawn_with_all_panels(tmp_path):
    single = ["source_loss", "critic_loss", "gradient_norm", "feature_shift"]
    by_class = [f"{kind}_{label}" for kind in ("weight", "prior") for label in ("good", "bad")]
    values = np.random.default_rng(0).random((20, 8))
    log = pd.DataFrame(values, columns=[*single, *by_class]).assign(step=range(1, 21))
    path = tmp_path / "log.svg"
    figures.save(figures.draw_log(log, "An alignment"), path)
    svg = path.read_text(encoding="utf-8")
    for text in ("An alignment", figures.STEPS, "good", "bad", *(label for label, _ in figures.LOGGED)):
        assert text in svg


def test_languages_look_different():
    looks = {tuple(figures.look(index).values()) for index in range(56)}
    assert len(looks) == 56
