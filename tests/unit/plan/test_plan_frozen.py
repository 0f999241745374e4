"""Inputs of frozen models and of what one would pick instead: glosses, translated texts, other rows."""

import pytest
from small_run import asked, small_run, with_recipe

from xstitch.core.errors import InputError
from xstitch.plan.cases import ensemble_cases, evaluated_languages, evaluation_cases
from xstitch.plan.exports import export_input
from xstitch.plan.model_inputs import (
    head_input,
    head_settings,
    is_glossed,
    standardising_input,
    translating_input,
)
from xstitch.plan.references import check_references
from xstitch.plan.space_inputs import mapping_input
from xstitch.plan.tasks import own_texts, texts_to_train

STITCHED = {"method": "stitch", "base": "cold", "anchors": "full", "seeds": [0]}
ADDED = {
    "cold": {"method": "frozen", "encoder": "mono", "head": {"layers": [2]}, "seeds": [0]},
    "wide": {"method": "frozen", "encoder": "multi", "seeds": [0]},
    "wide-own": {"method": "standardise", "base": "wide", "seeds": [0]},
    "words": {**STITCHED, "mapping": {"kind": "dictionary"}},
    "words-own": {"method": "standardise", "base": "words", "seeds": [0]},
    "learnt": {**STITCHED, "mapping": {"kind": "regression", "alignment": "vecmap"}},
    "read": {"method": "gloss", "base": "cold", "seeds": [0], "targets": ["de"]},
    "read-own": {"method": "standardise", "base": "read", "seeds": [0], "targets": ["de"]},
    "both": {"method": "ensemble", "members": ["words", "words-own"], "seeds": [0], "targets": ["de"]},
    "moved": {"method": "translated-regression", "vectors": "ft", "lexicon": "both"},
    "moved-own": {"method": "translated-regression", "vectors": "ft", "standardised_by": "own"},
}
CASE = {"task": "verses", "src": "en", "tgt": "de", "seed": "0"}


def run_with_added():
    run = small_run()
    for name, entry in ADDED.items():
        run = with_recipe(run, name, **entry)
    return run


RUN = run_with_added()


def texts(lang, split):
    return f"results/tasks/verses/{lang}/{split}.parquet"


def glosses(split):
    return f"results/translated/read/verses/en-de/{split}.parquet"


def test_a_head_is_fitted_to_the_sources_texts():
    job = asked(recipe="cold", **CASE)
    files = {"encoder": "results/encoders/mono", "train": texts("en", "train"), "dev": texts("en", "dev")}
    assert head_input(RUN, job) == files
    assert head_settings(RUN, job) == {"layers": [2]}


UNLABELLED = "results/unlabelled/verses/de.parquet"


@pytest.mark.parametrize(
    ("recipe", "model", "read", "source_model"),
    [
        ("words-own", "stitched/words/verses/en-de", UNLABELLED, "models/cold/verses/en"),
        ("read-own", "models/cold/verses/en", glosses("train"), "models/cold/verses/en"),
        ("wide-own", "models/wide/verses/en", UNLABELLED, "models/wide/verses/en"),
    ],
)
def test_features_are_standardised_by_texts_as_the_model_reads_them(recipe, model, read, source_model):
    assert standardising_input(RUN, asked(recipe=recipe, **CASE)) == {
        "model": f"results/{model}/seed0",
        "texts": read,
        "source_model": f"results/{source_model}/seed0",
    }


def test_rows_come_from_the_anchors_lexicon_or_from_aligned_vectors():
    words, learnt = (mapping_input(RUN, asked(recipe=name, **CASE)) for name in ("words", "learnt"))
    assert words["lexicon"] == "results/lexica/muse/en-de.parquet"
    assert "aligned" not in words
    assert learnt["aligned"] == "results/aligned/vecmap/en-de.npz"
    assert "lexicon" not in learnt


def test_glosses_are_target_texts_in_words_of_the_model():
    job = asked(recipe="read", split="test", **CASE)
    assert is_glossed(RUN, job)
    assert translating_input(RUN, job) == {
        "texts": texts("de", "test"),
        "lexicon": "results/lexica/muse/en-de.parquet",
        "vocabulary": "results/encoders/mono.input.npz",
    }


def test_translated_training_texts_are_the_sources_in_words_of_the_targets_vectors():
    job = asked(recipe="moved", split="train", **CASE)
    assert not is_glossed(RUN, job)
    assert translating_input(RUN, job) == {
        "texts": texts("en", "train"),
        "lexicon": "results/lexica/both/en-de.parquet",
        "vocabulary": "results/vectors/ft/de.npz",
    }


def test_a_language_without_a_lexicon_is_refused():
    job = asked(recipe="moved-own", split="train", **{**CASE, "tgt": "sw"})
    with pytest.raises(InputError, match=r"languages.sw.lexicon is missing, but recipes.moved-own need"):
        translating_input(RUN, job)


@pytest.mark.parametrize("recipe", ["read", "read-own"])
def test_glosses_are_scored_on_glossed_texts_of_targets_alone(recipe):
    folder = {"read": "models/cold/verses/en", "read-own": "adapted/read-own/verses/en-de"}[recipe]
    cases = evaluation_cases(RUN, asked(recipe=recipe, **CASE))
    assert cases == [["de", 0, f"results/{folder}/seed0", glosses("test")]]


def test_a_frozen_model_knows_the_source_a_standardised_one_does_not():
    assert evaluated_languages(RUN, "wide", "verses") == ["en", "de", "sw"]
    assert evaluated_languages(RUN, "wide-own", "verses") == ["de", "sw"]


def test_an_ensemble_asks_all_of_its_members():
    folders = ["results/stitched/words/verses/en-de/seed0", "results/adapted/words-own/verses/en-de/seed0"]
    assert ensemble_cases(RUN, asked(recipe="both", **CASE)) == [["de", 0, folders, texts("de", "test")]]


def test_classifiers_learn_from_own_or_from_translated_texts():
    job = {"task": "verses", "src": "en"}
    assert texts_to_train(RUN, asked(recipe="lr", **job)) == [texts(lang, "train") for lang in ("de", "sw")]
    moved = [f"results/translated/moved/verses/en-{lang}/train.parquet" for lang in ("de", "sw")]
    assert texts_to_train(RUN, asked(recipe="moved", **job)) == moved
    assert [own_texts(RUN, asked(recipe=name, **job)) for name in ("lr", "moved")] == [[], []]
    assert own_texts(RUN, asked(recipe="moved-own", **job)) == [texts(lang, "train") for lang in ("de", "sw")]


@pytest.mark.parametrize("recipe", ["read-own", "read"])
def test_what_reads_glosses_is_not_given_away(recipe):
    with pytest.raises(InputError, match="its model reads glosses, which no folder makes"):
        export_input(RUN, asked(recipe=recipe, **CASE))


def checked(candidates=("words", "words-own"), **more):
    recipes = {name: RUN.recipes[name] for name in ("lr", "zero", "rr", *ADDED)}
    losses = {name: {"origin": "align", "loss": name} for name in ("transport", "dcca")}
    sections = {
        "recipes": {**recipes, "weighted": {"method": "adversarial", "base": "zero"}, **more},
        "encoders": {**RUN.config["encoders"], **losses},
        "recommend": {"candidates": candidates},
        "gradients": {"wordot": "transport", "dcca": "dcca", "critic": "weighted"},
    }
    check_references({**RUN.config, **sections}, RUN.languages)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"method": "gloss", "base": "lr"},
            "bad.base: cannot start from recipe lr; legal methods: zero-shot",
        ),
        ({"method": "gloss", "base": "words"}, "bad.base: cannot start from recipe words"),
        ({"method": "standardise", "base": "lr"}, "legal methods: stitch, gloss, frozen"),
        ({"method": "standardise", "base": "rr"}, "rr does not start from a frozen encoder"),
        ({"method": "ensemble", "members": ["words", "read"]}, "bad.members: read reads glosses"),
        ({"method": "ensemble", "members": ["read-own", "words"]}, "bad.members: read-own reads glosses"),
        ({"method": "ensemble", "members": ["words", "lr"]}, "bad.members: lr makes no model"),
    ],
)
def test_recipes_that_cannot_start_from_what_they_name_are_refused(entry, message):
    with pytest.raises(InputError, match=message):
        checked(bad=entry)


def test_these_recipes_are_legal():
    checked()


@pytest.mark.parametrize(
    ("candidate", "message"),
    [("read-own", "candidates: read-own reads glosses"), ("read", "candidates: read makes no model without")],
)
def test_what_cannot_be_exported_cannot_be_recommended(candidate, message):
    with pytest.raises(InputError, match=message):
        checked(candidates=("words", candidate))
