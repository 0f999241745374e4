"""Align the languages of an encoder by parallel sentences."""

from pathlib import Path

from xstitch.core.job import fingerprint, job
from xstitch.encoders.wordot import WordotSettings, align_encoder
from xstitch.training.checkpoints import Checkpoint

with job(snakemake):
    align_encoder(
        Path(snakemake.input.encoder),
        dict(zip(snakemake.params.languages, map(Path, snakemake.input.parallel), strict=True)),
        WordotSettings.from_config(snakemake.params.encoder, snakemake.params.seed),
        Path(snakemake.output.folder),
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
    )
