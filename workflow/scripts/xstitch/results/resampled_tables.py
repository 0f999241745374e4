"""A table's cells with their resamples, as a file: what claims are judged by.

The resamples of cells are paired, within a table and with those of other tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from xstitch.core.files import whole_file
from xstitch.results.ranges import Range
from xstitch.results.resampling import covered_levels, pooled
from xstitch.results.tables import Grid

FIELDS = ("row", "column", "covers", "seeds", "chains")
NO_RANGE = (np.nan, np.nan, 0.0)


@dataclass(frozen=True)
class Known:
    """A number and its resamples, if there are any, and what they cover."""

    resamples: np.ndarray  # the number itself, then its resamples
    covers: frozenset[str] = frozenset()
    seeds: frozenset[int] = frozenset()  # how many of them the numbers have that it is made of
    chains: int = 0
    within: Range | None = None  # the numbers that it can be
    freedom: float = math.inf  # degrees of freedom that languages or target sets leave at most


Cells = Mapping[tuple[str, str], Known]  # by row and column


@dataclass(frozen=True)
class ResampledTable:
    """The cells that a run has of a table, by row and column, and the scale of the run."""

    cells: Cells
    scale: str


def write_resamples(grid: Grid, scale: str, path: str | Path, seed: int) -> None:
    """Write the cells of this run, in which chains, seeds and items were drawn."""
    filled = {key: cell for key, cell in grid.items() if cell.runs}
    described = [
        (*key, " ".join(covered_levels(cell.runs)), cell.seeds, cell.chains) for key, cell in filled.items()
    ]
    arrays = {name: np.array([cell[number] for cell in described]) for number, name in enumerate(FIELDS)}
    arrays["within"] = np.array(
        [astuple(cell.within) if cell.within else NO_RANGE for cell in filled.values()], dtype=float
    )
    arrays["resamples"] = np.array([pooled(cell.runs, seed) for cell in filled.values()])
    with whole_file(path) as partial, partial.open("wb") as stream:
        np.savez_compressed(stream, scale=np.array(scale), **arrays)


def read_resamples(path: str | Path) -> ResampledTable:
    """Read what `write_resamples` wrote."""
    with np.load(path, allow_pickle=False) as file:
        columns = [file[name].tolist() for name in FIELDS]
        cells = {
            (row, column): Known(
                resamples, frozenset(covers.split()), frozenset([seeds]), chains, _range(*within)
            )
            for row, column, covers, seeds, chains, within, resamples in zip(
                *columns, file["within"], file["resamples"], strict=True
            )
        }
        return ResampledTable(cells, str(file["scale"]))


def _range(low: float, high: float, difference: float) -> Range | None:
    return None if np.isnan(low) else Range(float(low), float(high), bool(difference))
