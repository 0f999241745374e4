"""Swap the target language's embeddings and tokenizer into a fine-tuned source model."""

from pathlib import Path

from xstitch.core.files import load_npz
from xstitch.core.job import job
from xstitch.models.stitching import stitch_model
from xstitch.vectors.table import Vectors

with job(snakemake):
    stitch_model(
        Path(snakemake.input.model),
        Vectors.load(snakemake.input.target).words,
        load_npz(snakemake.input.embeddings)["target"],
        Path(snakemake.output.folder),
        snakemake.params.usage,
    )
