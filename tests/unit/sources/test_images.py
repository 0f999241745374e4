"""Images: CIFAR-10's batches read as data, hostile pickles refused, folders."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from xstitch.core.errors import InputError
from xstitch.sources.images import read_batches, read_folder


def write_batch(path: Path, content, protocol=2) -> Path:
    path.write_bytes(pickle.dumps(content, protocol=protocol))
    return path


@pytest.fixture
def pixels():
    return np.random.default_rng(0).integers(256, size=(4, 3 * 32 * 32), dtype=np.uint8)


@pytest.mark.parametrize("protocol", [2, 4])
def test_a_batch_is_red_then_green_then_blue(tmp_path, pixels, protocol):
    batch = write_batch(tmp_path / "data_batch_1", {b"data": pixels, b"labels": [1, 2, 3, 4]}, protocol)
    images = list(read_batches([batch, batch]))
    assert [image.name for image in images[:2]] == ["data_batch_1/00000", "data_batch_1/00001"]
    assert len(images) == 8
    assert images[3].pixels.shape == (32, 32, 3)
    for colour in range(3):
        assert images[3].pixels[2, 5, colour] == pixels[3, 1024 * colour + 2 * 32 + 5]


def test_a_batch_with_text_keys_is_read(tmp_path, pixels):
    batch = write_batch(tmp_path / "again", {"data": pixels, "labels": [1, 2, 3, 4]})
    assert [image.pixels.shape for image in read_batches([batch])] == [(32, 32, 3)] * 4


def python2_batch(pixels: np.ndarray) -> bytes:
    """Build a batch as Python 2 pickled CIFAR-10: byte strings, numpy's old name, protocol 2."""
    content = pixels.tobytes()
    shape = b"(K" + bytes([len(pixels)]) + b"M\x00\x0ct"
    return (
        b"\x80\x02}U\x04datacnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        + b"(K\x01"
        + shape
        + b"cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R"
        + b"(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T"
        + len(content).to_bytes(4, "little")
        + content
        + b"tbs."
    )


def test_a_batch_of_python_2_is_read(tmp_path, pixels):
    (tmp_path / "old").write_bytes(python2_batch(pixels))
    np.testing.assert_array_equal(
        next(read_batches([tmp_path / "old"])).pixels, pixels[0].reshape(3, 32, 32).transpose(1, 2, 0)
    )


class Hostile:
    """Runs a command when a trusting reader unpickles it."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return os.mkdir, (str(self.target),)


def test_nothing_in_a_batch_is_executed(tmp_path, pixels):
    batch = write_batch(tmp_path / "bad", {b"data": pixels, b"labels": Hostile(tmp_path / "made")})
    with pytest.raises(InputError, match=r"bad: not a CIFAR-10 batch .*mkdir.*nothing in it was executed"):
        list(read_batches([batch]))
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "content",
    [
        {b"data": np.zeros((2, 5), np.uint8)},
        {b"data": np.zeros((2, 3072))},
        {b"data": np.array([{}, []], dtype=object)},
        {b"labels": [1]},
        [1, 2],
    ],
)
def test_other_content_is_refused_in_one_line(tmp_path, content):
    with pytest.raises(InputError, match=r"batch: .*CIFAR-10"):
        list(read_batches([write_batch(tmp_path / "batch", content)]))


def test_broken_files_are_refused_in_one_line(tmp_path, pixels):
    batch = write_batch(tmp_path / "batch", {b"data": pixels})
    for content in (batch.read_bytes()[:-50], b"", b"<html>"):
        batch.write_bytes(content)
        with pytest.raises(InputError, match="batch: not a CIFAR-10 batch"):
            list(read_batches([batch]))


def test_a_folder_is_read_in_alphabetical_order(tmp_path):
    (tmp_path / "b").mkdir()
    Picture.new("RGB", (4, 2), (255, 0, 9)).save(tmp_path / "b" / "one.png")
    Picture.new("L", (3, 3), 7).save(tmp_path / "a.jpg")
    (tmp_path / "notes.txt").write_text("no image")
    images = list(read_folder(tmp_path))
    assert [image.name for image in images] == ["a.jpg", "b/one.png"]
    assert images[1].pixels.shape == (2, 4, 3)
    assert images[1].pixels[0, 0].tolist() == [255, 0, 9]
    assert images[0].pixels[0, 0].tolist() == [7, 7, 7]


def test_a_folder_without_images_or_with_a_broken_one_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no image"):
        list(read_folder(tmp_path))
    (tmp_path / "x.png").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"x\.png: not a readable image"):
        list(read_folder(tmp_path))
