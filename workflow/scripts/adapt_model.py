"""Adapt a model to a language that has texts but no labels."""

from pathlib import Path

from xstitch.core.job import fingerprint, job
from xstitch.core.parquet import read_table, write_table
from xstitch.models.transfer.stages import Stage, adapt
from xstitch.models.transfer.task import Transfer
from xstitch.training.checkpoints import Checkpoint

with job(snakemake):
    files = snakemake.input
    student, source_model = (
        files.get(name) and Path(files.get(name)) for name in ("student", "source_model")
    )
    source_dev = files.get("source_dev")
    transfer = Transfer(
        Path(files.model),
        *(read_table(file).to_pandas() for file in (files.source, files.target)),
        snakemake.params.labels,
        snakemake.params.max_length,
        source_model,
        read_table(files.watched).to_pandas(),
        source_dev and read_table(source_dev).to_pandas(),
    )
    steps = adapt(
        Stage(**snakemake.params.stage, student=student),
        transfer,
        int(snakemake.wildcards.seed),
        Path(snakemake.output.folder),
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
    )
    write_table(steps, snakemake.output.steps)
