"""Distill static vectors from an encoder on a corpus."""

from pathlib import Path

from xstitch.core.job import fingerprint, job
from xstitch.encoders.distillation import distill_vectors
from xstitch.encoders.settings.distillation import DistillSettings
from xstitch.training.checkpoints import Checkpoint

with job(snakemake):
    checkpoint = Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake))
    vectors = distill_vectors(
        Path(snakemake.input.corpus),
        Path(snakemake.input.encoder),
        DistillSettings(**snakemake.params.vectors),
        snakemake.params.seed,
        checkpoint,
    )
    vectors.save(snakemake.output.vectors)
    checkpoint.remove()
    print(f"{len(vectors.words):,} words")
