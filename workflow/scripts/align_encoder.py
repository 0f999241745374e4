"""Align the languages of an encoder with parallel sentences."""

from pathlib import Path

from xstitch.core.job import fingerprint, job
from xstitch.encoders.settings.wordot import WordotSettings
from xstitch.encoders.wordot import align_encoder
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.processes import one_process_per_gpu
from xstitch.training.schedule import with_schedule

with job(snakemake), one_process_per_gpu(snakemake.resources):
    languages = snakemake.params.languages
    parallel, links = (
        dict(zip(languages, map(Path, files), strict=True)) if (files := snakemake.input.get(key)) else None
        for key in ("parallel", "links")
    )
    align_encoder(
        Path(snakemake.input.encoder),
        parallel,
        WordotSettings(**with_schedule(snakemake.params.encoder, snakemake.params.seed)),
        Path(snakemake.output.folder),
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
        links,
    )
