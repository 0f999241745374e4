"""Classifying texts of any number with a finished folder, as its evaluation did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors import SafetensorError

from xstitch.core.errors import InputError
from xstitch.core.files import read_json
from xstitch.encoders.adapters import restore_adapters
from xstitch.encoders.folders import NOTES, load_classifier, load_tokenizer
from xstitch.encoders.inputs import run_model
from xstitch.encoders.packed.encoder import pack_encoder
from xstitch.models.classification import tokenise_texts
from xstitch.sources.segmentation import spaced
from xstitch.training.devices import choose_device, evaluating, move


class Answer(NamedTuple):
    """The probabilities of all labels for one text, by label."""

    text: str
    probabilities: dict[str, float]

    @property
    def label(self) -> str:
        """The most likely label."""
        return max(self.probabilities, key=self.probabilities.__getitem__)


class TextClassifier:
    """A folder's model and tokenizer, with what its notes say about the language."""

    def __init__(self, folder: Path) -> None:
        try:
            self.model, self.tokenizer = load_classifier(folder), load_tokenizer(folder)
            restore_adapters(self.model, folder)
            pack_encoder(self.model, first=True)
        except (OSError, ValueError, SafetensorError, RuntimeError) as problem:
            reason = " ".join(str(problem).split())[:100]
            raise InputError(f"{folder}: cannot be loaded ({reason}); make it again") from problem
        notes = read_json(folder / NOTES) if (folder / NOTES).is_file() else {}
        self.noted = "segmentation" in notes
        self.tool: str = notes.get("segmentation", "unicode")
        self.max_length: int = notes.get("max_length") or self.tokenizer.model_max_length
        self.device = choose_device()
        self.model.to(self.device)
        names: dict[int, str] = self.model.config.id2label
        self.labels = [names[number] for number in range(len(names))]

    def answers(self, texts: Iterable[str], batch_size: int) -> Iterator[Answer]:
        """Answer texts in their order, a batch at a time: no more of them are in memory."""
        stream = iter(texts)
        while batch := list(islice(stream, batch_size)):
            for text, row in zip(batch, self._probabilities(batch), strict=True):
                yield Answer(text, dict(zip(self.labels, map(float, row), strict=True)))

    def _probabilities(self, texts: Sequence[str]) -> np.ndarray:
        split = [spaced(text, self.tool) for text in texts]
        inputs = tokenise_texts(self.tokenizer, split, None, self.max_length)
        batch: Any = move(inputs.collate(np.arange(len(split))), self.device)
        with evaluating(self.model):
            logits = run_model(self.model, batch).logits.float().cpu()
        return torch.softmax(logits.double(), dim=1).numpy()
