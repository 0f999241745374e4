"""A classifier's features standardised by the texts of the language it is used in, without labels.

The features of another language have another mean and spread than those that the head was fitted to. Giving
them the source's, feature by feature, changes the head alone: it remains a linear layer, and the folder
remains an ordinary one.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from xstitch.core.files import whole_folder
from xstitch.core.progress import progress
from xstitch.encoders.folders import load_classifier, load_tokenizer
from xstitch.encoders.inputs import run_model
from xstitch.models.classification import tokenise_texts
from xstitch.models.frozen import Standardised
from xstitch.models.pooled_classifier import linear_head
from xstitch.training.devices import choose_device, evaluating, evaluation_batches, move

COPIED = ("tokenizer.json", "tokenizer_config.json", "xstitch.json")


def standardise_head(
    model: Path, texts: Sequence[str], source_model: Path, max_length: int, output: Path
) -> None:
    """Write a target language's model with a head that finds the source's mean and spread in its features.

    `texts` are of the target language; `source_model` is the model that the head was fitted in.
    """
    source, target = Standardised.load(source_model), Standardised.of(head_features(model, texts, max_length))
    classifier = load_classifier(model)
    head = linear_head(classifier)
    weights, bias = (part.detach().double().numpy() for part in (head.weight, head.bias))
    moved = weights * (source.spread / target.spread)
    with torch.no_grad():
        head.bias.copy_(torch.from_numpy(bias + weights @ source.mean - moved @ target.mean))
        head.weight.copy_(torch.from_numpy(moved))
    save_with_head(classifier, model, output)


def save_with_head(classifier: nn.Module, model: Path, output: Path) -> None:
    """Write a classifier with another head, and whatever else is in the folder it was loaded from."""
    with whole_folder(output) as folder:
        classifier.save_pretrained(folder)
        for name in COPIED:
            if (model / name).exists():
                shutil.copyfile(model / name, folder / name)


def head_features(folder: Path, texts: Sequence[str], max_length: int) -> np.ndarray:
    """Compute what the head of a classifier reads of every text (texts x width)."""
    model, device = load_classifier(folder).to(choose_device()), choose_device()
    tokenised = tokenise_texts(load_tokenizer(folder), texts, None, max_length)
    head = linear_head(model)
    features = np.empty((len(texts), head.in_features), dtype=np.float32)
    read: list[torch.Tensor] = []
    handle = head.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0].float().cpu()))
    with evaluating(model):
        for rows in progress(evaluation_batches(tokenised.ids.lengths, device), "encoding", unit="batch"):
            run_model(model, move(tokenised.collate(rows), device))
            features[rows] = read.pop().numpy()
    handle.remove()
    return features
