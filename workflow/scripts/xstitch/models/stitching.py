"""Stitching: a fine-tuned source model gets the target language's embeddings and a tokenizer for them.

It works on files alone (safetensors, JSON): a model of any size is stitched without loading torch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import AddedToken, Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

from xstitch.core.files import read_json, whole_folder
from xstitch.encoders.special_tokens import special_tokens
from xstitch.sources.words import unicode_words
from xstitch.vectors.table import lower_cased

NOTES = "xstitch.json"  # as in xstitch.encoders.folders, which loads torch
NO_NOTES: Mapping[str, Any] = {}
SPLITTER = pre_tokenizers.BertPreTokenizer()  # at spaces and around marks


def stitch_model(
    model: Path, words: list[str], embeddings: np.ndarray, output: Path, usage: Mapping[str, Any] = NO_NOTES
) -> None:
    """Write a complete transformers folder: the model's body with the target language's embeddings.

    `usage` is what the folder is to say about its use: the language, the tool that splits it, lengths.
    """
    special = special_tokens(model)
    rows = [row for row, word in enumerate(words) if word not in special.values()]
    words = [words[row] for row in rows]
    with whole_folder(output) as folder:
        _write_weights(model, list(special.values()), embeddings[rows], folder)
        _write_tokenizer(model, special, words, folder)
        _write_config(model, special, len(special) + len(words), folder)
        _write_json(folder / NOTES, dict(usage))


def _write_weights(model: Path, special: list[str], embeddings: np.ndarray, folder: Path) -> None:
    tensors = load_file(model / "model.safetensors")
    name = read_json(model / NOTES)["input_embeddings"]
    vocabulary = Tokenizer.from_file(str(model / "tokenizer.json")).get_vocab()
    rows = tensors[name][[vocabulary[token] for token in special]]
    tensors[name] = np.concatenate([rows, embeddings.astype(rows.dtype)])
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def _write_tokenizer(model: Path, special: dict[str, str], words: list[str], folder: Path) -> None:
    tokenizer = word_tokenizer(words, special)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = read_json(model / "tokenizer_config.json")
    copied = {key: settings[key] for key in ("model_max_length", "model_input_names") if key in settings}
    content = {**special, **copied, "tokenizer_class": "PreTrainedTokenizerFast"}
    _write_json(folder / "tokenizer_config.json", content)


def word_tokenizer(words: list[str], special: dict[str, str]) -> Tokenizer:
    """Make a tokenizer whose tokens are the words of the vectors.

    Text is split at spaces and marks, but words such as "don't" and "3.5", which corpora keep whole, stay
    whole if they have a vector. A word without one is split into the longest words that have one; if that
    fails, it is unknown.
    """
    vocabulary = {token: row for row, token in enumerate([*special.values(), *words])}
    unknown, start, end = special["unk_token"], special["cls_token"], special["sep_token"]
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token=unknown, continuing_subword_prefix=""))
    if lower_cased(words):
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    else:
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = SPLITTER
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}",
        pair=f"{start} $A {end} $B:1 {end}:1",
        special_tokens=[(start, vocabulary[start]), (end, vocabulary[end])],
    )
    tokenizer.add_special_tokens(list(special.values()))
    joined = (word for word in words if is_joined(word))
    tokenizer.add_tokens([AddedToken(word, single_word=True, normalized=True) for word in joined])
    return tokenizer


def is_joined(word: str) -> bool:
    """Whether a word contains marks that do not end it: apostrophes, hyphens, decimal points."""
    return len(SPLITTER.pre_tokenize_str(word)) > 1 and unicode_words(word) == [word]


def _write_config(model: Path, special: dict[str, str], size: int, folder: Path) -> None:
    config = read_json(model / "config.json")
    config["vocab_size"] = size
    config["pad_token_id"] = list(special).index("pad_token")
    for role, key in [("cls_token", "bos_token_id"), ("sep_token", "eos_token_id")]:
        if config.get(key) is not None:
            config[key] = list(special).index(role)
    _write_json(folder / "config.json", config)


def _write_json(path: Path, content: dict) -> None:
    path.write_text(
        json.dumps(content, indent=2, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
    )
