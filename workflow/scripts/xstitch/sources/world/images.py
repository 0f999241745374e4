"""Images: CIFAR-10's archive of python batches, with generated pictures of ten kinds."""

from __future__ import annotations

import gzip
import io
import pickle
import tarfile
from math import cos, pi

import numpy as np

from xstitch.core.draws import bell
from xstitch.sources.world.settings import WorldSettings
from xstitch.sources.world.streams import stream

KINDS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
FOLDER = "cifar-10-batches-py"
BATCHES = ("data_batch_1", "data_batch_2")  # the original has five, and a test batch
SIDE = 32
WAVES = 6  # along each side; their products make the pictures


def images_bytes(settings: WorldSettings) -> bytes:
    """Write the archive: half of the images in each batch."""
    rng = stream(settings.seed, "images")
    kinds = rng.integers(len(KINDS), size=settings.images)
    pixels = _pictures(rng, kinds)
    packed = io.BytesIO()
    # Without dates, so that every run writes the same bytes.
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as archive,
    ):
        for number, rows in enumerate(np.array_split(np.arange(settings.images), len(BATCHES)), start=1):
            content = _batch(number, kinds[rows], pixels[rows])
            entry = tarfile.TarInfo(f"{FOLDER}/{BATCHES[number - 1]}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def _pictures(rng: np.random.Generator, kinds: np.ndarray) -> np.ndarray:
    """Draw waves of each colour around those of the picture's kind; high ones are faint, as in photos."""
    across = _cosines()
    faint = 1 + np.add.outer(np.arange(WAVES), np.arange(WAVES))
    typical = bell(rng, (len(KINDS), 3, WAVES, WAVES))
    waves = (typical[kinds] + bell(rng, (len(kinds), 3, WAVES, WAVES))) // faint
    pictures = across.T @ waves @ across  # exact: integers
    spread = np.abs(pictures).max(axis=(1, 2, 3), keepdims=True)
    return (127 + 127 * pictures // spread).astype(np.uint8).reshape(len(kinds), -1)


def _cosines() -> np.ndarray:
    """Return waves x positions: cosines in 4096ths, coarse enough to be the same with any math library."""
    return np.array(
        [
            [round(4096 * cos(pi * wave * (position + 0.5) / SIDE)) for position in range(SIDE)]
            for wave in range(WAVES)
        ]
    )


def _batch(number: int, kinds: np.ndarray, pixels: np.ndarray) -> bytes:
    """Pickle a batch with CIFAR-10's keys, because that is the format; sources.images reads it safely."""
    names = [f"{KINDS[kind]}_s_{row:06d}.png".encode() for row, kind in enumerate(kinds.tolist())]
    content = {
        b"batch_label": f"training batch {number} of {len(BATCHES)}".encode(),
        b"labels": kinds.tolist(),
        b"data": pixels,
        b"filenames": names,
    }
    return pickle.dumps(content, protocol=2)
