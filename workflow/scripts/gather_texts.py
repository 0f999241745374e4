"""Gather texts of a language for a task, without labels."""

from itertools import islice
from pathlib import Path

import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.core.job import job
from xstitch.core.parquet import count_rows, stream_column, write_table

with job(snakemake):
    source = Path(snakemake.input.texts)
    step = max(1, -(-count_rows(source) // snakemake.params.limit))  # every so many texts, one is taken
    texts = list(islice(stream_column(source, "text"), 0, None, step))
    if not texts:
        raise InputError(f"{source}: has no texts; add some of the language to the files it is made from")
    write_table(pa.table({"text": pa.array(texts, pa.string())}), snakemake.output.texts)
    print(f"{len(texts):,} texts")
