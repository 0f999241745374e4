"""Align the vectors of two languages."""

from xstitch.alignments import align_pair
from xstitch.files import save_npz
from xstitch.job import job
from xstitch.parquet import read_table, write_table
from xstitch.vecmap import history_table
from xstitch.vectors import Vectors

with job(snakemake):
    dictionary = snakemake.input.get("dictionary")
    alignment = align_pair(
        Vectors.load(snakemake.input.source),
        Vectors.load(snakemake.input.target),
        read_table(dictionary, ["source", "target"]) if dictionary else None,
        snakemake.params.alignment,
        snakemake.params.seed,
    )
    save_npz(snakemake.output.aligned, source=alignment.source, target=alignment.target)
    write_table(alignment.dictionary, snakemake.output.dictionary)
    write_table(history_table(alignment.history), snakemake.output.history)
