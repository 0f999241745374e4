"""Swap the target language's embeddings and tokenizer into a fine-tuned source model."""

from pathlib import Path

from xstitch.files import load_npz
from xstitch.job import job
from xstitch.stitching import stitch_model
from xstitch.vectors import Vectors

with job(snakemake):
    stitch_model(
        Path(snakemake.input.model),
        Vectors.load(snakemake.input.target).words,
        load_npz(snakemake.input.embeddings)["target"],
        Path(snakemake.output.folder),
    )
