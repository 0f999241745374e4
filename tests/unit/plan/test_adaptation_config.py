"""Recipes that adapt: what they can start from."""

from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.plan.overlays import lay
from xstitch.plan.references import check_references
from xstitch.plan.settings import load_tsv, validate

ROOT = Path(__file__).parents[3]


def checked(**recipes):
    """Check the shipped configuration with some recipes changed or added."""
    config = lay(ROOT / "config/config.yaml", [], {}, ROOT / "config")
    for name, entry in recipes.items():
        name = name.replace("_", "-")
        config["recipes"][name] = {**config["recipes"].get(name, {}), **entry}
    resolved = validate(config)
    languages = load_tsv(ROOT / "config/languages.tsv", "language")
    check_references(resolved, languages)
    return resolved["recipes"]


def test_the_shipped_recipes_are_legal():
    recipes = checked()
    assert recipes["iwda-kd"]["base"] == "iwda"
    assert recipes["iwda-kd"]["adaptation"] == recipes["kd"]["adaptation"]


def test_adversarial_alignment_can_start_from_a_stitched_model_but_distillation_cannot():
    checked(ls_iwda={"base": "ls"})
    with pytest.raises(
        InputError, match=r"recipes.kd.base: cannot start from recipe ls; legal methods: zero-shot$"
    ):
        checked(kd={"base": "ls"})
    with pytest.raises(InputError, match=r"recipes.iwda.base: cannot start from recipe lr"):
        checked(iwda={"base": "lr"})


@pytest.mark.parametrize("recipe", ["frozen-labels-10", "contrastive-labels-10"])
def test_heads_for_a_few_labels_need_a_frozen_model_that_is_stitched(recipe):
    checked(**{recipe: {"base": "frozen-ls"}})
    with pytest.raises(InputError, match=rf"{recipe}.base: cannot start from recipe frozen; legal meth"):
        checked(**{recipe: {"base": "frozen"}})
    with pytest.raises(InputError, match=rf"{recipe}.base: ls does not start from a frozen encoder"):
        checked(**{recipe: {"base": "ls"}})


def test_adaptations_cannot_start_from_each_other():
    with pytest.raises(InputError, match=r"recipes.iwda.base: starts from itself: iwda -> st -> iwda"):
        checked(iwda={"base": "st"}, st={"base": "iwda"})


def test_a_base_is_required():
    with pytest.raises(InputError, match=r"recipes.lonely: the key 'base' is missing for adversarial"):
        checked(lonely={"method": "adversarial", "training": {"epochs": 1, "learning_rate": 1.0e-3}})


def test_unknown_settings_are_refused_by_name():
    with pytest.raises(InputError, match=r"adaptation.lambda: unknown key .* legal keys: weights, strength"):
        checked(iwda={"adaptation": {"lambda": 1}})
