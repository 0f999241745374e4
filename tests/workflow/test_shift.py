"""Adaptation under a large prior shift: what must hold in every run, whatever its models learn.

Whether weighted alignment helps is a claim about many worlds, not about one; here are the quantities that can
be computed from the data alone.
"""

import pandas as pd
import pytest
from conftest import ROOT, copy_project

pytestmark = pytest.mark.workflow
LABELS = ("entailment", "neutral", "contradiction")
WEIGHTS, PRIORS = ([f"{kind}_{label}" for label in LABELS] for kind in ("weight", "prior"))
IMPROVEMENTS = "results/improvements/iwda-st/xnli-mt/qaa-qab/seed1.tsv"
RECIPES = ("zero-shot", "iwda", "iwda-unweighted", "iwda-oracle")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """One language adapted to in three ways."""
    project = copy_project(tmp_path_factory.mktemp("shift"))
    overlays = ["tests/workflow/tiny.yaml", str(ROOT / "tests/workflow/shift.yaml")]
    shifts = [f"results/shifts/{recipe}/xnli-mt/qaa.tsv" for recipe in RECIPES]
    project.snakemake(*shifts, IMPROVEMENTS, "--configfile", *overlays)
    return project


def prior(project, language, *splits):
    """Shares of the labels in some splits of a language, counted."""
    files = [project.folder / f"results/tasks/xnli-mt/{language}/{split}.parquet" for split in splits]
    labels = pd.concat([pd.read_parquet(file)["label"] for file in files])
    return [(labels == label).mean() for label in LABELS]


def steps(project, recipe):
    """What was logged at every step of a recipe's adaptation."""
    return pd.read_parquet(project.folder / f"results/steps/{recipe}/xnli-mt/qaa-qab/seed1.parquet")


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_shift_is_that_of_the_counted_labels(project, recipe):
    source, unseen = prior(project, "qaa", "train"), prior(project, "qab", "dev", "test")
    counted = sum(abs(a - b) for a, b in zip(source, unseen, strict=True)) / 2
    assert counted > 0.3
    table = pd.read_csv(project.folder / f"results/shifts/{recipe}/xnli-mt/qaa.tsv", sep="\t")
    assert table["prior_shift"].to_list() == pytest.approx([counted] * len(table), abs=2e-6)
    # Before the first layer, [CLS] has one embedding in every text of a language: nothing to shift.
    first = (table["pooling"] == "cls") & (table["layer"] == 0)
    assert table["feature_shift"][first].to_list() == pytest.approx([0], abs=1e-4)
    assert (table["feature_shift"][~first] > 0).all()


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_only_sample_is_the_whole_language(project, recipe):
    sample, whole = (
        pd.read_csv(project.folder / f"results/shifts/{recipe}/xnli-mt/qaa{ending}.tsv", sep="\t")
        for ending in ("", ".whole")
    )
    assert set(whole["sample"]) == {"all"}
    assert whole.drop(columns="sample").equals(sample.drop(columns="sample"))


def test_the_oracles_weights_are_ratios_of_counted_priors(project):
    source, target = prior(project, "qaa", "train"), prior(project, "qab", "train")
    wanted = [theirs / ours for ours, theirs in zip(source, target, strict=True)]
    for row in steps(project, "iwda-oracle")[WEIGHTS].to_numpy():
        assert row == pytest.approx(wanted, rel=1e-4)


def test_without_weights_every_class_counts_once(project):
    assert (steps(project, "iwda-unweighted")[WEIGHTS].to_numpy() == 1).all()


def test_estimated_weights_are_legal_and_followed(project):
    logged, source = steps(project, "iwda"), prior(project, "qaa", "train")
    assert (logged[WEIGHTS] @ source).to_list() == pytest.approx([1] * len(logged), abs=1e-4)
    assert (logged[WEIGHTS].to_numpy() >= 0).all()
    assert logged[PRIORS].sum(axis=1).to_list() == pytest.approx([1] * len(logged), abs=1e-4)
    assert logged[WEIGHTS].nunique().max() > 1  # they move


def test_stages_share_the_models_of_target_sets(project):
    """Self-training starts from what alignment made of each set, whose models are gone in the end."""
    columns = ["set", "prior_shift", "zero_shot", "correction"]
    joined = pd.read_csv(project.folder / IMPROVEMENTS, sep="\t")
    aligned = [
        pd.read_csv(
            project.folder / f"results/improvements/iwda/xnli-mt/qaa-qab/seed1/part{part}.tsv", sep="\t"
        )
        for part in (0, 1)
    ]
    assert [len(part) for part in aligned] == [1, 1]
    assert joined[columns].equals(pd.concat(aligned, ignore_index=True)[columns])
    assert (joined["recipe"] == "iwda-st").all()
    assert (joined["correction"] <= 1).all()
    left = [path for path in (project.folder / "results/adapted_to_sets").rglob("*") if path.is_file()]
    assert left == []
