"""Parallel sentences as encoder inputs: positions of words and subwords, weights, padding, repetition."""

import numpy as np
import pytest
import torch
from tiny import write_trainable

from xstitch.encoders.bitext import SideBySide, pairs_stream, read_bitext, unit_states
from xstitch.encoders.folders import load_body
from xstitch.encoders.inputs import load_fast_tokenizer

# Whole words are a, bb and cc; "bbcc" and "bbbb" are cut into bb and pieces.
TEXTS = ["a bb cc . "] * 50
SOURCE, TARGET = ["bbcc a", "a", "cc bb a"], ["a bbcc", "bb cc a", "字"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return write_trainable(tmp_path_factory.mktemp("encoder"), TEXTS)


@pytest.fixture(scope="module")
def tokenizer(encoder):
    return load_fast_tokenizer(encoder, 32)


def test_a_words_position_is_that_of_its_last_subword(tokenizer):
    bitext, kept = read_bitext(SOURCE, TARGET, tokenizer, 32, "words")
    assert kept.tolist() == [True, True, True]
    assert tokenizer.convert_ids_to_tokens(bitext.source.ids.padded(np.array([0]), 0)[0][0])[1:-1] == [
        *("bb", "##c", "##c"),
        "a",
    ]
    # Specials are at 0 and at the end.
    positions = bitext.source.positions.padded(np.arange(3), -1)[0]
    assert positions.tolist() == [[3, 4, -1], [1, -1, -1], [1, 2, 3]]
    assert bitext.source.starts.padded(np.arange(3), -1)[0].tolist() == [[1, 4, -1], [1, -1, -1], [1, 2, 3]]
    assert bitext.source.words.padded(np.arange(3), -1)[0].tolist() == [[0, 1, -1], [0, -1, -1], [0, 1, 2]]


def test_subwords_are_all_but_the_specials(tokenizer):
    bitext, _ = read_bitext(SOURCE, TARGET, tokenizer, 32, "subwords")
    assert bitext.source.positions.padded(np.array([0]), -1)[0].tolist() == [[1, 2, 3, 4]]
    assert bitext.source.starts.padded(np.array([0]), -1)[0].tolist() == [[1, 2, 3, 4]]
    assert bitext.source.words.padded(np.array([0]), -1)[0].tolist() == [[0, 0, 0, 1]]


def test_cut_sentences_have_only_the_words_that_are_seen(tokenizer):
    bitext, kept = read_bitext(["a bb cc", "a"], ["a", "cc bb a"], tokenizer, 4, "words")
    assert bitext.source.words.padded(np.array([0]), -1)[0].tolist() == [[0, 1]]
    assert kept.all()
    nothing, kept = read_bitext(["a", "a"], ["", "a"], tokenizer, 4, "words")
    assert len(nothing) == 1
    assert kept.tolist() == [False, True]


def test_special_tokens_can_be_units_around_the_words(tokenizer):
    bitext, kept = read_bitext([*SOURCE, ""], [*TARGET, "a"], tokenizer, 32, "words", specials=True)
    assert kept.tolist() == [True, True, True, False]
    positions = bitext.source.positions.padded(np.arange(3), -9)[0]
    assert positions.tolist() == [[0, 3, 4, 5, -9], [0, 1, 2, -9, -9], [0, 1, 2, 3, 4]]
    words = bitext.source.words.padded(np.arange(3), -9)[0]
    assert words.tolist() == [[-1, 0, 1, 2, -9], [-1, 0, 1, -9, -9], [-1, 0, 1, 2, 3]]
    # A sentence that is cut after two words keeps its last special token.
    cut, _ = read_bitext(["a bb cc"], ["a"], tokenizer, 4, "words", specials=True)
    assert cut.source.words.padded(np.array([0]), -9)[0].tolist() == [[-1, 0, 1, 3]]


def test_padding_has_no_weight(tokenizer):
    bitext, _ = read_bitext(SOURCE, TARGET, tokenizer, 32, "words")
    batch = bitext.collate(np.array([1, 0]))
    assert batch["source"]["weights"].tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert batch["source"]["positions"].tolist() == [[1, 0], [3, 4]]
    assert batch["target"]["weights"][0].tolist() == pytest.approx([1 / 3] * 3)


def test_states_are_those_at_the_positions(encoder, tokenizer):
    bitext, _ = read_bitext(SOURCE, TARGET, tokenizer, 32, "words")
    model = load_body(encoder).eval()
    side = bitext.collate(np.arange(3))["source"]
    states = model(input_ids=side["input_ids"], attention_mask=side["attention_mask"]).last_hidden_state
    torch.testing.assert_close(unit_states(model, side)[0, :2], states[0, [3, 4]])
    torch.testing.assert_close(unit_states(model, side, "first")[0, :2], states[0, [1, 4]])
    mean = torch.stack([(states[0, 1] + states[0, 2] + states[0, 3]) / 3, states[0, 4]])
    torch.testing.assert_close(unit_states(model, side, "mean")[0, :2], mean)


def test_states_may_be_those_of_another_layer(encoder, tokenizer):
    bitext, _ = read_bitext(SOURCE, TARGET, tokenizer, 32, "words")
    model = load_body(encoder).eval()
    side = bitext.collate(np.arange(3))["source"]
    del model.encoder.layer[1:]  # what the first layer returns, computed by a model that has no other
    first = model(input_ids=side["input_ids"], attention_mask=side["attention_mask"]).last_hidden_state
    whole = load_body(encoder).eval()
    assert len(whole.encoder.layer) > 1
    torch.testing.assert_close(unit_states(whole, side, layer=1)[0, :2], first[0, [3, 4]])
    assert not torch.allclose(unit_states(whole, side)[0, :2], first[0, [3, 4]])


def test_pairs_repeat_until_there_are_enough(tokenizer):
    small, _ = read_bitext(["a"] * 3, ["bb"] * 3, tokenizer, 32, "words")
    large, _ = read_bitext(["a"] * 20, ["bb"] * 20, tokenizer, 32, "words")
    streams = [pairs_stream(bitext, 7, 2, seed=1, bucketed=False) for bitext in (small, large)]
    counts = [np.bincount(np.concatenate(stream.batches)) for stream in streams]
    assert sorted(counts[0]) == [2, 2, 3]
    assert counts[1].sum() == 7
    assert counts[1].max() == 1
    assert [len(stream) for stream in streams] == [4, 4]


def test_only_buckets_sort_by_length(tokenizer):
    texts = ["a", "a bb cc a bb cc a bb cc"] * 32
    bitext, _ = read_bitext(texts, texts, tokenizer, 32, "words")
    sizes = {}
    for bucketed in (True, False):
        stream = pairs_stream(bitext, 64, 8, seed=1, bucketed=bucketed)
        sizes[bucketed] = [set(bitext.source.ids.lengths[batch]) for batch in stream.batches]
    assert all(len(lengths) == 1 for lengths in sizes[True])
    assert all(len(lengths) == 2 for lengths in sizes[False])


def test_streams_side_by_side_take_as_many_pairs_of_each(tokenizer):
    bitexts = {
        "de": read_bitext(["a"] * 3, ["bb"] * 3, tokenizer, 32, "words")[0],
        "fr": read_bitext(["a bb"] * 20, ["bb"] * 20, tokenizer, 32, "words")[0],
    }
    streams = {name: pairs_stream(bitext, 7, 2, seed=1) for name, bitext in bitexts.items()}
    both = SideBySide(streams)
    assert len(both) == 4
    batches = [next(both) for _ in range(3)]
    for batch in batches:
        assert [len(part["source"]["input_ids"]) for part in batch.values()] in ([2, 2], [1, 1])
    assert [part["source"]["positions"].shape[1] for part in batches[0].values()] == [1, 2]
    position = both.position()
    following = next(both)
    both.restore(position)
    again = next(both)
    for name in bitexts:
        torch.testing.assert_close(following[name], again[name])
    both.restore({"epoch": 0, "index": 0})
    torch.testing.assert_close(next(both), batches[0])
