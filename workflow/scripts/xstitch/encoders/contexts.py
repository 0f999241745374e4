"""Contexts from a frozen encoder: hidden states of one layer, averaged over a sentence, or the first."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import nn
from transformers import AutoModel

from xstitch.core.errors import InputError
from xstitch.core.files import load_npz, save_npz
from xstitch.core.parquet import stream_column
from xstitch.encoders.folders import OFFLINE, load_tokenizer
from xstitch.encoders.wordpiece import blocks
from xstitch.training.batches import Ragged, bucketed_batches
from xstitch.training.devices import choose_device

LOG = logging.getLogger("xstitch")
Pooling = Literal["mean", "first"]
BLOCK = 10_000  # sentences tokenised at once
SHARD = 4096  # sentences encoded, cached and shuffled together: 12 MB at 768 dimensions
ORDER = 0  # seed of the shards: constant, so that runs with different seeds share cached contexts


@dataclass(frozen=True)
class Subwords:
    """All sentences as token ids, specials included; `tokens` has the word each belongs to, -1 if none.

    Words are numbered across the whole corpus; `tokens` is None unless requested.
    """

    ids: Ragged
    padding: int
    tokens: Ragged | None = None


class CutEncoder(nn.Module):
    """A frozen encoder cut above the wanted layer; it returns that layer's hidden states."""

    def __init__(self, model: nn.Module, layer: int, digest: str = "") -> None:
        super().__init__()
        model = model.get_encoder() if model.config.is_encoder_decoder else model
        self.layer, self.width, self.digest = layer, model.config.hidden_size, digest
        self._states: torch.Tensor | None = None
        self._cut(model, layer)
        self.model = model.eval().requires_grad_(False)

    def _cut(self, model: nn.Module, layer: int) -> None:
        """Drop what is above the layer; record its output, because some encoders normalise it afterwards."""
        number = model.config.num_hidden_layers
        if not 1 <= layer <= number:
            raise InputError(f"layer is {layer}, but the encoder has layers 1 to {number}")
        if getattr(model, "pooler", None) is not None:
            model.pooler = None
        if layer == number:
            return
        stack = _layers(model, number)
        if stack is not None:
            del stack[layer:]
            stack[-1].register_forward_hook(self._keep)
        elif hasattr(model.config, "num_hidden_groups"):  # ALBERT runs one layer repeatedly
            model.config.num_hidden_layers = layer
        else:
            raise InputError(
                f"a {model.config.model_type} encoder cannot be cut; use layer {number}, its last"
            )

    def _keep(self, module: nn.Module, inputs: Any, output: Any) -> None:  # noqa: ARG002 (torch's signature)
        """Keep the hidden states that the last remaining layer returns."""
        self._states = output if torch.is_tensor(output) else output[0]

    def forward(self, ids: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
        """Return hidden states (sentences x subwords x width) as float32; computed in bf16 on a GPU."""
        with torch.autocast("cuda", torch.bfloat16, enabled=ids.device.type == "cuda"):
            output = self.model(input_ids=ids, attention_mask=attention)
        states = output.last_hidden_state if self._states is None else self._states
        self._states = None
        return states.float()


def _layers(model: nn.Module, number: int) -> nn.ModuleList | None:
    """Find the list of a model's layers; None if there is none, or several with parts of layers."""
    for parent in model.modules():
        lists = [
            part for part in parent.children() if isinstance(part, nn.ModuleList) and len(part) == number
        ]
        if lists:
            return lists[0] if len(lists) == 1 else None
    return None


def load_encoder(folder: Path, layer: int | None = None) -> CutEncoder:
    """Load any transformers encoder from disk onto the right device, cut above the layer (None: whole)."""
    model = AutoModel.from_pretrained(folder, **OFFLINE, use_safetensors=True, dtype=torch.float32)
    layer = model.config.num_hidden_layers if layer is None else layer
    return CutEncoder(model, layer, folder_digest(folder)).to(choose_device())


def folder_digest(folder: Path) -> str:
    """Digest an encoder's shape and weights."""
    summary = hashlib.sha256()
    for file in [folder / "config.json", *sorted(folder.glob("*.safetensors"))]:
        with file.open("rb") as stream:
            summary.update(hashlib.file_digest(stream, "sha256").digest())
    return summary.hexdigest()


def read_subwords(
    corpus: Path, encoder: Path, max_subwords: int, lowercase: bool = False, with_tokens: bool = False
) -> Subwords:
    """Tokenise a corpus with an encoder's fast tokenizer, cutting sentences that are too long."""
    tokenizer = load_tokenizer(encoder)
    if not tokenizer.is_fast:
        raise InputError(f"{encoder}: has no fast tokenizer; add its tokenizer.json")
    backend = tokenizer.backend_tokenizer
    backend.enable_truncation(min(max_subwords, tokenizer.model_max_length))
    backend.no_padding()
    ids, tokens, first = [], [], 0
    for block in blocks(stream_column(corpus, "text"), BLOCK):
        texts = [text.lower() for text in block] if lowercase else block
        encoded = (backend.encode_batch if with_tokens else backend.encode_batch_fast)(texts)
        ids.append(Ragged.from_lists([entry.ids for entry in encoded]))
        if with_tokens:
            numbers, count = subword_tokens(texts, encoded)
            tokens.append(np.where(numbers < 0, -1, numbers + first))
            first += count
    if not ids:
        raise InputError(f"{corpus}: the corpus contains no sentences")
    joined = Ragged.join(ids)
    owners = Ragged(np.concatenate(tokens), joined.offsets) if with_tokens else None
    return Subwords(joined, tokenizer.pad_token_id or 0, owners)


def subword_tokens(texts: list[str], encoded: list[Any]) -> tuple[np.ndarray, int]:
    """Find the word, between white space, that each subword's last letter is in; also count the words."""
    letters = np.frombuffer("".join(f"{text}\n" for text in texts).encode("utf-32-le"), dtype=np.uint32)
    space = (letters == 32) | ((letters >= 9) & (letters <= 13))
    begins = ~space & np.concatenate([[True], space[:-1]])
    # A subword that is only a space (sentencepiece has these) belongs to the word it precedes.
    numbers = np.cumsum(begins) - 1 + space
    starts = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts])[:-1]])
    lengths = [len(entry) for entry in encoded]
    ends = np.fromiter((end for entry in encoded for _, end in entry.offsets), np.int64, sum(lengths))
    special = np.fromiter((s for entry in encoded for s in entry.special_tokens_mask), bool, sum(lengths))
    positions = np.repeat(starts, lengths) + np.maximum(ends - 1, 0)
    return np.where(special, -1, numbers[positions]), int(begins.sum())


def make_shards(paragraphs: np.ndarray, size: int = SHARD) -> list[np.ndarray]:
    """Deal sentences into shards of about `size`: whole paragraphs, in an order shuffled once and for all."""
    number = int(paragraphs[-1]) + 1
    ranks = np.random.default_rng(ORDER).permutation(number)[paragraphs]
    order = np.argsort(ranks, kind="stable")
    begins = np.flatnonzero(np.diff(ranks[order], prepend=-1))
    wanted = np.arange(size, len(order), size)
    cuts = np.unique(begins[np.searchsorted(begins, wanted, side="right") - 1])
    return [shard for shard in np.split(order, cuts) if len(shard)]


def encode_rows(
    encoder: CutEncoder, subwords: Subwords, rows: np.ndarray, batch_size: int
) -> Iterator[tuple[np.ndarray, torch.Tensor, torch.Tensor]]:
    """Run the encoder on batches of sentences of similar length: yield rows, hidden states and 0/1 mask."""
    device = next(encoder.parameters()).device
    for batch in bucketed_batches(subwords.ids.lengths[rows], batch_size, 0, 0, shuffle=False):
        chosen = rows[batch]
        padded = subwords.ids.padded(chosen, subwords.padding)
        ids, attention = (torch.from_numpy(array).to(device) for array in padded)
        with torch.inference_mode():
            states = encoder(ids, attention)
        yield chosen, states, attention


class Contexts:
    """One vector per sentence, shard by shard, from the encoder or from the cache of an earlier run."""

    def __init__(
        self,
        encoder: CutEncoder,
        subwords: Subwords,
        shards: list[np.ndarray],
        batch_size: int,
        cache: Path | None = None,
        pooling: Pooling = "mean",
    ) -> None:
        self.encoder, self.subwords, self.shards, self.batch_size = encoder, subwords, shards, batch_size
        self.cache, self.pooling = cache, pooling

    def shard(self, number: int) -> np.ndarray:
        """Return the contexts of a shard's sentences (sentences x width), in the shard's order."""
        if self.cache is None:
            return self._compute(self.shards[number])
        path, fingerprint = self.cache / f"shard-{number:05d}.npz", self._fingerprint(number)
        contexts = _load(path, fingerprint)
        if contexts is None:
            contexts = self._compute(self.shards[number])
            save_npz(path, contexts=contexts, fingerprint=fingerprint)
        return contexts

    def _compute(self, rows: np.ndarray) -> np.ndarray:
        """Run the encoder and average over all subwords, specials included, or take the first."""
        parts, order = [], []
        for chosen, states, attention in encode_rows(self.encoder, self.subwords, rows, self.batch_size):
            if self.pooling == "first":
                parts.append(states[:, 0])
            else:
                weights = attention / attention.sum(dim=1, keepdim=True)
                parts.append(torch.bmm(weights[:, None], states).squeeze(1))
            order.append(chosen)
        contexts = torch.cat(parts).cpu().numpy()
        positions = np.empty(int(rows.max()) + 1, dtype=np.int64)
        positions[np.concatenate(order)] = np.arange(len(rows))
        return contexts[positions[rows]]

    def _fingerprint(self, number: int) -> np.ndarray:
        """Digest everything a shard's contexts depend on: weights, layer, precision, pooling, token ids."""
        rows, ids = self.shards[number], self.subwords.ids
        precision = "bf16" if next(self.encoder.parameters()).is_cuda else "float32"
        names = f"{self.encoder.digest} {self.encoder.layer} {precision} {self.pooling}"
        summary = hashlib.sha256(names.encode())
        summary.update(ids.lengths[rows].tobytes())
        summary.update(ids.padded(rows, -1)[0].tobytes())
        return np.frombuffer(summary.digest(), dtype=np.uint8)


def _load(path: Path, fingerprint: np.ndarray) -> np.ndarray | None:
    """Load a cached shard if it is whole and from the same sentences, encoder and layer."""
    if not path.exists():
        return None
    try:
        arrays = load_npz(path)
        if np.array_equal(arrays["fingerprint"], fingerprint):
            return arrays["contexts"]
        reason = "is from another encoder, layer or corpus"
    except (InputError, KeyError) as problem:
        reason = f"cannot be read ({problem})"
    LOG.warning("cached contexts %s: %s; computing them again", path, reason)
    return None
