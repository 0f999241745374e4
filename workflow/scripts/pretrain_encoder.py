"""Pre-train a small encoder on corpora by masked language modelling."""

from pathlib import Path

from xstitch.checkpoints import Checkpoint
from xstitch.encoders import EncoderSettings, pretrain_encoder
from xstitch.job import fingerprint, job

with job(snakemake):
    settings = dict(snakemake.params.encoder)
    corpora = zip(settings.pop("languages"), map(Path, snakemake.input.corpora), strict=True)
    settings = {key: value for key, value in settings.items() if key not in ("origin", "corpus")}
    pretrain_encoder(
        dict(corpora),
        EncoderSettings.from_config(settings, snakemake.params.seed),
        Path(snakemake.output.folder),
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
    )
