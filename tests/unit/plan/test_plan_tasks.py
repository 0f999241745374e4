"""Tasks: files by reader, settings of readers and heads."""

import pytest
from small_run import asked, default_run, small_run

from xstitch.core.errors import InputError
from xstitch.plan.tasks import (
    all_splits,
    classified_vectors,
    has_test,
    head_settings,
    labels_of,
    reading_settings,
    task_head,
    task_input,
    task_reader,
    task_rows,
    texts_to_test,
    texts_to_train,
)


def files(task, lang, **changes):
    return task_input(small_run(**changes), asked(task=task, lang=lang))


def by_split(pattern):
    return {split: pattern.format(split=split) for split in ("train", "dev", "test")}


def test_rows_determine_heads_and_readers():
    run = small_run()
    rows = {task: task_rows(run, asked(task=task)) for task in ("verses", "nli", "questions", "pos")}
    assert rows == {"verses": "texts", "nli": "pairs", "questions": "questions", "pos": "sentences"}
    assert task_head(run, asked(task="pos")) == "xstitch.models.heads.tags"
    assert task_reader(run, asked(task="nli", lang="de")) == "xstitch.sources.tasks.xnli"
    assert task_reader(run, asked(task="mine", lang="en")) == "xstitch.sources.tasks.tsv"


def test_heads_get_only_labels_and_lengths():
    run = small_run()
    assert labels_of(run, "reviews") == ("negative", "neutral", "positive")
    assert head_settings(run, asked(task="reviews")) == {
        "labels": ["negative", "neutral", "positive"],
        "max_length": 64,
    }
    questions = {"labels": [], "max_length": 64, "stride": 8}
    assert head_settings(run, asked(task="questions")) == questions


def test_readers_get_no_keys_of_later_stages():
    run = small_run()
    settings = reading_settings(run, asked(task="questions", lang="de"))
    assert settings == {"kind": "squad", "language": "de"}
    assert reading_settings(run, asked(task="names", lang="de"))["edition"] == "2003"
    assert "edition" not in reading_settings(run, asked(task="pos", lang="de"))


def test_portions_are_numbered_starting_with_the_source():
    portions = [reading_settings(small_run(), asked(task="nli", lang=lang)) for lang in ("en", "de")]
    assert [(entry["portion"], entry["seed"]) for entry in portions] == [(0, 5), (1, 5)]


def test_own_texts_are_read_as_tsv_with_the_tasks_labels():
    settings = {"kind": "tsv", "labels": ["a", "b"], "train_limit": 8}
    assert reading_settings(small_run(), asked(task="mine", lang="en")) == settings
    run = small_run(tasks={"verses": {"files": {"de": {"test": "https://x.example/v"}}}})
    settings = reading_settings(run, asked(task="verses", lang="de"))
    assert (settings["kind"], len(settings["labels"])) == ("tsv", 6)


def test_own_files_come_first():
    folder = "resources/given/x.example"
    assert files("mine", "en") == {"train": f"{folder}/t", "dev": f"{folder}/d"}
    with pytest.raises(InputError, match=r"^config: tasks\.mine\.files\.de is missing: nothing else has"):
        files("mine", "de")


def test_files_of_verses():
    english = by_split("resources/taxi1500/v1/eng_data/eng_{split}.tsv")
    assert files("verses", "en") == english
    bible = {
        "references": "resources/ebible/v1/metadata/vref.txt",
        "verses": "resources/ebible/v1/corpus/deu1912.txt",
    }
    assert files("verses", "de") == {**english, **bible}
    assert files("verses", "sw") == by_split("resources/taxi1500-corpus/v1/sw_{split}.tsv")


def test_the_authors_own_verses_come_before_a_bible(tmp_path):
    local = {"taxi1500-corpus": str(tmp_path)}
    (tmp_path / "sw_test.tsv").touch()  # another language's
    assert files("verses", "de", local=local) == files("verses", "de")
    (tmp_path / "de_test.tsv").touch()
    with pytest.raises(InputError, match=r"de_train\.tsv: no such file \(taxi1500-corpus: a note\)$"):
        files("verses", "de", local=local)  # not half of each
    for split in ("train", "dev"):
        (tmp_path / f"de_{split}.tsv").touch()
    assert files("verses", "de", local=local) == by_split("resources/taxi1500-corpus/v1/de_{split}.tsv")
    assert files("verses", "en", local=local) == by_split("resources/taxi1500/v1/eng_data/eng_{split}.tsv")


def test_files_of_reviews_and_names():
    with pytest.raises(InputError, match=r"^marc: no train/dataset_de_train\.json"):
        files("reviews", "de")
    reviews = by_split("resources/marc/v1/{split}/dataset_de_{split}.json")
    assert files("reviews", "de", mirror="/copies") == reviews
    names = {"train": "deu.train", "dev": "deu.testa", "test": "deu.testb"}
    assert files("names", "de") == {split: f"resources/conll2003/v1/{file}" for split, file in names.items()}
    with pytest.raises(InputError, match=r"^config/languages\.tsv: sw: no file of the CoNLL"):
        files("names", "sw")


def test_files_of_questions():
    squad = {"train": "squad/v1/train-v1.1.json", "dev": "squad/v1/dev-v1.1.json"}
    english = {**squad, "test": "xquad/v1/xquad.en.json"}
    assert files("questions", "en") == {split: f"resources/{file}" for split, file in english.items()}
    assert files("questions", "de") == {"test": "resources/xquad/v1/xquad.de.json"}


def test_files_of_pairs():
    train = "resources/unpacked/xnli-mt/v1/XNLI-MT-1.0/multinli/multinli.train.de.tsv"
    assert files("nli", "de") == dict.fromkeys(("train", "dev", "test"), train)
    original = "resources/unpacked/xnli/v1/XNLI-1.0/xnli.{}.tsv"
    plain = task_input(
        small_run(tasks={"plain": {"kind": "xnli", "targets": ["de"]}}), asked(task="plain", lang="de")
    )
    assert plain == {"train": train, "dev": original.format("dev"), "test": original.format("test")}


def test_files_of_treebanks():
    folder = "resources/unpacked/ud/v1/ud-treebanks-vv1"
    assert files("pos", "de") == {
        "train": [f"{folder}/UD_D/d-ud-train.conllu"],
        "dev": [f"{folder}/UD_D/d-ud-dev.conllu"],
        "test": [f"{folder}/UD_D/d-ud-test.conllu", f"{folder}/UD_P/p-ud-test.conllu"],
    }
    with pytest.raises(InputError, match=r"^config: tasks\.pos\.treebanks\.sw is missing: name the"):
        files("pos", "sw")


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (
            "tydiqa",
            {
                "train": "resources/tydiqa/{}/tydiqa-goldp-v1.1-train.json",
                "test": "resources/tydiqa/{}/tydiqa-goldp-v1.1-dev.json",
            },
        ),
        ("panx", by_split("resources/unpacked/wikiann/{{}}/panx_dataset/qab.tar.gz.members/{split}")),
        ("wikiann", by_split("resources/unpacked/wikiann/{{}}/panx_dataset/qab.tar.gz.members/{split}")),
        (
            "tatoeba",
            {
                "sentences": "resources/tatoeba/{}/tatoeba.qab-qaa.qab",
                "english": "resources/tatoeba/{}/tatoeba.qab-qaa.qaa",
            },
        ),
    ],
)
def test_files_of_the_default_run(task, expected):
    run = default_run()
    name = "wikiann" if task == "panx" else task
    version = run.datasets[name].version
    inputs = task_input(run, asked(task=task, lang="qab"))
    assert inputs == {part: file.format(version) for part, file in expected.items()}


def test_which_languages_have_test_texts():
    run = small_run()
    assert [has_test(run, "verses", lang) for lang in ("en", "de", "sw")] == [True, True, False]
    assert has_test(small_run(local={"taxi1500-corpus": "/mine"}), "verses", "sw")
    assert not has_test(run, "mine", "en")  # its files have no test texts
    assert not has_test(run, "mine", "de")
    assert has_test(run, "reviews", "sw")
    assert not has_test(run, "reviews", "xx")


def test_texts_and_vectors_of_targets():
    run, job = small_run(), asked(recipe="lr", task="verses", lang="de")
    stem = "results/tasks/verses"
    assert texts_to_train(run, job) == [f"{stem}/de/train.parquet", f"{stem}/sw/train.parquet"]
    assert texts_to_test(run, job) == [f"{stem}/de/test.parquet", f"{stem}/sw/test.parquet"]
    assert all_splits(run, job) == [f"{stem}/de/{split}.parquet" for split in ("train", "dev", "test")]
    assert classified_vectors(run, job) == ["results/vectors/ft/de.npz", "results/vectors/ft/sw.npz"]
