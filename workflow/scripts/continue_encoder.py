"""Continue pre-training an encoder, optionally with a loss that ties its words to aligned vectors."""

from pathlib import Path

from xstitch.core.job import fingerprint, job
from xstitch.encoders.continued import continue_encoder, join_spaces
from xstitch.encoders.settings.continued import ContinuationSettings
from xstitch.spaces.aligned import load_aligned
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.processes import one_process_per_gpu
from xstitch.training.schedule import with_schedule

with job(snakemake), one_process_per_gpu(snakemake.resources):
    settings = dict(snakemake.params.encoder)
    languages = settings.pop("languages")
    vectors = ()
    if snakemake.input.get("aligned"):
        sides = zip(snakemake.params.targets, map(load_aligned, snakemake.input.aligned), strict=True)
        vectors = join_spaces(snakemake.params.source, sides)
    continue_encoder(
        Path(snakemake.input.encoder),
        dict(zip(languages, map(Path, snakemake.input.corpora), strict=True)),
        ContinuationSettings(**with_schedule(settings, snakemake.params.seed)),
        Path(snakemake.output.folder),
        vectors,
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
    )
