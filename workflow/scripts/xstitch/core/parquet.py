"""Reading and writing Parquet: tables appear whole or not at all, text streams in row groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from xstitch.core.draws import nested_sample
from xstitch.core.errors import InputError
from xstitch.core.files import whole_file

ROW_GROUP = 10_000


def write_table(table: pa.Table, path: str | Path) -> None:
    """Write a table that fits in memory."""
    with whole_file(path) as partial:
        pq.write_table(table, partial)


def read_table(path: str | Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a table, refusing one that lacks a column."""
    try:
        return pq.ParquetFile(path).read(columns=list(columns) if columns else None)
    except (pa.ArrowException, OSError, KeyError) as problem:
        raise not_parquet(path, columns, problem) from problem


def not_parquet(path: str | Path, columns: Sequence[str] | None, problem: Exception) -> InputError:
    """Return the error for a file that is not the expected Parquet table; Arrow's own spans several lines."""
    expected = f" with the columns {', '.join(columns)}" if columns else ""
    reason = " ".join(str(problem).split())[:120]
    return InputError(f"{path}: not a complete Parquet file{expected} ({reason}); make it again")


def read_tables(paths: Iterable[str | Path]) -> pa.Table:
    """Read tables with the same columns and concatenate them."""
    return pa.concat_tables([read_table(path) for path in paths])


def write_rows(rows: Iterable[tuple], schema: pa.Schema, path: str | Path) -> int:
    """Write rows as they come, a row group at a time, and return their number."""
    count = 0
    with whole_file(path) as partial, pq.ParquetWriter(partial, schema) as writer:
        for group in _groups(rows, ROW_GROUP):
            fields = zip(schema, zip(*group, strict=True), strict=True)
            columns = [pa.array(values, field.type) for field, values in fields]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            count += len(group)
    return count


def stream_column(path: str | Path, column: str) -> Iterator[str]:
    """Yield one column's values without holding the file in memory."""
    try:
        for batch in pq.ParquetFile(path).iter_batches(ROW_GROUP, columns=[column]):
            yield from batch.column(column).to_pylist()
    except (pa.ArrowException, OSError, KeyError) as problem:
        raise not_parquet(path, [column], problem) from problem


def stream_sample(path: str | Path, column: str, size: int | None, seed: int) -> Iterator[str]:
    """Yield one column's values of a seeded sample of the rows, in their order; of all rows for None."""
    chosen = np.zeros(count_rows(path), dtype=bool)
    chosen[nested_sample(len(chosen), size, seed)] = True
    return compress(stream_column(path, column), chosen)


def count_rows(path: str | Path) -> int:
    """Return the number of rows, which the file's footer states."""
    try:
        return pq.ParquetFile(path).metadata.num_rows
    except (pa.ArrowException, OSError) as problem:
        raise not_parquet(path, None, problem) from problem


def stream_windows(
    path: str | Path, column: str, size: int, random: np.random.Generator
) -> Iterator[list[str]]:
    """Yield one column's values in windows of `size` neighbours, each window once, in random order."""
    try:
        file = pq.ParquetFile(path)
        windows = [
            (group, start)
            for group in range(file.num_row_groups)
            for start in range(0, file.metadata.row_group(group).num_rows, size)
        ]
        for number in random.permutation(len(windows)):
            group, start = windows[number]
            values = file.read_row_group(group, columns=[column]).column(column)
            yield values.slice(start, size).to_pylist()
    except (pa.ArrowException, OSError, KeyError) as problem:
        raise not_parquet(path, [column], problem) from problem


def _groups(rows: Iterable[tuple], size: int) -> Iterator[list[tuple]]:
    group: list[tuple] = []
    for row in rows:
        group.append(row)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group
