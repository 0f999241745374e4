"""Read the labelled texts of a task in one language."""

import pyarrow as pa

from xstitch.job import job
from xstitch.parquet import write_rows
from xstitch.tasks.examples import Example, sampled
from xstitch.tasks.readers import load_reader
from xstitch.text import spaced

SCHEMA = pa.schema([(name, pa.string()) for name in Example._fields])

with job(snakemake):
    task, tokenizer = snakemake.params.task, snakemake.params.tokenizer
    reader, files = load_reader(task["reader"]), dict(snakemake.input.items())
    for split, path in snakemake.output.items():
        limit = task.get("train_limit") if split == "train" else None
        examples = sampled(reader.read(files, split, task), limit, snakemake.params.seed)
        rows = (example._replace(text=spaced(example.text, tokenizer)) for example in examples)
        print(f"{split}: {write_rows(rows, SCHEMA, path):,} texts")
