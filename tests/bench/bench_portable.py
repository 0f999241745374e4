"""The cost of pinned kernels: the same training steps in a process with them and in others."""

import os
import subprocess
import sys
from pathlib import Path

from bench import Bench

from xstitch.core.portable import PINNED, pin_kernels

LIBRARY = str(Path(__file__).parents[2] / "workflow/scripts")
STEPS = """
import sys
import torch
from transformers import BertConfig, BertForMaskedLM

library, *numbers = sys.argv[1:]
if library:  # what jobs do, if their kernels are pinned
    sys.path.insert(0, library)
    import xstitch.training.devices
width, layers, steps = map(int, numbers)
torch.manual_seed(0)
torch.set_num_threads(1)
model = BertForMaskedLM(
    BertConfig(
        vocab_size=8000, hidden_size=width, num_hidden_layers=layers, num_attention_heads=4,
        intermediate_size=4 * width,
    )
)
optimiser = torch.optim.AdamW(model.parameters())
ids = torch.randint(8000, (32, 32))
for _ in sys.stdin:
    for _ in range(steps):
        model(input_ids=ids, labels=ids).loss.backward()
        optimiser.step()
        optimiser.zero_grad()
    print("done", flush=True)
"""


class Trainer:
    """A process that loads its libraries under some environment variables and trains on request."""

    def __init__(self, variables: dict[str, str], library: str, *sizes: int) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in PINNED} | variables
        command = [sys.executable, "-c", STEPS, library, *map(str, sizes)]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def train(self) -> None:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "done\n":
            raise RuntimeError("the training process ended")


def _bench(*sizes: int) -> Bench:
    variables: dict[str, str] = {}
    pin_kernels(variables)
    ours, native, pinned = (
        Trainer(variables, LIBRARY, *sizes),
        Trainer({}, "", *sizes),
        Trainer(variables, "", *sizes),
    )
    others = {"kernels of this processor": native.train, "products by MKL's pinned branch": pinned.train}
    return Bench(ours.train, others)


def bench_portable_mini() -> Bench:
    """The mini encoder: 2 layers of 64 dimensions, batches of 32 texts of 32 tokens."""
    return _bench(64, 2, 40)


def bench_portable_base() -> Bench:
    """Two layers as wide as BERT's: 768 dimensions."""
    return _bench(768, 2, 2)
