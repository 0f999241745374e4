"""The mini world's images: CIFAR-10's archive and format, recognisable kinds, reproducible bytes."""

import io
import pickle
import tarfile

import numpy as np
import pytest

from xstitch.sources.images import read_batches
from xstitch.sources.world.images import BATCHES, FOLDER, KINDS, images_bytes
from xstitch.sources.world.settings import WorldSettings

SETTINGS = WorldSettings(images=201)


@pytest.fixture(scope="module")
def batches(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    with tarfile.open(fileobj=io.BytesIO(images_bytes(SETTINGS))) as archive:
        archive.extractall(folder, filter="data")
    return [folder / FOLDER / name for name in BATCHES]


def test_the_archive_is_read_like_the_original(batches):
    images = list(read_batches(batches))
    assert len(images) == 201
    assert images[0].name == "data_batch_1/00000"
    assert len({image.pixels.tobytes() for image in images}) == 201


def test_batches_have_the_original_keys(batches):
    batch = pickle.loads(batches[0].read_bytes(), encoding="bytes")  # noqa: S301 (our own)
    assert set(batch) == {b"batch_label", b"labels", b"data", b"filenames"}
    assert batch[b"data"].shape == (101, 3072)
    assert batch[b"data"].dtype == np.uint8
    assert len(batch[b"labels"]) == len(batch[b"filenames"]) == 101
    assert set(batch[b"labels"]) <= set(range(len(KINDS)))


def test_kinds_can_be_recognised(batches):
    content = [pickle.loads(batch.read_bytes(), encoding="bytes") for batch in batches]  # noqa: S301 (our own)
    (known, labels), (asked, truth) = ((b[b"data"].astype(float), np.array(b[b"labels"])) for b in content)
    means = np.stack([known[labels == kind].mean(axis=0) for kind in range(len(KINDS))])
    nearest = np.linalg.norm(asked[:, None] - means, axis=2).argmin(axis=1)
    assert np.mean(nearest == truth) > 0.6


def test_bytes_depend_on_the_seed_alone():
    assert images_bytes(SETTINGS) == images_bytes(SETTINGS)
    assert images_bytes(SETTINGS) != images_bytes(WorldSettings(images=201, seed=2))
