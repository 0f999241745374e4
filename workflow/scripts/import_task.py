"""Read the rows of a task in one language."""

from xstitch.core.job import job
from xstitch.core.parquet import write_rows
from xstitch.sources.segmentation import spaced
from xstitch.sources.tasks.readers import READERS, load_reader
from xstitch.sources.tasks.rows import SCHEMAS, sampled, with_unique_ids

with job(snakemake):
    task, row_kind = snakemake.params.task, READERS[snakemake.params.task["kind"]]
    reader, files = load_reader(task["kind"]), dict(snakemake.input.items())
    for split, path in snakemake.output.items():
        limit = task.get("train_limit") if split == "train" else None
        rows = sampled(with_unique_ids(reader.read(files, split, task)), limit, snakemake.params.seed)
        if row_kind == "texts":  # static vectors are averaged over their words
            rows = (row._replace(text=spaced(row.text, snakemake.params.tokenizer)) for row in rows)
        print(f"{split}: {write_rows(rows, SCHEMAS[row_kind], path):,} {row_kind}")
