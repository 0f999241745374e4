"""Pre-train a small encoder on corpora by masked language modelling."""

from pathlib import Path

from xstitch.core.job import fingerprint, job
from xstitch.encoders.pretraining import pretrain_encoder
from xstitch.encoders.settings.pretraining import EncoderSettings
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.processes import one_process_per_gpu
from xstitch.training.schedule import with_schedule

with job(snakemake), one_process_per_gpu(snakemake.resources):
    settings = dict(snakemake.params.encoder)
    corpora = zip(settings.pop("languages"), map(Path, snakemake.input.corpora), strict=True)
    settings = {key: value for key, value in settings.items() if key not in ("origin", "corpus")}
    pretrain_encoder(
        dict(corpora),
        EncoderSettings(**with_schedule(settings, snakemake.params.seed)),
        Path(snakemake.output.folder),
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
    )
