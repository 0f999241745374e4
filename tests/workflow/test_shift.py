"""What iwda promises under a large prior shift, on the mini world's entailment, with a fixed seed."""

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, copy_project

from xstitch.shifts import total_variation
from xstitch.subsampling import item_prior

pytestmark = pytest.mark.workflow
RECIPES = ("zero-shot", "iwda", "iwda-unweighted", "iwda-oracle")
LABELS = ("entailment", "neutral", "contradiction")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """One language adapted to in three ways; some four minutes on two cores."""
    project = copy_project(tmp_path_factory.mktemp("shift"))
    overlay = ROOT / "tests/workflow/shift.yaml"
    shifts = [f"results/shifts/{recipe}/xnli-mt/qaa.tsv" for recipe in RECIPES]
    project.snakemake(*shifts, "--configfile", str(overlay))
    return project


@pytest.fixture(scope="module")
def measured(project):
    """Macro-F1, prior shift and feature shift of the last layer's [CLS] by recipe, on unseen target pairs."""
    found = {}
    for recipe in RECIPES:
        table = pd.read_csv(project.folder / f"results/shifts/{recipe}/xnli-mt/qaa.tsv", sep="\t")
        (found[recipe],) = table[(table["pooling"] == "cls") & (table["layer"] == 2)].itertuples()
    print({recipe: (row.macro_f1, row.feature_shift) for recipe, row in found.items()})
    return found


def test_the_world_has_a_large_prior_shift(measured):
    assert measured["zero-shot"].prior_shift > 0.3


def test_alignment_helps_with_weights_and_harms_without(measured):
    before, weighted, unweighted, oracle = (measured[recipe].macro_f1 for recipe in RECIPES)
    assert weighted > before + 0.02
    assert oracle > before + 0.015
    assert unweighted < before - 0.05


def test_weighted_alignment_brings_the_features_of_classes_nearer(measured):
    before, weighted, unweighted, _ = (measured[recipe].feature_shift for recipe in RECIPES)
    assert weighted < 0.95 * before < unweighted


def test_estimated_priors_are_nearer_the_truth_than_even_ones(project):
    train = pd.read_parquet(project.folder / "results/tasks/xnli-mt/qab/train.parquet")
    true = item_prior(train, LABELS)
    steps = pd.read_parquet(project.folder / "results/steps/iwda/xnli-mt/qaa-qab/seed1.parquet")
    estimated = steps[[f"prior_{label}" for label in LABELS]].iloc[-1].to_numpy()
    print(f"true {true}, estimated {estimated}")
    assert total_variation(estimated, true) < 0.7 * total_variation(np.full(3, 1 / 3), true)
