"""Encoders with random weights: real architectures, vocabularies of the real kind and size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    AutoConfig,
    AutoModelForImageClassification,
    AutoModelForMaskedLM,
    PreTrainedTokenizerFast,
)
from words import words

IMAGES = {"image_processor_type": "ViTImageProcessor", "do_normalize": True, "do_resize": True, "size": 224,
          "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz"
BASE = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
SMALL = {"hidden_size": 384, "num_hidden_layers": 12, "num_attention_heads": 6, "intermediate_size": 1536}
ROBERTA = {"max_position_embeddings": 514, "type_vocab_size": 1, "bos_token_id": 0, "pad_token_id": 1,
           "eos_token_id": 2, "layer_norm_eps": 1e-5}  # fmt: skip


@dataclass(frozen=True)
class Encoder:
    """An architecture and the languages that its vocabulary has words of."""

    kind: str  # transformers' model type
    vocabulary: int  # 0: images
    size: Mapping[str, int]
    languages: tuple[str, ...] = ()


ENCODERS = {
    "bert-base-cased": Encoder("bert", 28_996, BASE, ("en",)),
    "bert-base-multilingual-cased": Encoder("bert", 119_547, BASE, ("en", "de", "es", "nds")),
    "xlm-roberta-base": Encoder("xlm-roberta", 250_002, BASE, ("en", "de", "es", "nds")),
    "xlm-roberta-large": Encoder("xlm-roberta", 250_002, LARGE, ("en", "de", "es", "nds")),
    "roberta-base": Encoder("roberta", 50_265, BASE),
    "roberta-base-bne": Encoder("roberta", 50_262, BASE),
    "vit-base-patch16-224": Encoder("vit", 0, BASE),
    "vit-small-patch16-224": Encoder("vit", 0, SMALL),
}


def write_encoder(folder: Path, encoder: Encoder, layers: int | None = None) -> None:
    """Write a folder as transformers saves it; `layers` makes a shallow one, for tests."""
    torch.manual_seed(1)
    size = {**encoder.size, **({"num_hidden_layers": layers} if layers else {})}
    if encoder.kind == "vit":
        labels = {number: f"kind {number}" for number in range(1000)}
        config = AutoConfig.for_model(
            "vit", **size, id2label=labels, label2id={v: k for k, v in labels.items()}
        )
        AutoModelForImageClassification.from_config(config).save_pretrained(folder)
        (folder / "preprocessor_config.json").write_text(json.dumps(IMAGES))
        return
    own = {} if encoder.kind == "bert" else ROBERTA
    config = AutoConfig.for_model(encoder.kind, vocab_size=encoder.vocabulary, **size, **own)
    AutoModelForMaskedLM.from_config(config).save_pretrained(folder)
    write_tokenizer(folder, encoder)


def write_tokenizer(folder: Path, encoder: Encoder) -> None:
    """Write the tokenizer of an encoder, with exactly as many tokens as its table has rows."""
    make = {"bert": _wordpiece, "xlm-roberta": _unigram, "roberta": _byte_pairs}[encoder.kind]
    tokenizer = make(encoder)
    assert len(tokenizer) == encoder.vocabulary, (len(tokenizer), encoder.vocabulary)
    tokenizer.save_pretrained(folder)
    if encoder.kind == "bert":
        order = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
        (folder / "vocab.txt").write_text("".join(f"{token}\n" for token, _ in order), encoding="utf-8")
    settings = folder / "tokenizer_config.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"model_max_length": 512}))


def _known_words(encoder: Encoder, room: int) -> list[str]:
    """The most frequent words of all languages, as many as there is room for."""
    share = -(-room // len(encoder.languages))
    by_language = [words(lang, share) for lang in encoder.languages]
    return [name for group in zip(*by_language, strict=True) for name in group][:room]


def _wordpiece(encoder: Encoder) -> Any:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special, ".", *LETTERS, *LETTERS.upper(), *(f"##{letter}" for letter in LETTERS)]
    pieces += _known_words(encoder, encoder.vocabulary - len(pieces))
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return _fast(tokenizer, pad="[PAD]", unk="[UNK]", cls="[CLS]", sep="[SEP]", mask="[MASK]")


def _unigram(encoder: Encoder) -> Any:
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces = [*special, "▁", "▁.", ".", *LETTERS, *LETTERS.upper()]
    pieces += [f"▁{name}" for name in _known_words(encoder, encoder.vocabulary - len(pieces) - 1)]
    scores = [(piece, -10.0 if piece.startswith("▁") else -20.0) for piece in pieces]
    tokenizer = Tokenizer(models.Unigram([*scores, ("<mask>", 0.0)], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return _fast(tokenizer, pad="<pad>", unk="<unk>", cls="<s>", sep="</s>", mask="<mask>")


def _byte_pairs(encoder: Encoder) -> Any:
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces = [*special, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    merges = list(_merges(encoder.vocabulary - len(pieces) - 1))
    vocabulary = {piece: n for n, piece in enumerate([*pieces, *map("".join, merges), "<mask>"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token=None))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return _fast(tokenizer, pad="<pad>", unk="<unk>", cls="<s>", sep="</s>", mask="<mask>")


def _merges(room: int) -> Iterable[tuple[str, str]]:
    """Merges of two letters, of these with a leading space, and of two syllables, until the room is used."""
    syllables = ["".join(pair) for pair in product(LETTERS, LETTERS)]
    pairs = [*product(LETTERS, LETTERS), *(("Ġ", syllable) for syllable in syllables)]
    pairs += [(f"Ġ{first}", second) for first, second in product(syllables, syllables)]
    return pairs[:room]


def _fast(tokenizer: Tokenizer, **special: str) -> Any:
    """Wrap a tokenizer as transformers saves it; its folder names the class of the real one."""
    tokens = {f"{name}_token": token for name, token in special.items()}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **tokens)
