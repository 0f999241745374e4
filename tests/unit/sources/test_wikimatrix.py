"""WikiMatrix: pairs above a threshold, the same ids in every language, wrong files."""

import gzip
from types import SimpleNamespace

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.tasks.wikimatrix import files, labels, read, read_pairs

SPANISH = (
    "1.2\tYes.\tSí.\n1.15\tOK\tOK\n1.1\tNo.\tNo, no.\n1.1\tDog.\tPerro.\n"
    "1.08\tNo.\tNada.\n1.05\tCat.\tGato.\n"
)
GERMAN = "1.3\tKatze.\tCat.\n1.2\tNein.\tNo.\n1.1\tJa.\tYes.\n1.09\tOK\tOK\n"


def write(folder, pair, text):
    path = folder / f"WikiMatrix.{pair}.tsv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    return str(path)


@pytest.fixture
def pairs(tmp_path):
    return {"es": write(tmp_path, "en-es", SPANISH), "de": write(tmp_path, "de-en", GERMAN)}


def test_pairs_end_at_the_threshold_and_columns_follow_the_files_name(pairs):
    # English is the first column next to Spanish, the second next to German. Equal sides are left out.
    assert list(read_pairs(pairs["es"], "es", 1.1)) == [
        ("Yes.", "Sí."),
        ("No.", "No, no."),
        ("Dog.", "Perro."),
    ]
    assert list(read_pairs(pairs["de"], "de", 1.2)) == [("Cat.", "Katze."), ("No.", "Nein.")]


def test_ids_are_the_same_in_every_language(pairs):
    # Yes and No have partners in both languages; Dog has none in German, Cat scores too low in Spanish.
    # The English sentences are in order; of two translations of No the better one is taken.
    texts = {
        lang: [row[::2] for row in read(pairs, "train", {"language": lang, "threshold": 1.06})]
        for lang in ("en", "es", "de")
    }
    assert texts == {
        "en": [("1", "No."), ("2", "Yes.")],
        "es": [("1", "No, no."), ("2", "Sí.")],
        "de": [("1", "Nein."), ("2", "Ja.")],
    }
    assert list(read(pairs, "test", {"language": "en", "threshold": 1.06})) == []
    assert labels({}) == ()


def test_files_of_all_targets_are_needed_for_each_language():
    places = SimpleNamespace(source="en", resource=lambda *names: "/".join(names))
    task = {"targets": ["es", "de"]}
    expected = {
        "es": "wikimatrix/WikiMatrix.en-es.tsv.gz",
        "de": "wikimatrix/WikiMatrix.de-en.tsv.gz",
    }
    assert files("en", task, places) == files("de", task, places) == expected
    with pytest.raises(InputError, match="sentences in fr; add it to its targets"):
        files("fr", task, places)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"plain", "cannot be read .*download it again"),
        (gzip.compress(b"1.2\ta\tb\n" * 99, mtime=0)[:-9], "cannot be read .*download it again"),
        (gzip.compress(b"1.2\tonly one\n", mtime=0), r"tsv\.gz:1: a score and two sentences"),
        (gzip.compress(b"1.2\ta\tb\nbest\ta\tb\n", mtime=0), r"tsv\.gz:2: not a score: 'best'"),
        (gzip.compress(b"1.2\ta\t\xff\n", mtime=0), "not UTF-8"),
        (gzip.compress(b"1.01\ta\tb\n", mtime=0), "holds no sentence of all targets"),
    ],
    ids=["not gzip", "cut", "two fields", "no score", "not UTF-8", "below the threshold"],
)
def test_wrong_files_are_refused_in_one_line(tmp_path, content, message):
    path = tmp_path / "WikiMatrix.en-es.tsv.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read({"es": str(path)}, "train", {"language": "es", "threshold": 1.06}))
