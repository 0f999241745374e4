"""What the papers promise of static spaces, on the default world's related language, with fixed seeds."""

import pytest
from conftest import ROOT

from xstitch.scores import read_scores

SCORES = "results/scores/{}/bli/qaa.tsv"
METHODS = ("fasttext-unsup", "x2s-m", "x2s-ma", "procrustes")


@pytest.fixture(scope="module")
def precision(related):
    """P@1 by CSLS, mean of both directions, by method; two minutes of training on two cores."""
    overlay = ROOT / "tests/workflow/related.yaml"
    related.snakemake(*map(SCORES.format, METHODS), "--configfile", str(overlay))
    scores = {name: read_scores(related.folder / SCORES.format(name)) for name in METHODS}
    found = {name: [s.value for s in rows if s.metric == "csls_p1"] for name, rows in scores.items()}
    assert {len(values) for values in found.values()} == {2}
    return {name: sum(values) / 2 for name, values in found.items()}


def test_unsupervised_vecmap_finds_the_related_language(precision):
    assert precision["fasttext-unsup"] > 0.3


def test_a_dictionary_induced_without_supervision_is_about_as_good_as_a_given_one(precision):
    assert precision["fasttext-unsup"] > 0.7 * precision["procrustes"]


def test_alignment_improves_distilled_vectors(precision):
    assert precision["x2s-ma"] > precision["x2s-m"] + 0.02
