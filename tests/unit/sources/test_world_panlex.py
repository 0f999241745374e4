"""The mini world's forms of PanLex, read by the readers of the real files."""

import zipfile
from pathlib import Path

import pytest

from xstitch.sources.lexica import lexicon_table
from xstitch.sources.panlex import read_panlex_lite, read_panlex_meanings, read_swadesh
from xstitch.sources.world.concepts import make_concepts
from xstitch.sources.world.lexicon import SINGULAR, make_lexicons
from xstitch.sources.world.panlex import panlex_bytes
from xstitch.sources.world.panlex_files import (
    MEANINGS,
    MEANINGS_PARQUET,
    SWADESH,
    panlex_addresses,
    panlex_files,
)
from xstitch.sources.world.settings import WorldSettings

SETTINGS = WorldSettings.from_config({"seed": 3, "concepts": 150, "languages": {"qaa": {}, "qac": {}}})
PAIR = ("qaa-000", "qac-000")


@pytest.fixture(scope="module")
def lexicons():
    return make_lexicons(SETTINGS, make_concepts(SETTINGS))


@pytest.fixture(scope="module")
def files(tmp_path_factory, lexicons):
    """Write the files to their addresses, and the unpacked database next to them."""
    root = tmp_path_factory.mktemp("world")
    for address, content in panlex_files(SETTINGS, make_concepts(SETTINGS), lexicons):
        (root / address).parent.mkdir(parents=True, exist_ok=True)
        (root / address).write_bytes(content)
    (root / "lite.zip").write_bytes(panlex_bytes(SETTINGS, make_concepts(SETTINGS), lexicons))
    with zipfile.ZipFile(root / "lite.zip") as archive:
        archive.extractall(root)
    return root


def meanings(root: Path, pattern: str):
    source, target = ([root / pattern.format(iso=uid[:3])] for uid in PAIR)
    return lexicon_table(read_panlex_meanings(source, target, *PAIR))


def test_the_announced_files_are_written(files):
    assert all((files / address).is_file() for address in panlex_addresses(["qaa", "qac"]))


def test_tsv_and_parquet_have_the_same_pairs(files):
    tsv = meanings(files, MEANINGS + "/{iso}.tsv")
    assert tsv.num_rows > 50
    assert tsv == meanings(files, MEANINGS_PARQUET + "/{iso}/train/0.parquet")


def test_the_files_of_meanings_have_the_pairs_of_the_database(files):
    lite = lexicon_table(read_panlex_lite(files / "panlex_lite/db.sqlite", *PAIR))
    pairs = [
        set(zip(*(table[side].to_pylist() for side in ("source", "target")), strict=True))
        for table in (lite, meanings(files, MEANINGS + "/{iso}.tsv"))
    ]
    assert pairs[0] == pairs[1]


def test_swadesh_lists_pair_words_of_the_same_concept(files, lexicons):
    same = {
        (source_forms[SINGULAR], target_forms[SINGULAR])
        for source, target in zip(lexicons["qaa"].words, lexicons["qac"].words, strict=True)
        for source_forms in source
        for target_forms in target
    }
    listed = [(source, target) for source, target, _ in read_swadesh(files / SWADESH, *PAIR)]
    assert len(listed) > 100
    assert set(listed) <= same
