"""Fine-tune an encoder, with its own or mapped input embeddings, or an adapter in it, on a task's rows."""

from pathlib import Path

from xstitch.core.files import load_npz
from xstitch.core.job import fingerprint, job
from xstitch.core.parquet import read_table, read_tables
from xstitch.encoders.adapters import AdapterStack
from xstitch.encoders.settings.adapters import TaskAdapterSettings
from xstitch.models.heads.registry import load_head
from xstitch.models.transfer.sampling import skewed_rows
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.processes import one_process_per_gpu
from xstitch.training.schedule import Schedule

with job(snakemake), one_process_per_gpu(snakemake.resources):
    embeddings, settings = snakemake.input.get("embeddings"), snakemake.params.settings
    adapter = snakemake.input.get("adapter")
    task_adapter = TaskAdapterSettings(**snakemake.params.task_adapter)
    train, dev = (read_tables(files) for files in (snakemake.input.train, snakemake.input.dev))
    if snakemake.params.skew:
        skew, seed = snakemake.params.skew, snakemake.params.sampling_seed
        train = train.take(skewed_rows(train.to_pandas(), settings["labels"], skew, seed))
    head, encoder = load_head(snakemake.params.rows), Path(snakemake.input.encoder)
    schedule = Schedule(**snakemake.params.training, seed=int(snakemake.wildcards.seed))
    if reference := snakemake.input.get("reference"):
        schedule = head.scaled(encoder, read_table(reference), train, settings, schedule)
    head.finetune(
        encoder,
        train,
        dev,
        settings,
        schedule,
        Path(snakemake.output.folder),
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
        load_npz(embeddings)["source"] if embeddings else None,
        snakemake.params.freeze_embeddings,
        AdapterStack(Path(adapter), task_adapter) if adapter else None,
    )
