"""Peak memory and processor time of one update of a classifier, padded and packed, each in a new process.

    PYTHONPATH=workflow/scripts python tests/bench/update_memory.py [BATCH] [LENGTH] [LAYERS] [WIDTH]

All texts have the same length, so that there is no padding to save. Unless given, they are 2 texts of 512
tokens and the encoder is as large as BERT base (12 layers, 768 dimensions); memory grows with the batch.
"""

import os
import sys
import time
from multiprocessing import get_context

os.environ.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="PASSIVE")  # before torch is loaded

import torch
from measuring import PeakMemory
from transformers import BertConfig, BertForSequenceClassification

from xstitch.encoders.packed.encoder import pack_encoder


def main(batch: int = 2, length: int = 512, layers: int = 12, width: int = 768) -> None:
    """Print a line for each way."""
    for way in ("padded", "packed"):
        with get_context("spawn").Pool(1) as pool:
            seconds, megabytes = pool.apply(measure, (way, batch, length, layers, width))
        print(f"{way}: {seconds:.1f} s, {megabytes:,.0f} MB above model and gradients", flush=True)


def measure(way: str, batch: int, length: int, layers: int, width: int) -> tuple[float, float]:
    """Return the processor's seconds of forward and backward, and the peak of memory on top of the model."""
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=1000,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=width // 64,
        intermediate_size=4 * width,
        attn_implementation="sdpa",
    )
    model = BertForSequenceClassification(config).train()
    if way == "packed":
        pack_encoder(model, first=True, variables={})
    inputs = {"input_ids": torch.randint(1000, (batch, length)), "labels": torch.zeros(batch).long()}
    for weight in model.parameters():
        weight.grad = torch.zeros_like(weight)  # an update's second batch: gradients are there already
    with PeakMemory() as peak:
        started = time.process_time()
        model(**inputs).loss.backward()
        seconds = time.process_time() - started
    return seconds, peak.megabytes


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
