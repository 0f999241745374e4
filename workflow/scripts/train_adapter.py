"""Train the adapter of a language in a frozen encoder by masked language modelling."""

from pathlib import Path

from xstitch.core.job import fingerprint, job
from xstitch.encoders.adapter_training import train_language_adapter
from xstitch.encoders.settings.adapters import LanguageAdapterSettings
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.processes import one_process_per_gpu
from xstitch.training.schedule import with_schedule

with job(snakemake), one_process_per_gpu(snakemake.resources):
    train_language_adapter(
        Path(snakemake.input.encoder),
        snakemake.wildcards.lang,
        Path(snakemake.input.corpus),
        LanguageAdapterSettings(**with_schedule(snakemake.params.adapters, snakemake.params.seed)),
        Path(snakemake.output.folder),
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
    )
