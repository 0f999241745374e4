"""Fine-tune an encoder, with its own or with mapped input embeddings, on the source language's labels."""

from pathlib import Path

from xstitch.checkpoints import Checkpoint
from xstitch.classification import finetune_classifier
from xstitch.files import load_npz
from xstitch.job import fingerprint, job
from xstitch.parquet import read_table
from xstitch.training import Plan

with job(snakemake):
    embeddings = snakemake.input.get("embeddings")
    finetune_classifier(
        Path(snakemake.input.encoder),
        read_table(snakemake.input.train).to_pandas(),
        read_table(snakemake.input.dev).to_pandas(),
        snakemake.params.labels,
        Plan.from_config(snakemake.params.training, seed=int(snakemake.wildcards.seed)),
        snakemake.params.max_length,
        Path(snakemake.output.folder),
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
        load_npz(embeddings)["source"] if embeddings else None,
        snakemake.params.freeze_embeddings,
    )
