"""VecMap against what the authors' program made of the same data (SHARED/golden), and the real en-zh pair."""

import numpy as np
import pyarrow as pa
import pytest
from conftest import SHARED

from xstitch.sources.lexica import lexicon_table, read_muse
from xstitch.spaces.bli import evaluate_bli
from xstitch.spaces.settings.alignment import VecmapSettings
from xstitch.spaces.vecmap import align
from xstitch.vectors.formats.read import read_vectors
from xstitch.vectors.table import Vectors

pytestmark = pytest.mark.real
MUSE = "dl.fbaipublicfiles.com/arrival/dictionaries"


@pytest.fixture(scope="module")
def golden():
    file = SHARED / "golden/vecmap_1200x50.npz"
    if not file.is_file():
        pytest.skip(f"no golden values at {file}")
    with np.load(file, allow_pickle=False) as archive:
        return dict(archive)


def table(pairs):
    source, target = ([f"w{i}" for i in side] for side in pairs.T)
    return pa.table({"source": source, "target": target})


def vectors(matrix):
    return Vectors([f"w{i}" for i in range(len(matrix))], matrix)


def test_the_supervised_map_is_the_authors(golden):
    pairs = table(golden["train_pairs"])
    ours = align(vectors(golden["source"]), vectors(golden["target"]), pairs, VecmapSettings())
    # An axis may point either way, but the same way on both sides.
    signs = np.sign((ours.source * golden["supervised_source"]).sum(axis=0))
    np.testing.assert_allclose(ours.source * signs, golden["supervised_source"], atol=5e-4)
    np.testing.assert_allclose(ours.target * signs, golden["supervised_target"], atol=5e-4)


@pytest.mark.parametrize("mode", ["unsupervised", "semi-supervised"])
def test_self_learning_reaches_the_authors_objective(golden, mode):
    seeds = table(golden["seed_pairs"]) if mode == "semi-supervised" else None
    ours = align(vectors(golden["source"]), vectors(golden["target"]), seeds, VecmapSettings(mode))
    assert ours.objective == pytest.approx(97.006, abs=0.01)
    found = evaluate_bli(vectors(ours.source), vectors(ours.target), table(golden["test_pairs"]))
    assert found.csls[1] == 100
    signs = np.sign((ours.source * golden["unsupervised_source"]).sum(axis=0))
    np.testing.assert_allclose(ours.source * signs, golden["unsupervised_source"], atol=5e-4)
    np.testing.assert_allclose(ours.target * signs, golden["unsupervised_target"], atol=5e-4)


def test_the_real_english_chinese_pair(mirror, data, capsys):
    english = read_vectors(data / "vectors/en.glove.100d.vec.gz", limit=50_000)
    chinese = read_vectors(data / "vectors/zh.word2vec.100d.vec.gz")
    train, test = (
        lexicon_table(read_muse(mirror / MUSE / f"en-zh.{part}.txt")) for part in ("0-5000", "5000-6500")
    )
    ours = align(english, chinese, train, VecmapSettings())
    found = evaluate_bli(Vectors(english.words, ours.source), Vectors(chinese.words, ours.target), test)
    with capsys.disabled():
        print(f"\nen-zh P@1: {found.csls[1]:.2f} CSLS, {found.nn[1]:.2f} NN, coverage {found.coverage:.2f} %")
    # The authors': 43.30, 42.44, 38.80.
    assert found.csls[1] >= 43.0
    assert found.nn[1] == pytest.approx(42.44, abs=0.3)
    assert found.coverage == pytest.approx(38.80, abs=0.005)
