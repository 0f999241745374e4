"""Independent random streams from one seed."""

from __future__ import annotations

from zlib import crc32

import numpy as np


def stream(seed: int, *names: str) -> np.random.Generator:
    """Return the generator of a named part, so that resizing one part does not change the others."""
    return np.random.default_rng(np.random.SeedSequence([seed, crc32("/".join(names).encode())]))
