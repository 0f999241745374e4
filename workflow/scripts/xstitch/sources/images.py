"""Images as arrays: CIFAR-10's pickled batches, read without executing them, or a folder of image files."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from xstitch.core.errors import InputError

SIDE = 32  # pixels of CIFAR-10's images
ENDINGS = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".webp")


class Image(NamedTuple):
    """A named image: rows x columns x red, green, blue, from 0 to 255."""

    name: str
    pixels: np.ndarray


def read_batches(paths: Iterable[str | Path]) -> Iterator[Image]:
    """Read CIFAR-10's python batches: each image is a row of red, then green, then blue."""
    for path in paths:
        batch = _load_batch(Path(path))
        planes = batch.reshape(len(batch), 3, SIDE, SIDE).transpose(0, 2, 3, 1)
        for number, pixels in enumerate(planes):
            yield Image(f"{Path(path).name}/{number:05d}", pixels)


def read_folder(folder: str | Path) -> Iterator[Image]:
    """Read all images below a folder in alphabetical order, named by their paths in it."""
    try:
        from PIL import Image as Picture
        from PIL import UnidentifiedImageError
    except ImportError as problem:
        raise InputError(
            "image files need Pillow: pip install -c requirements/constraints.txt -r requirements/vision.txt"
        ) from problem
    files = sorted(file for file in Path(folder).rglob("*") if file.suffix.lower() in ENDINGS)
    if not files:
        raise InputError(f"{folder}: holds no image; known endings: {' '.join(ENDINGS)}")
    for file in files:
        try:
            with Picture.open(file) as picture:
                yield Image(str(file.relative_to(folder)), np.asarray(picture.convert("RGB")))
        except (UnidentifiedImageError, OSError, ValueError) as problem:
            raise InputError(f"{file}: not a readable image ({problem}); remove or replace it") from problem


class _Array:
    """Stands in for a pickled array: takes its shape, type and bytes, and executes nothing."""

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, kind, by_column, content = state
        if not (
            isinstance(kind, _Kind) and kind.name == b"u1" and isinstance(content, bytes) and not by_column
        ):
            raise pickle.UnpicklingError("an array that is not of plain bytes")
        self.pixels = np.frombuffer(content, dtype=np.uint8).reshape(shape)


class _Kind:
    """Stands in for a pickled array's type; only its name matters."""

    def __init__(self, name: bytes | str, *_: Any) -> None:
        self.name = name.encode() if isinstance(name, str) else name

    def __setstate__(self, state: Any) -> None:
        """Ignore byte order and the like, which mean nothing for single bytes."""


def _encoded(text: str, encoding: str) -> bytes:
    """Turn text back into bytes: at old protocols, Python 3 pickles bytes as text."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"text encoded as {encoding}")
    return text.encode("latin1")


# All that the batches refer to; everything else is refused unread.
STANDINS: dict[tuple[str, str], Callable[..., Any]] = {
    **{
        (module, "_reconstruct"): lambda *_: _Array()
        for module in ("numpy.core.multiarray", "numpy._core.multiarray")
    },
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Kind,
    ("_codecs", "encode"): _encoded,
}


class _DataUnpickler(pickle.Unpickler):
    """Builds dictionaries, lists, text, numbers and stand-ins for arrays; calls nothing that a file names."""

    def find_class(self, module: str, name: str) -> Any:
        """Find the stand-in for a class or function that a file names."""
        if (module, name) not in STANDINS:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which no CIFAR-10 batch does")
        return STANDINS[module, name]


def _load_batch(path: Path) -> np.ndarray:
    """Read the pixels of a batch, one row per image."""
    try:
        with path.open("rb") as stream:
            batch = _DataUnpickler(stream, encoding="bytes").load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, IndexError) as problem:
        reason = " ".join(str(problem).split())[:80]
        raise InputError(
            f"{path}: not a CIFAR-10 batch ({reason}); nothing in it was executed: download it again"
        ) from problem
    content = batch if isinstance(batch, dict) else {}
    # Keys are bytes in the originals, text in batches that Python 3 has pickled again.
    pixels = getattr(content.get(b"data", content.get("data")), "pixels", None)
    if pixels is None or pixels.ndim != 2 or pixels.shape[1] != 3 * SIDE * SIDE:
        size = 3 * SIDE * SIDE
        raise InputError(
            f"{path}: a CIFAR-10 batch has {size} bytes per image under `data`; download it again"
        )
    return pixels
