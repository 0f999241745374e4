"""What is unavailable and why, in words."""

import pytest
from small_run import asked, default_run, small_run, with_recipe

from xstitch.core.errors import InputError
from xstitch.plan.availability import (
    missing_for_matches,
    missing_for_parallel,
    missing_for_relative_heads,
    missing_for_table,
    missing_for_task,
    missing_language,
    parallel_languages,
)
from xstitch.plan.space_inputs import translation_targets

MATCHES = {"recipe": "linked", "of": ["sw", "zh"]}


def test_the_default_run_lacks_nothing():
    run = default_run()
    assert not any(missing_for_table(run, "iwda", number) for number in run.papers["iwda"]["tables"])
    # The mini world has no Wikipedia; its heads take verses.
    assert [task for task in run.tasks if missing_for_task(run, task)] == ["wikimatrix"]


def test_languages_of_the_mini_world_and_treebanks():
    run = small_run()
    world = "tasks.pos.targets: qab is a language of the mini world; name languages that you have"
    assert missing_language(run, "pos", "qab") == world
    assert missing_language(small_run(mirror="/copies"), "verses", "qab") == ""
    lacking = "config: tasks.pos.treebanks.sw is missing: name the language's treebanks"
    assert missing_language(run, "pos", "sw") == missing_for_task(run, "pos") == lacking


def test_files_of_withdrawn_data_sets(tmp_path):
    assert missing_for_task(small_run(), "reviews").startswith(
        "marc: no train/dataset_en_train.json (a note)"
    )
    for lang in ("en", "de"):
        for split in ("train", "dev", "test"):
            (tmp_path / f"dataset_{lang}_{split}.json").touch()
    lacking = missing_for_task(small_run(local={"marc": str(tmp_path)}), "reviews")
    assert lacking.endswith("train/dataset_sw_train.json: no such file (marc: a note)")
    own = {lang: {"test": "https://x.example/own.tsv"} for lang in ("en", "de", "sw")}
    assert missing_for_task(small_run(tasks={"reviews": {"files": own}}), "reviews") == ""
    assert missing_for_task(small_run(), "names") == ""
    assert missing_for_task(small_run(tasks={"names": {"targets": ["sw"]}}), "names") == (
        "config/languages.tsv: sw: no file of the CoNLL shared tasks is known (column conll)"
    )


def test_tasks_that_a_scale_does_not_run():
    run = small_run(tasks={"verses": {"targets": []}, "bli": {"targets": []}})
    empty = "config: tasks.verses.targets is empty: name languages of this run"
    assert missing_for_task(run, "verses") == missing_for_table(run, "first", "2") == empty
    with pytest.raises(
        InputError, match=r"^config: tasks\.bli\.targets is empty: name languages of this run$"
    ):
        translation_targets(run, asked())


def test_spaces_that_the_user_has_to_provide(tmp_path):
    vectors, folder = tmp_path / "en.vec", tmp_path / "vit"
    encoder = {"origin": "folder", "folder": str(folder)}
    run = small_run(vectors={"ft": {"files": {"en": str(vectors)}}}, encoders={"vit": encoder})
    assert missing_for_task(run, "words").startswith(f"config: vectors.ft.files.en: {vectors}: no such file")
    vectors.touch()
    assert missing_for_task(run, "words").startswith(f"config: encoders.vit.folder: {folder} is not a folder")
    folder.mkdir()
    assert missing_for_task(run, "words") == ""


def test_parallel_sentences():
    assert parallel_languages(small_run(), "opus") == ["de"]
    assert missing_for_parallel(small_run(), "opus", ["de", "sw"]) == ""
    lacking = missing_for_parallel(small_run(local={"opus": "/nowhere"}), "opus", ["sw", "de"])
    assert lacking == "/nowhere/Europarl/v8/moses/de-en.txt.zip: no such file (opus: a note)"


def test_heads_need_an_encoder_per_language():
    run = with_recipe(small_run(), "heads", targets=["de", "sw"])
    assert missing_for_relative_heads(run, "heads", "reviews") == "recipes.heads.encoders names none for sw"
    assert missing_for_relative_heads(small_run(), "heads", "reviews") == ""
    assert missing_for_relative_heads(small_run(), "zero", "reviews") == ""


def test_matches():
    run = small_run()
    assert missing_for_matches(run, MATCHES) == ""
    none = missing_for_matches(run, {**MATCHES, "of": ["zh", "fr"]})
    assert none == "encoders.linked.languages includes none of zh, fr"
    other = missing_for_matches(run, {**MATCHES, "recipe": "zero"})
    assert other == "recipes.zero.encoder: mono is not aligned with parallel sentences"
    for left_out in (small_run(without=["linked"]), with_recipe(run, "x")):
        recipe = "linked" if left_out.left_out else "y"
        lacking = missing_for_matches(left_out, {**MATCHES, "recipe": recipe})
        assert lacking == f"the configuration has no recipe {recipe}"


def test_tables():
    run = small_run()
    assert [missing_for_table(run, "first", number) for number in ("1", "2", "3", "4")] == [""] * 4
    assert missing_for_table(run, "second", "4") == "the configuration has no task novels, recipe new"
    assert missing_for_table(run, "second", "5") == missing_for_table(run, "second", "6") == ""
    left_out = "the configuration leaves out all of its rows (without)"
    assert missing_for_table(small_run(without=["zero"]), "first", "2") == left_out
    elsewhere = with_recipe(run, "zero", targets=["zh"])
    lacking = "recipes.zero.targets includes none of tasks.verses.targets"
    assert missing_for_table(elsewhere, "first", "2") == lacking
    with pytest.raises(InputError, match=r"^first has no table 9; its tables: 1, 2, 3, 4$"):
        missing_for_table(run, "first", "9")
