"""Measure what adaptation gains on some of the target sets with other class priors."""

from pathlib import Path

from xstitch.core.files import whole_folder
from xstitch.core.job import fingerprint, job
from xstitch.core.parquet import read_table, read_tables
from xstitch.core.tsv import read_records, write_records
from xstitch.models.transfer.attempts import MODEL, workplace
from xstitch.models.transfer.improvements import Earlier, measure_improvements
from xstitch.models.transfer.sampling import class_counts, draw_samples
from xstitch.models.transfer.stages import Stage
from xstitch.models.transfer.task import Transfer
from xstitch.training.checkpoints import Checkpoint

with job(snakemake):
    files, samples = snakemake.input, snakemake.params.samples
    student, source_model, source_dev, models, records = (
        files.get(name) and Path(files.get(name))
        for name in ("student", "source_model", "source_dev", "earlier_models", "earlier_records")
    )
    transfer = Transfer(
        Path(files.model),
        *(read_table(file).to_pandas() for file in (files.source, files.target)),
        snakemake.params.labels,
        snakemake.params.max_length,
        source_model,
        source_dev=source_dev and read_table(source_dev).to_pandas(),
    )
    counts = class_counts(transfer.target, transfer.labels)
    drawn = draw_samples(counts, samples["sets"], samples["size"], snakemake.params.sampling_seed)
    checkpoint = Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake))
    improvements = measure_improvements(
        transfer,
        read_tables(files.test).to_pandas(),
        Stage(**snakemake.params.stage, student=student),
        {number: drawn[number] for number in samples["part"]},
        int(snakemake.wildcards.seed),
        checkpoint,
        Earlier(models, read_records(records)) if models else None,
    )
    columns = {"recipe": snakemake.wildcards.recipe, "seed": snakemake.wildcards.seed}
    write_records(({**columns, **record} for record in improvements), snakemake.output.records)
    with whole_folder(snakemake.output.models) as folder:
        for number in samples["part"]:
            (workplace(checkpoint) / str(number) / MODEL).rename(folder / str(number))
    checkpoint.remove()
