"""Vectors that do not fit into memory: rows of one matrix in a file, read by number."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np


class RowFile:
    """Rows of float32, appended in blocks and read in any order; the file goes with the process.

    This is not a memory map: what a process has touched of one counts as its memory, and a training touches
    all of it.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        # It has no name, so that a killed job leaves nothing behind.
        self.file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (open as long as the rows are needed)
        self.width = 0
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def append(self, rows: np.ndarray) -> None:
        """Add rows behind those that are there."""
        if self.count and rows.shape[1] != self.width:
            raise ValueError(f"rows of {rows.shape[1]} dimensions behind rows of {self.width}")
        self.width = rows.shape[1]
        self.file.write(np.ascontiguousarray(rows, dtype=np.float32).data)
        self.file.flush()
        self.count += len(rows)

    def __getitem__(self, numbers: np.ndarray) -> np.ndarray:
        """Read the rows with these numbers, in their order."""
        rows = np.empty((len(numbers), self.width), dtype=np.float32)
        size = rows.itemsize * self.width
        for row, number in zip(rows, numbers.tolist(), strict=True):
            os.preadv(self.file.fileno(), [row.data], number * size)
        return rows
