"""Readers on real files."""

from collections import Counter

import pytest

from xstitch.sources.lexica import lexicon_table, read_muse
from xstitch.sources.tasks.taxi1500 import LABELS, join_verses, read_labelled
from xstitch.vectors.formats.read import read_vectors

pytestmark = pytest.mark.real
MUSE = "dl.fbaipublicfiles.com/arrival/dictionaries"
TAXI = "raw.githubusercontent.com/cisnlp/Taxi1500/main/eng_data"
EBIBLE = "raw.githubusercontent.com/BibleNLP/ebible/main"


def test_every_muse_dictionary_is_read(mirror):
    files = sorted((mirror / MUSE).glob("*.txt"))
    sizes = {file.name: len(lexicon_table(read_muse(file))) for file in files}
    assert len(sizes) == 42
    assert min(sizes.values()) > 1400
    assert sizes["en-de.txt"] > 100_000


def test_taxi1500_has_its_published_sizes_and_labels(mirror):
    sizes = {}
    for split in ("train", "dev", "test"):
        rows = list(read_labelled(mirror / TAXI / f"eng_{split}.tsv"))
        sizes[split] = len(rows)
        assert set(Counter(label for _, label, _ in rows)) == set(LABELS)
    assert sizes == {"train": 860, "dev": 106, "test": 111}


@pytest.mark.parametrize("bible", ["deu-deu1912", "spa-spaRV1909", "cmn-cmnfeb"])
def test_every_label_finds_its_verse(mirror, bible):
    rows = list(
        join_verses(
            mirror / TAXI / "eng_test.tsv",
            mirror / EBIBLE / "metadata/vref.txt",
            mirror / EBIBLE / f"corpus/{bible}.txt",
        )
    )
    assert len(rows) == 111
    assert all(text for _, _, text in rows)


def test_real_vectors_are_read(data):
    vectors = read_vectors(data / "vectors/zh.word2vec.100d.vec.gz", limit=2000)
    assert vectors.matrix.shape == (2000, 100)
    assert len(set(vectors.words)) == 2000
