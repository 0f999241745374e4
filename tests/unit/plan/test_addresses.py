"""Paths of results, above all which model a recipe uses in a language."""

import pytest
from small_run import asked, small_run

from xstitch.core.errors import InputError
from xstitch.plan.addresses import (
    anchors_file,
    encoded_texts,
    finetuned_behind,
    found_anchors,
    labelled_texts,
    lexicon_file,
    model_of,
    parallel_texts,
    source_model_of,
    space_names,
    space_vectors,
    starting_recipe,
    student_of,
    target_vectors,
)


@pytest.mark.parametrize(
    ("recipe", "folder"),
    [
        ("zero", "models/zero/verses/en"),
        ("within", "models/within/verses/de"),
        ("two", "models/two/verses/en-de"),
        ("ls", "stitched/ls/verses/en-de"),
        ("stacked", "swapped/stacked/verses/en-de"),
        ("iwda", "adapted/iwda/verses/en-de"),
        ("kd", "adapted/kd/verses/en-de"),
    ],
)
def test_models_of_methods(recipe, folder):
    assert model_of(small_run(), recipe, "verses", "en", "de", 2) == f"results/{folder}/seed2"


def test_the_source_language_keeps_the_adapter_that_a_model_was_fine_tuned_with():
    folder = "results/models/stacked/verses/en/seed2"
    assert model_of(small_run(), "stacked", "verses", "en", "en", 2) == folder


@pytest.mark.parametrize(
    ("recipe", "behind"),
    [("ls", "results/models/zero/verses/en/seed1"), ("rr", "results/models/rr/verses/en-de/seed1")],
)
def test_the_fine_tuned_model_behind_a_stitched_one(recipe, behind):
    case = ("verses", "en", "de", 1)
    assert finetuned_behind(small_run(), recipe, *case) == behind
    assert source_model_of(small_run(), f"{recipe}-iwda", *case) == behind
    assert source_model_of(small_run(), recipe, *case) == behind
    assert source_model_of(small_run(), "kd", *case) is None


def test_chains_of_adaptations():
    run = small_run()
    assert starting_recipe(run, "kd") == "zero"
    assert student_of(run, "kd") == "results/encoders/mono"


def test_anchors_belong_to_the_encoder_that_is_stitched():
    run = small_run()
    assert anchors_file(run, "ls", "en", "de") == "results/anchors/full/mono/en-de.parquet"
    assert anchors_file(run, "rr", "en", "de") == "results/anchors/own/mono/en-de.parquet"
    assert target_vectors(run, asked(recipe="rr", tgt="de")) == "results/vectors/wiki/de.npz"


def test_a_lexicon_comes_from_the_anchors_or_else_from_the_language():
    run = small_run()
    assert lexicon_file(run, "full", "en", "de") == "results/lexica/muse/en-de.parquet"
    assert lexicon_file(run, "own", "en", "sw") == "results/lexica/both/en-sw.parquet"
    with pytest.raises(InputError, match=r"^config: languages\.sw\.lexicon is missing, but anchors need it"):
        lexicon_file(run, "full", "en", "sw")


def test_a_split_that_is_missing_from_the_users_files_is_refused():
    run = small_run()
    assert labelled_texts(run, "verses", "de", "test") == "results/tasks/verses/de/test.parquet"
    assert labelled_texts(run, "mine", "en", "dev") == "results/tasks/mine/en/dev.parquet"
    with pytest.raises(
        InputError, match=r"^config: tasks\.mine\.files\.en\.test is missing, but this target"
    ):
        labelled_texts(run, "mine", "en", "test")


def test_spaces_of_words_and_images():
    run = small_run()
    words, images = run.tasks["words"]["spaces"]
    assert space_names(run, "words") == ["FT", "PX"]
    assert space_vectors(run, words) == "results/vectors/ft/en.npz"
    assert space_vectors(run, images) == "results/encoded/vit/batches.npz"


def test_encoded_texts():
    splits = [f"results/encoded/multi/verses/de/{split}.npz" for split in ("train", "dev", "test")]
    assert list(encoded_texts("multi", "verses", "de").values()) == splits
    assert parallel_texts(small_run(), "heads", "de") == splits


def test_only_anchors_that_are_searched_for_have_a_file():
    run = small_run()
    file = "results/bootstrapped/searched/words/FT-PX/seed2.npz"
    assert found_anchors(run, "searched", "words", "FT-PX", 2) == file
    assert found_anchors(run, "known", "words", "FT-PX", 2) == ""
