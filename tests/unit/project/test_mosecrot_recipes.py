"""The recipes of the lead paper and those of ours beside them, at every scale."""

from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from xstitch.plan import overlays
from xstitch.plan.addresses import lexicon_file
from xstitch.plan.run import load_run
from xstitch.plan.source_inputs import combined_lexicon_input

ROOT = Path(__file__).parents[3]
CONFIG = ROOT / "config"


@cache
def run(scale):
    return load_run(overlays.lay(CONFIG / "config.yaml", [], {"scale": scale}, CONFIG), ROOT)


def rows(*tables):
    """The recipes of the paper's rows."""
    paper = run("paper").papers["mosecrot"]
    return {row["recipe"] for table in tables for row in paper["tables"][table]["rows"]}


def mapping(scale, recipe):
    return run(scale).recipes[recipe]["mapping"]


@pytest.mark.parametrize(
    ("scale", "expected"), [("paper", ("literal", False)), ("real", ("clip", True)), ("mini", ("clip", True))]
)
def test_rows_of_the_paper_have_its_formula_at_its_scale_alone(scale, expected):
    relative = [recipe for recipe in rows("1", "2", "3", "4") if recipe.startswith("rr-")]
    assert len(relative) == 9
    found = {(mapping(scale, recipe)["negative"], mapping(scale, recipe)["rescale"]) for recipe in relative}
    assert found == {expected}
    assert mapping(scale, "ls") == {"kind": "least-squares", "rescale": False}


@pytest.mark.parametrize("scale", overlays.SCALES)
@pytest.mark.parametrize(
    ("first", "second", "key"),
    [
        ("rr-unscaled", "rr-rescaled", "rescale"),
        ("ls", "ls-rescaled", "rescale"),
        ("rr-literal", "rr-clipped", "negative"),
    ],
)
def test_both_ways_are_recipes_that_differ_in_nothing_else(scale, first, second, key):
    one, other = (run(scale).recipes[recipe] for recipe in (first, second))
    assert {name for name in one if one[name] != other[name]} == {"mapping"}
    assert {name for name in one["mapping"] if one["mapping"][name] != other["mapping"][name]} == {key}


def test_a_threshold_for_panlex_leaves_muse_alone():
    paper = run("paper")
    trusted = paper.recipes["rr-trusted"]
    assert (
        lexicon_file(paper, trusted["anchors"], "en", "mt") == "results/lexica/panlex-trusted/en-mt.parquet"
    )
    assert paper.config["lexica"]["panlex-trusted"] == {"kind": "panlex-lite", "min_score": 9}
    languages = paper.config["languages"]
    assert {languages[target]["lexicon"] for target in trusted["targets"]} == {"panlex"}
    assert "min_score" not in paper.config["lexica"]["panlex"]


def test_anchors_without_stop_words_are_the_full_set_otherwise():
    anchors = run("paper").config["anchors"]
    assert anchors["content"] == {**anchors["full"], "stop_words": "package"}
    assert anchors["full"]["stop_words"] == []


def test_translations_of_a_service_are_joined_to_panlex():
    paper = run("paper")
    file = lexicon_file(paper, paper.recipes["rr-service"]["anchors"], "en", "fo")
    job = SimpleNamespace(lexicon=Path(file).parent.name, src="en", tgt="fo")
    parts = [f"results/lexica/{name}/en-fo.parquet" for name in ("panlex", "service")]
    assert combined_lexicon_input(paper, job) == parts
