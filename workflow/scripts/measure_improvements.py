"""Measure what adaptation gains on target sets with other class priors."""

from pathlib import Path

from xstitch.core.job import fingerprint, job
from xstitch.core.parquet import read_table, read_tables
from xstitch.core.tsv import write_records
from xstitch.models.transfer.improvements import measure_improvements
from xstitch.models.transfer.sampling import class_counts, draw_samples
from xstitch.models.transfer.stages import Stage
from xstitch.models.transfer.task import Transfer
from xstitch.training.checkpoints import Checkpoint

with job(snakemake):
    files, samples = snakemake.input, snakemake.params.samples
    student, source_dev = files.get("student") and Path(files.get("student")), files.get("source_dev")
    transfer = Transfer(
        Path(files.model),
        *(read_table(file).to_pandas() for file in (files.source, files.target)),
        snakemake.params.labels,
        snakemake.params.max_length,
        source_dev=source_dev and read_table(source_dev).to_pandas(),
    )
    counts = class_counts(transfer.target, transfer.labels)
    checkpoint = Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake))
    records = measure_improvements(
        transfer,
        read_tables(files.test).to_pandas(),
        [Stage(**stage, student=student) for stage in snakemake.params.stages],
        draw_samples(
            counts, samples["adapted_sets"], samples["adapted_size"], snakemake.params.sampling_seed
        ),
        int(snakemake.wildcards.seed),
        checkpoint,
    )
    columns = {"recipe": snakemake.wildcards.recipe, "seed": snakemake.wildcards.seed}
    write_records(({**columns, **record} for record in records), snakemake.output.improvements)
    checkpoint.remove()
