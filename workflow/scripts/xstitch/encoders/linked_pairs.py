"""Which sentence pairs are linked word by word, and the file of their links, in the order of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from xstitch.core.errors import InputError
from xstitch.core.files import load_npz, save_npz

NO_LINKS = np.zeros((0, 2), dtype=np.int64)


def short_pairs(source: Sequence[str], target: Sequence[str], max_words: int | None) -> np.ndarray:
    """Mark the pairs whose sentences both have words, but no more than allowed; None allows any number."""
    lengths = np.array([[len(text.split()) for text in texts] for texts in (source, target)])
    return ((lengths > 0) & (lengths <= (max_words or np.inf))).all(axis=0)


def save_links(links: Sequence[np.ndarray], path: str | Path) -> None:
    """Write each pair's links: position of the source word, position of the target word."""
    offsets = np.concatenate([[0], np.cumsum([len(found) for found in links])])
    save_npz(
        path, links=np.concatenate([NO_LINKS, *links]).astype(np.int32), offsets=offsets.astype(np.int64)
    )


def load_links(path: str | Path, pairs: int) -> list[np.ndarray]:
    """Read the links of a corpus with this number of sentence pairs."""
    arrays = load_npz(path)
    if missing := {"links", "offsets"} - arrays.keys():
        raise InputError(f"{path}: has no {' and no '.join(sorted(missing))}; make it again")
    if len(arrays["offsets"]) != pairs + 1:
        raise InputError(
            f"{path}: has links of {len(arrays['offsets']) - 1} sentence pairs, not of {pairs}; make it again"
        )
    return np.split(arrays["links"].astype(np.int64), arrays["offsets"][1:-1])
