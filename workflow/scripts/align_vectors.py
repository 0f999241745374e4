"""Align the vectors of two languages."""

from pathlib import Path

from xstitch.core.job import fingerprint, job
from xstitch.core.parquet import read_table, write_table
from xstitch.spaces.aligned import Sides, save_aligned
from xstitch.spaces.alignment import align_pair
from xstitch.spaces.vecmap import history_table
from xstitch.training.checkpoints import Checkpoint
from xstitch.vectors.table import Vectors

with job(snakemake):
    dictionary, validation = (
        read_table(file, ["source", "target"]) if (file := snakemake.input.get(key)) else None
        for key in ("dictionary", "validation")
    )
    source, target = Vectors.load(snakemake.input.source), Vectors.load(snakemake.input.target)
    checkpoint = Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake))
    alignment = align_pair(
        source,
        target,
        dictionary,
        snakemake.params.alignment,
        snakemake.params.seed,
        validation,
        checkpoint,
    )
    sides = Sides(Vectors(source.words, alignment.source), Vectors(target.words, alignment.target))
    save_aligned(sides, snakemake.output.aligned)
    write_table(alignment.dictionary, snakemake.output.dictionary)
    write_table(history_table(alignment.history), snakemake.output.history)
    checkpoint.remove()
