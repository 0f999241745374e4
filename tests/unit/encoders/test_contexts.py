"""Contexts: the cut encoder, batches, the subwords of words, shards and their cache."""

from __future__ import annotations

import copy
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import write_corpus, write_encoder
from transformers import AutoConfig, AutoModel, BertModel

from xstitch.core.errors import InputError
from xstitch.encoders.contexts import Contexts, CutEncoder, load_encoder, make_shards, read_subwords
from xstitch.encoders.folders import load_tokenizer
from xstitch.training.batches import Ragged

DRAW = random.Random(0)
WORDS = ["".join(DRAW.choices("abdeikmno", k=DRAW.randint(1, 7))) for _ in range(60)]
TEXTS = [" ".join(DRAW.choices(WORDS, k=DRAW.randint(1, 12))) for _ in range(70)]
PARAGRAPHS = np.repeat(np.arange(35), 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder")
    write_corpus(folder / "corpus.parquet", TEXTS, PARAGRAPHS)
    return write_encoder(folder, TEXTS)


def make_contexts(folder: Path, layer: int = 2, batch_size: int = 8, shard: int = 20, **more) -> Contexts:
    subwords = read_subwords(folder / "corpus.parquet", folder, 200)
    return Contexts(load_encoder(folder, layer), subwords, make_shards(PARAGRAPHS, shard), batch_size, **more)


def all_contexts(contexts: Contexts) -> np.ndarray:
    """Return contexts in the order of the corpus."""
    stacked = np.concatenate([contexts.shard(number) for number in range(len(contexts.shards))])
    return stacked[np.argsort(np.concatenate(contexts.shards))]


def by_hand(folder: Path, layer: int) -> np.ndarray:
    """Run the whole model on one sentence after the other: no padding, all layers."""
    model, tokenizer = BertModel.from_pretrained(folder).eval(), load_tokenizer(folder)
    means = []
    for text in TEXTS:
        ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=32)["input_ids"]
        with torch.no_grad():
            means.append(model(ids, output_hidden_states=True).hidden_states[layer][0].mean(dim=0))
    return torch.stack(means).numpy()


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta-xl", "distilbert", "albert", "modernbert", "t5"])
def test_cut_encoders_give_the_layer_of_the_whole_one(kind: str) -> None:
    """Some normalise after their last layer, some share layers, some have a decoder too."""
    shape = {"hidden_size": 16, "num_hidden_layers": 4, "num_attention_heads": 2, "intermediate_size": 32}
    names = {
        "distilbert": {"dim": 16, "n_layers": 4, "n_heads": 2, "hidden_dim": 32},
        "t5": {"d_model": 16, "num_layers": 4, "num_heads": 2, "d_ff": 32, "d_kv": 8},
    }.get(kind, shape)
    special = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "cls_token_id": 0, "sep_token_id": 2}
    torch.manual_seed(0)
    model = AutoModel.from_config(AutoConfig.for_model(kind, vocab_size=50, **names, **special)).eval()
    ids, attention = torch.randint(5, 50, (3, 9)), torch.ones(3, 9, dtype=torch.long)
    ids[0, 6:], attention[0, 6:] = 1, 0
    whole = model.get_encoder() if kind == "t5" else model
    with torch.no_grad():
        layers = whole(input_ids=ids, attention_mask=attention, output_hidden_states=True).hidden_states
        for layer in (1, 3, 4):
            states = CutEncoder(copy.deepcopy(model), layer)(ids, attention)
            torch.testing.assert_close(states[attention.bool()], layers[layer][attention.bool()])


def test_no_layer_above_is_run_or_kept(folder: Path) -> None:
    encoder = load_encoder(folder, 1)
    assert len(encoder.model.encoder.layer) == 1
    assert encoder.model.pooler is None
    assert not any(parameter.requires_grad for parameter in encoder.parameters())


def test_a_missing_layer_is_refused(folder: Path) -> None:
    for layer in (0, 4):
        with pytest.raises(InputError, match=f"layer is {layer}, but the encoder has layers 1 to 3"):
            load_encoder(folder, layer)


def test_an_encoder_with_scattered_layers_is_refused() -> None:
    model = AutoModel.from_config(
        AutoConfig.for_model("xlm", vocab_size=20, emb_dim=8, n_layers=3, n_heads=2)
    )
    with pytest.raises(InputError, match="xlm encoder cannot be cut; use layer 3"):
        CutEncoder(model, 2)


@pytest.mark.parametrize(("layer", "batch_size", "shard"), [(2, 8, 20), (2, 1, 70), (2, 64, 7), (3, 5, 33)])
def test_contexts_are_means_whatever_the_batches(
    folder: Path, layer: int, batch_size: int, shard: int
) -> None:
    contexts = all_contexts(make_contexts(folder, layer, batch_size, shard))
    np.testing.assert_allclose(contexts, by_hand(folder, layer), atol=1e-5)


def test_long_sentences_are_cut(folder: Path) -> None:
    long = read_subwords(folder / "corpus.parquet", folder, 200)
    short = read_subwords(folder / "corpus.parquet", folder, 6)
    assert long.ids.lengths.max() <= 32  # what the encoder takes
    np.testing.assert_array_equal(short.ids.lengths, np.minimum(long.ids.lengths, 6))
    ends = short.ids.values[short.ids.offsets[1:] - 1]
    assert set(ends) == {load_tokenizer(folder).sep_token_id}


def test_lower_case_on_request(folder: Path, tmp_path: Path) -> None:
    upper = write_corpus(tmp_path / "upper.parquet", [text.upper() for text in TEXTS])
    lowered = read_subwords(upper, folder, 200, lowercase=True)
    expected = read_subwords(folder / "corpus.parquet", folder, 200)
    np.testing.assert_array_equal(lowered.ids.values, expected.ids.values)
    assert not np.array_equal(read_subwords(upper, folder, 200).ids.values, expected.ids.values)


def test_subwords_know_their_words(tmp_path: Path) -> None:
    """The tokenizer also splits at punctuation; words are whatever is between spaces."""
    encoder = write_encoder(tmp_path, ["ab cd e , -", "ab cd e"], size=30)
    corpus = write_corpus(tmp_path / "corpus.parquet", ["ab  abcd, e", "e", "d-ab"])
    subwords = read_subwords(corpus, encoder, 200, with_tokens=True)
    pieces = load_tokenizer(encoder).convert_ids_to_tokens(subwords.ids.values.tolist())
    words: dict[int, list[str]] = {}
    for piece, word in zip(pieces, subwords.tokens.values.tolist(), strict=True):
        words.setdefault(word, []).append(piece)
    assert words.pop(-1) == ["[CLS]", "[SEP]"] * 3
    assert words == {0: ["ab"], 1: ["ab", "##c", "##d", ","], 2: ["e"], 3: ["e"], 4: ["d", "-", "ab"]}


def test_shards_contain_whole_paragraphs_once() -> None:
    paragraphs = np.repeat(np.arange(100), np.random.default_rng(0).integers(1, 9, size=100))
    shards = make_shards(paragraphs, 30)
    np.testing.assert_array_equal(np.sort(np.concatenate(shards)), np.arange(len(paragraphs)))
    owners = [set(paragraphs[shard]) for shard in shards]
    assert sum(map(len, owners)) == 100
    assert all(15 <= len(shard) <= 45 for shard in shards[:-1])
    for shard in shards:
        assert len(set(paragraphs[shard])) == 1 + np.count_nonzero(np.diff(paragraphs[shard]))
    assert [list(shard) for shard in make_shards(np.zeros(50, dtype=int), 10)] == [list(range(50))]


class Counting:
    """Counts how many sentences an encoder sees."""

    def __init__(self, contexts: Contexts) -> None:
        self.seen = 0
        contexts.encoder.register_forward_hook(self)

    def __call__(self, module: object, inputs: tuple, output: object) -> None:  # noqa: ARG002
        self.seen += len(inputs[0])


def test_the_cache_spares_the_encoder(folder: Path, tmp_path: Path) -> None:
    first = make_contexts(folder, cache=tmp_path)
    counting = Counting(first)
    expected = all_contexts(first)
    assert counting.seen == len(TEXTS)
    again = make_contexts(folder, batch_size=64, cache=tmp_path)
    counting = Counting(again)
    np.testing.assert_array_equal(all_contexts(again), expected)
    assert counting.seen == 0


def test_an_incomplete_cache_is_completed(folder: Path, tmp_path: Path) -> None:
    first = make_contexts(folder, cache=tmp_path)
    expected = all_contexts(first)
    (tmp_path / "shard-00001.npz").unlink()
    (tmp_path / "shard-00002.npz").write_bytes(b"half of a sh")
    again = make_contexts(folder, cache=tmp_path)
    counting = Counting(again)
    np.testing.assert_array_equal(all_contexts(again), expected)
    assert counting.seen == len(first.shards[1]) + len(first.shards[2])


@pytest.mark.parametrize("change", ["layer", "weights"])
def test_a_cache_of_another_encoder_is_ignored(folder: Path, tmp_path: Path, change: str) -> None:
    all_contexts(make_contexts(folder, cache=tmp_path))
    other = make_contexts(folder, layer=1 if change == "layer" else 2, cache=tmp_path)
    if change == "weights":
        other.encoder.digest = "of other files"
    counting = Counting(other)
    contexts = all_contexts(other)
    assert counting.seen == len(TEXTS)
    other.cache = None
    np.testing.assert_array_equal(contexts, all_contexts(other))


def test_only_shards_of_changed_text_are_computed_again(folder: Path, tmp_path: Path) -> None:
    all_contexts(make_contexts(folder, shard=10, cache=tmp_path))
    other = make_contexts(folder, shard=10, cache=tmp_path)
    ids = other.subwords.ids
    changed = ids.values.copy()
    changed[ids.offsets[5] + 1] = changed[ids.offsets[5] + 1] % 50 + 6  # one subword of sentence 5
    other.subwords = replace(other.subwords, ids=Ragged(changed, ids.offsets))
    counting = Counting(other)
    contexts = all_contexts(other)
    assert counting.seen == next(len(shard) for shard in other.shards if 5 in shard)
    other.cache = None
    np.testing.assert_array_equal(contexts, all_contexts(other))
