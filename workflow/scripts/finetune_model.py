"""Fine-tune an encoder, with its own or with mapped input embeddings, on the source language's rows."""

from pathlib import Path

from xstitch.checkpoints import Checkpoint
from xstitch.files import load_npz
from xstitch.heads import load_head
from xstitch.job import fingerprint, job
from xstitch.parquet import read_table
from xstitch.training import Plan

with job(snakemake):
    embeddings = snakemake.input.get("embeddings")
    load_head(snakemake.params.rows).finetune(
        Path(snakemake.input.encoder),
        read_table(snakemake.input.train),
        read_table(snakemake.input.dev),
        snakemake.params.settings,
        Plan.from_config(snakemake.params.training, seed=int(snakemake.wildcards.seed)),
        Path(snakemake.output.folder),
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
        load_npz(embeddings)["source"] if embeddings else None,
        snakemake.params.freeze_embeddings,
    )
