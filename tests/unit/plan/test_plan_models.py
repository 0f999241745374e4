"""Inputs and settings of models: fine-tuned, stitched, adapted."""

from dataclasses import replace

import pytest
from small_run import asked, small_run, with_recipe

from xstitch.core.errors import InputError
from xstitch.plan.model_inputs import (
    adaptation_stage,
    adapted_samples,
    adapting_input,
    embeddings_frozen,
    finetuning_input,
    improvement_input,
    improvement_parts,
    measured_samples,
    recipe_encoder,
    skew_of,
    stitching_input,
    swapping_input,
    task_adapter_settings,
    training_settings,
)

RUN = small_run()
CASE = {"task": "verses", "src": "en", "tgt": "de", "seed": "1"}


def texts(lang, split):
    return f"results/tasks/verses/{lang}/{split}.parquet"


@pytest.mark.parametrize(
    ("recipe", "space", "languages"),
    [
        ("zero", "en", ["en"]),
        ("rr", "en-de", ["en"]),
        ("within", "de", ["de"]),
        ("two", "en-de", ["en", "de"]),
    ],
)
def test_models_learn_from_the_source_unless_they_are_supervised(recipe, space, languages):
    files = finetuning_input(RUN, asked(recipe=recipe, task="verses", space=space))
    assert files["train"] == [texts(lang, "train") for lang in languages]
    assert files["dev"] == [texts(lang, "dev") for lang in languages]
    mapped = "results/mapped/rr/en-de.npz" if recipe == "rr" else None
    assert files.get("embeddings") == mapped


@pytest.mark.parametrize(
    ("recipe", "task", "space", "scaled"),
    [
        ("within", "names", "de", True),
        ("within", "names", "en", True),
        ("within", "verses", "de", False),
        ("two", "names", "en-de", False),
        ("zero", "names", "en", False),
    ],
)
def test_updates_of_taggers_in_their_own_language_are_scaled_to_the_source(recipe, task, space, scaled):
    files = finetuning_input(RUN, asked(recipe=recipe, task=task, space=space))
    assert files.get("reference") == ("results/tasks/names/en/train.parquet" if scaled else None)


def test_a_task_adapter_is_trained_on_the_sources_language_adapter():
    case = asked(recipe="stacked", task="verses", space="en")
    files = finetuning_input(RUN, case)
    assert files["encoder"] == recipe_encoder(RUN, case) == "results/encoders/multi"
    assert files["adapter"] == "results/adapters/spoken/en"
    assert files["train"] == [texts("en", "train")]
    assert task_adapter_settings(RUN, case) == {"reduction": 16}
    plain = asked(recipe="zero", task="verses", space="en")
    assert "adapter" not in finetuning_input(RUN, plain)
    assert task_adapter_settings(RUN, plain) == {}
    assert swapping_input(RUN, asked(recipe="stacked", **CASE)) == {
        "model": "results/models/stacked/verses/en/seed1",
        "adapter": "results/adapters/spoken/de",
    }


def test_a_task_can_override_training_values():
    assert training_settings(RUN, asked(recipe="zero", task="verses")) == {"epochs": 4}
    assert training_settings(RUN, asked(recipe="zero", task="reviews")) == {"epochs": 2}


def test_frozen_embeddings_and_skewed_data():
    run = with_recipe(RUN, "zero", freeze_embeddings=True, skew={"verses": [0.9, 0.1]})
    assert [embeddings_frozen(one, asked(recipe="zero")) for one in (RUN, run)] == [False, True]
    assert skew_of(run, asked(recipe="zero", task="verses")) == [0.9, 0.1]
    assert skew_of(run, asked(recipe="zero", task="reviews")) is None


@pytest.mark.parametrize(
    ("recipe", "model", "vectors"), [("ls", "zero/verses/en", "ft"), ("rr", "rr/verses/en-de", "wiki")]
)
def test_what_is_stitched(recipe, model, vectors):
    assert stitching_input(RUN, asked(recipe=recipe, **CASE)) == {
        "model": f"results/models/{model}/seed1",
        "embeddings": f"results/mapped/{recipe}/en-de.npz",
        "target": f"results/vectors/{vectors}/de.npz",
    }


@pytest.mark.parametrize(
    ("recipe", "files"),
    [
        ("iwda", {"model": "results/models/zero/verses/en/seed1"}),
        ("kd", {"model": "results/adapted/iwda/verses/en-de/seed1", "student": "results/encoders/mono"}),
        (
            "ls-iwda",
            {
                "model": "results/stitched/ls/verses/en-de/seed1",
                "source_model": "results/models/zero/verses/en/seed1",
            },
        ),
    ],
)
def test_what_is_adapted(recipe, files):
    data = {"source": texts("en", "train"), "target": texts("de", "train"), "watched": texts("de", "dev")}
    assert adapting_input(RUN, asked(recipe=recipe, **CASE)) == {**data, **files}


def test_stages_of_adaptation():
    on_reviews = {"method": "adversarial", "adaptation": {"critic": 1}, "training": {"epochs": 7}}
    on_reviews["candidates"] = {}
    assert adaptation_stage(RUN, asked(recipe="iwda", task="reviews")) == on_reviews
    assert adaptation_stage(RUN, asked(recipe="iwda", task="verses")) == {
        **on_reviews,
        "training": {"epochs": 2},
    }
    distilled = adaptation_stage(RUN, asked(recipe="kd", task="verses"))
    assert distilled == {"method": "distill", "adaptation": {}, "training": {"epochs": 2}, "candidates": {}}


def test_improvements_on_sets_start_from_what_the_stage_before_made_of_them():
    part = {**CASE, "part": "3"}
    data = {
        "model": "results/models/zero/verses/en/seed1",
        "source": texts("en", "train"),
        "target": texts("de", "train"),
        "test": [texts("de", "dev"), texts("de", "test")],
    }
    assert improvement_input(RUN, asked(recipe="iwda", **part)) == data
    assert improvement_input(RUN, asked(recipe="kd", **part)) == {
        **data,
        "student": "results/encoders/mono",
        "earlier_models": "results/adapted_to_sets/iwda/verses/en-de/seed1/part3",
        "earlier_records": "results/improvements/iwda/verses/en-de/seed1/part3.tsv",
    }
    stitched = improvement_input(RUN, asked(recipe="ls-iwda", **part))
    assert stitched["model"] == "results/stitched/ls/verses/en-de/seed1"
    assert stitched["source_model"] == "results/models/zero/verses/en/seed1"


def with_samples(**samples):
    """The run with other target sets of reviews."""
    reviews = {**RUN.tasks["reviews"], "samples": samples}
    return replace(RUN, config={**RUN.config, "tasks": {**RUN.tasks, "reviews": reviews}})


@pytest.mark.parametrize(
    ("per_job", "parts"), [({}, [[0], [1], [2], [3], [4]]), ({"adapted_per_job": 2}, [[0, 1], [2, 3], [4]])]
)
def test_target_sets_are_split_over_jobs(per_job, parts):
    run = with_samples(adapted_sets=5, adapted_size=7, **per_job)
    case = {"recipe": "iwda", "task": "reviews", "src": "en", "tgt": "de", "seed": "2"}
    assert improvement_parts(run, asked(**case)) == [
        f"results/improvements/iwda/reviews/en-de/seed2/part{number}.tsv" for number in range(len(parts))
    ]
    for number, sets in enumerate(parts):
        asked_part = asked(task="reviews", part=str(number))
        assert adapted_samples(run, asked_part) == {"sets": 5, "size": 7, "part": sets}
    with pytest.raises(InputError, match=r"^config: tasks\.reviews\.samples: part 5 is beyond 5 adapted"):
        adapted_samples(run, asked(task="reviews", part="5"))


def test_candidates_are_compared_on_development_texts_of_the_source():
    run = with_recipe(RUN, "kd", candidates={"learning_rate": [1, 2]})
    assert adaptation_stage(run, asked(recipe="kd", task="verses"))["candidates"] == {"learning_rate": [1, 2]}
    assert adapting_input(run, asked(recipe="kd", **CASE))["source_dev"] == texts("en", "dev")
    assert improvement_input(run, asked(recipe="kd", part="0", **CASE))["source_dev"] == texts("en", "dev")
    assert "source_dev" not in adapting_input(run, asked(recipe="iwda", **CASE))


def test_samples_must_be_configured():
    samples = {"sets": 2, "size": 9}
    run = with_samples(**samples, adapted_sets=5, adapted_size=7)
    assert measured_samples(run, asked(task="reviews")) == samples
    with pytest.raises(InputError, match=r"^config: tasks\.verses\.samples is missing, but sets with other"):
        measured_samples(run, asked(task="verses"))
