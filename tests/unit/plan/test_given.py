"""Files that the configuration names by path or address."""

from copy import deepcopy
from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.plan.extends import merge
from xstitch.plan.given import check_given, given_addresses, given_path
from xstitch.plan.overlays import load
from xstitch.plan.settings import describe_languages, load_tsv, validate

ROOT = Path(__file__).parents[3]
DEFAULT = load(ROOT / "config/config.yaml", [], {}, ROOT / "config")
OWN = {"kind": "tsv", "targets": ["qab"], "max_length": 9, "labels": ["a", "b"]}
URL = "https://vectors.example/v2/zh%20cut.vec.gz"
PLACE = "resources/given/vectors.example/v2/zh cut.vec.gz"


def changed(**changes):
    return merge(deepcopy(DEFAULT), changes)


def check(config):
    check_given(validate(config))


def test_a_path_is_used_as_it_is_and_an_address_has_a_path_below_resources(tmp_path, monkeypatch):
    (tmp_path / "zh.vec").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert given_path("zh.vec", "k") == "zh.vec"
    assert given_path("~/zh.vec", "k") == str(tmp_path / "zh.vec")
    assert given_path(URL, "k") == PLACE


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("nowhere.vec", "config: vectors.wiki.files.zh: nowhere.vec: no such file"),
        ("ftp://host/zh.vec", "ftp://host/zh.vec: only http:// and https://"),
        ("https://host/zh.vec?token=1", "https://host/zh.vec: an address must not have a query"),
    ],
)
def test_an_unavailable_file_is_one_line(value, message):
    with pytest.raises(InputError, match=message.replace("?", r"\?")) as caught:
        given_path(value, "vectors.wiki.files.zh")
    assert "\n" not in str(caught.value)
    assert "token" not in str(caught.value)


def test_all_addresses_are_listed_but_no_paths():
    config = changed(
        corpora={"cc100": {"files": {"qab": "https://text.example/qab.txt", "qac": "qac.txt"}}},
        vectors={"wiki": {"files": {"qab": URL}}},
        tasks={"taxi1500": {"files": {"qab": {"test": "http://texts.example/qab.tsv", "train": "qab.tsv"}}}},
    )
    assert given_addresses(config) == {
        "resources/given/text.example/qab.txt": "https://text.example/qab.txt",
        PLACE: URL,
        "resources/given/texts.example/qab.tsv": "http://texts.example/qab.tsv",
    }
    assert given_addresses(DEFAULT) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"vectors": {"wiki": {"files": {"xx": "x"}}}},
            "vectors.wiki.files: 'xx' is not defined; legal",
        ),
        ({"corpora": {"cc100": {"files": {"xx": "x"}}}}, "corpora.cc100.files: 'xx'"),
        ({"tasks": {"taxi1500": {"files": {"xx": {}}}}}, "tasks.taxi1500.files: 'xx'"),
        (
            {"vectors": {"new": {"origin": "import", "limit": None}}},
            "vectors.new: needs 'dataset' and 'file'",
        ),
        (
            {"vectors": {"new": {"origin": "import", "limit": 1, "dataset": "d", "files": {"qab": "x"}}}},
            "vectors.new: needs 'dataset' and 'file', or 'files' by language",
        ),
        (
            {"vectors": {"fasttext": {"files": {"qab": "x"}}}},
            "vectors.fasttext.files: not for train; leave it out",
        ),
        (
            {"tasks": {"taxi1500": {"files": {"qaa": {"dev": "d"}}}}},
            "tasks.taxi1500.files.qaa: the key 'train' is missing",
        ),
        (
            {"tasks": {"own": {**OWN, "files": {"qab": {"test": "t"}}}}},
            "tasks.own.files.qaa: the key 'train' is missing",
        ),
    ],
)
def test_what_cannot_work_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        check(changed(**change))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"vectors": {"new": {"origin": "import", "limit": 1, "files": {"qab": "x"}}}},
        {"tasks": {"taxi1500": {"files": {"qab": {"test": "t"}}}}},
        {"tasks": {"own": {**OWN, "files": {"qaa": {"train": "t", "dev": "d"}}}}},
        {"tasks": {"own": {**OWN, "files": {"qaa": {"train": "t"}}}}},
    ],
)
def test_what_can_work_is_accepted(change):
    check(changed(**change))


def test_the_configuration_can_describe_languages_and_override_the_list():
    listed = load_tsv(ROOT / "config/languages.tsv", "language")
    own = {"qae": {"name": "Mini E", "lexicon": "own"}, "zh": {"tokenizer": "icu"}, "en": {}, "typo": {}}
    described = describe_languages(listed, own)
    assert described["qae"]["name"] == "Mini E"
    assert described["qae"]["tokenizer"] == "unicode"
    assert described["qae"].keys() == listed["en"].keys()
    assert described["zh"] == {**listed["zh"], "tokenizer": "icu"}
    assert described["en"] == listed["en"]
    assert "typo" not in described
    assert listed["zh"]["tokenizer"] == "jieba"
