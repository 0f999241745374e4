"""Measure the cosines of the gradients of alignment losses with the task's, over a fine-tuning."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.encoders.settings.continued import ContinuationSettings
from xstitch.encoders.settings.wordot import WordotSettings
from xstitch.models.gradients import FollowedTask, LossSettings, TargetData, measure_gradients
from xstitch.models.settings.gradients import GradientSettings
from xstitch.models.settings.transfer import AdversarialSettings
from xstitch.training.schedule import Schedule, with_schedule

with job(snakemake):
    files, params = snakemake.input, snakemake.params
    seed, output = int(snakemake.wildcards.seed), Path(snakemake.output.gradients)
    task = FollowedTask(
        Path(files.encoder),
        params.source,
        read_table(files.train).to_pandas(),
        params.labels,
        params.max_length,
        Schedule(**params.training, seed=seed),
    )
    targets = [
        TargetData(language, Path(parallel), Path(aligned), read_table(texts).to_pandas())
        for language, parallel, aligned, texts in zip(
            params.targets, files.parallel, files.aligned, files.texts, strict=True
        )
    ]
    losses = LossSettings(
        WordotSettings(**with_schedule(params.wordot, seed)),
        ContinuationSettings(**with_schedule(params.dcca, seed)),
        AdversarialSettings(**params.critic["adaptation"]),
        Schedule(**params.critic["training"], seed=seed),
    )
    write_table(
        measure_gradients(task, targets, losses, GradientSettings(**params.measured), output.parent), output
    )
