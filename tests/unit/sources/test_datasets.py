"""The table of data sets, as shipped and as users may break it."""

from __future__ import annotations

from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.fetch.addresses import mirrored
from xstitch.sources.fetch.datasets import COLUMNS, Dataset, head_path, load_datasets, split_path

TABLE = Path(__file__).parents[3] / "config" / "datasets.tsv"
NAMES = """muse wordsim semeval2017 fasttext-wiki fasttext-crawl muse-vectors fasttext-aligned
cc100 panlex-lite panlex-meanings panlex-meanings-parquet panlex-swadesh
taxi1500 ebible marc xnli xnli-mt squad xquad tydiqa ud wikiann conll2002
conll2003 tatoeba opus wikimatrix iitb wikipedia2018 cifar10 hub taxi1500-corpus"""


def write(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["\t".join(COLUMNS), *rows]) + "\n", encoding="utf-8")
    return path


def test_the_shipped_table_has_addresses_or_notes() -> None:
    datasets = load_datasets(TABLE)
    assert list(datasets) == NAMES.split()
    for dataset in datasets.values():
        if dataset.url:
            file = "folder/file.txt" if "{file}" in dataset.url else ""
            assert mirrored(dataset.address(file), "/m").startswith("/m/")
        else:
            with pytest.raises(InputError, match="cannot be downloaded"):
                dataset.address("x")


def test_addresses_are_made_from_file_names() -> None:
    datasets = load_datasets(TABLE)
    muse = "https://dl.fbaipublicfiles.com/arrival/dictionaries/en-de.0-5000.txt"
    assert datasets["muse"].address("en-de.0-5000.txt") == muse
    assert datasets["panlex-lite"].address() == datasets["panlex-lite"].address("panlex_lite.zip")
    assert (
        datasets["opus"]
        .address("Tanzil/v1/moses/de-en.txt.zip")
        .endswith("/OPUS-Tanzil/v1/moses/de-en.txt.zip")
    )
    with pytest.raises(InputError, match="one file"):
        datasets["panlex-lite"].address("other.zip")


@pytest.mark.parametrize(
    "file", ["", "/x", "../x", "a/../x", "a/./x", "a//x", "x/", "x?y", "x#y", "a b", "%2e%2e/x"]
)
def test_files_without_a_plain_path_are_refused(file: str) -> None:
    dataset = Dataset("d", "1", "https://h.example/{file}", "", "free", "")
    with pytest.raises(InputError, match="plain path"):
        dataset.address(file)


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ("d\t1\thttps://h.example/x\t\tfree", "5 fields"),
        ("d/e\t1\thttps://h.example/x\t\tfree\t", "dataset 'd/e'"),
        ("d\t..\thttps://h.example/x\t\tfree\t", "version '..'"),
        ("d\t1\tftp://h.example/x\t\tfree\t", "only http"),
        ("d\t1\thttps://h.example/../x\t\tfree\t", "must not have"),
        ("d\t1\thttps://h.example/{lang}\t\tfree\t", "no other braces"),
        ("d\t1\thttps://h.example/{file}/{file}\t\tfree\t", "once"),
        ("d\t1\thttps://h.example/x\tabc\tfree\t", "64 hexadecimal"),
        ("d\t1\thttps://h.example/{file}\t" + "a" * 64 + "\tfree\t", "one file"),
        ("d\t1\thttps://h.example/x\t\t\t", "licence"),
        ("d\t1\t\t\tfree\t", "the note must say"),
        ("ok\t1\thttps://h.example/x\t\tfree\t", "listed twice"),
        ("", "1 fields"),
    ],
)
def test_bad_rows_are_refused_with_file_and_line(tmp_path: Path, row: str, match: str) -> None:
    table = write(tmp_path / "t.tsv", "ok\t1\thttps://h.example/x\t\tfree\t", row)
    with pytest.raises(InputError, match=match) as caught:
        load_datasets(table)
    assert str(caught.value).startswith(f"{table}, line 3: ")


def test_a_bad_header_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("dataset,url\n")
    with pytest.raises(InputError, match=r"line 1: the columns must be dataset, version"):
        load_datasets(tmp_path / "t.tsv")


def test_paths_say_whether_a_file_or_its_head_is_meant():
    for path, parts in {"a/b.xz": ("a/b.xz", None), "first-12/a/b.xz": ("a/b.xz", 12)}.items():
        assert split_path(path) == parts and head_path(*parts) == path
    assert split_path("first-x/a") == ("first-x/a", None)
