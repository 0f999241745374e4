"""Images as arrays: CIFAR-10's pickled batches, read without executing them, or a folder of image files."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from xstitch.core.errors import InputError

SIDE = 32  # of CIFAR-10's images
ENDINGS = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".webp")


class Image(NamedTuple):
    """A picture by name: rows x columns x red, green, blue, from 0 to 255."""

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
    """Read all images below a folder, called by their paths in it, in alphabetical order."""
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
    """Takes the place of a pickled array: its shape, type and bytes, from which nothing is executed."""

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, kind, by_column, content = state
        if not (
            isinstance(kind, _Kind) and kind.name == b"u1" and isinstance(content, bytes) and not by_column
        ):
            raise pickle.UnpicklingError("an array of other than plain bytes")
        self.pixels = np.frombuffer(content, dtype=np.uint8).reshape(shape)


class _Kind:
    """Takes the place of a pickled array's type, of which only the name counts."""

    def __init__(self, name: bytes | str, *_: Any) -> None:
        self.name = name.encode() if isinstance(name, str) else name

    def __setstate__(self, state: Any) -> None:
        """Byte order and the like mean nothing for single bytes."""


def _encoded(text: str, encoding: str) -> bytes:
    """Python 3 pickles bytes as text, to be encoded again."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"text encoded as {encoding}")
    return text.encode("latin1")


# All that the batches name; everything else is refused unread.
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
        """Find the stand-in of what a file names."""
        if (module, name) not in STANDINS:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which no batch of CIFAR-10 does")
        return STANDINS[module, name]


def _load_batch(path: Path) -> np.ndarray:
    """Read the pixels of a batch, one row an image."""
    try:
        with path.open("rb") as stream:
            batch = _DataUnpickler(stream, encoding="bytes").load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, IndexError) as problem:
        reason = " ".join(str(problem).split())[:80]
        raise InputError(
            f"{path}: not a batch of CIFAR-10, and not executed to see ({reason}); download it again"
        ) from problem
    held = batch if isinstance(batch, dict) else {}
    # Text where Python 3 pickled a batch anew, bytes in the originals.
    pixels = getattr(held.get(b"data", held.get("data")), "pixels", None)
    if pixels is None or pixels.ndim != 2 or pixels.shape[1] != 3 * SIDE * SIDE:
        size = 3 * SIDE * SIDE
        raise InputError(
            f"{path}: a batch of CIFAR-10 has {size} bytes an image under `data`; download it again"
        )
    return pixels
