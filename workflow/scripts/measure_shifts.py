"""Measure feature shift, prior shift and performance on samples of every target language and on all of it."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import read_tables
from xstitch.core.tsv import write_records
from xstitch.models.transfer.sampling import item_prior, skewed_rows
from xstitch.models.transfer.shifts import WHOLE, shift_records

with job(snakemake):
    labels, samples = snakemake.params.labels, snakemake.params.samples
    train = read_tables(snakemake.input.train).to_pandas()
    if snakemake.params.skew:
        train = train.iloc[skewed_rows(train, labels, snakemake.params.skew, snakemake.params.seed)]
    records = []
    for target, model, target_files, source_files in snakemake.params.cases:
        records += shift_records(
            Path(model),
            read_tables(source_files).to_pandas(),
            read_tables(target_files).to_pandas(),
            labels,
            snakemake.params.max_length,
            item_prior(train, labels),
            samples["sets"],
            samples["size"],
            snakemake.params.seed,
            {"target": target},
        )
    whole = [record for record in records if record["sample"] == WHOLE]
    write_records([record for record in records if record["sample"] != WHOLE], snakemake.output.shifts)
    write_records(whole, snakemake.output.whole)
