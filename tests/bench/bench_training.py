"""Training: batches of like length."""

import numpy as np
import torch
from bench import Bench
from transformers import BertConfig, BertModel

from xstitch.batching import bucketed_batches


def bench_length_buckets() -> Bench:
    """One pass of a small BERT over 2,000 texts of 5 to 100 tokens."""
    torch.manual_seed(0)
    lengths = np.random.default_rng(0).integers(5, 100, size=2000)
    model = BertModel(
        BertConfig(
            vocab_size=1000, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256
        )
    ).eval()

    def run(batches: list[np.ndarray]) -> None:
        with torch.inference_mode():
            for rows in batches:
                width = int(lengths[rows].max())
                mask = torch.from_numpy(np.arange(width) < lengths[rows][:, None]).long()
                model(input_ids=torch.ones_like(mask), attention_mask=mask)

    unsorted = np.array_split(np.random.default_rng(1).permutation(2000), 2000 // 32)
    return Bench(
        "batches in random order, padded to their longest text",
        lambda: run(unsorted),
        lambda: run(bucketed_batches(lengths, 32, 0, 0)),
        rounds=3,
    )
