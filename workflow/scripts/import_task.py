"""Read the labelled texts of a task in one language."""

import pyarrow as pa

from xstitch.job import job
from xstitch.parquet import write_rows
from xstitch.tasks.taxi1500 import join_verses, read_labelled
from xstitch.text import spaced

SCHEMA = pa.schema([(name, pa.string()) for name in ("id", "label", "text")])

with job(snakemake):
    verses = snakemake.input.get("verses")
    for split, path in snakemake.output.items():
        labelled = snakemake.input[split]
        rows = (
            join_verses(labelled, snakemake.input.references, verses) if verses else read_labelled(labelled)
        )
        rows = ((key, label, spaced(text, snakemake.params.tokenizer)) for key, label, text in rows)
        print(f"{split}: {write_rows(rows, SCHEMA, path):,} texts")
