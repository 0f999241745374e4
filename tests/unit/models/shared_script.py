"""Run the script of finetune_model as Snakemake would, on a node with as many GPUs as the job requests."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import torch


class Values(dict):
    """What a job gets of one kind: by name, or all files one after the other."""

    __getattr__ = dict.__getitem__

    def __iter__(self):
        for value in self.values():
            yield from value if isinstance(value, list) else [value]


folder, gpus = Path(sys.argv[1]), int(sys.argv[2])
torch.cuda.device_count = lambda: gpus
torch.set_num_threads(1)
values = json.loads((folder / "job.json").read_text())
snakemake = SimpleNamespace(
    log=[str(folder / f"log{gpus}")],
    wildcards=SimpleNamespace(seed="3"),
    resources=Values(gpu=gpus),
    output=SimpleNamespace(folder=str(folder / f"model{gpus}")),
    **{name: Values(values[name]) for name in ("input", "params")},
)
script = Path(__file__).parents[3] / "workflow/scripts/finetune_model.py"
exec(compile(script.read_text(encoding="utf-8"), str(script), "exec"))  # in the name of this file
