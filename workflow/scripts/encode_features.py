"""Compute what the head of a frozen model reads of a task's texts, stitched and in the source language."""

from pathlib import Path

from xstitch.core.files import save_npz
from xstitch.core.job import job
from xstitch.core.parquet import stream_column
from xstitch.models.standardising import head_features

with job(snakemake):
    read = {"source": "source_model", "train": "model", "test": "model"}  # files of texts, and who reads them
    features = {
        name: head_features(
            Path(snakemake.input[model]),
            list(stream_column(snakemake.input[name], "text")),
            snakemake.params.max_length,
        )
        for name, model in read.items()
    }
    save_npz(snakemake.output.features, **features)
