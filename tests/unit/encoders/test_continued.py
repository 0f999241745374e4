"""Continued pre-training: words' states, one space for all languages, batches, losses, whole runs."""

import json
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tiny import write_corpus, write_trainable
from torch import nn

from xstitch.core.errors import InputError
from xstitch.encoders import continued
from xstitch.encoders.continued import (
    continue_encoder,
    join_spaces,
    read_vocabulary,
    word_states,
    words_stream,
)
from xstitch.encoders.dcca import correlation_loss
from xstitch.encoders.folders import load_masked_model
from xstitch.encoders.inputs import load_fast_tokenizer
from xstitch.encoders.settings.continued import ContinuationSettings
from xstitch.spaces.aligned import Sides
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import with_schedule
from xstitch.vectors.table import Vectors

WORDS = [a + b for a in "bdkmnst" for b in "aeiou"]


def texts(number, seed):
    random = np.random.default_rng(seed)
    return [" ".join([*random.choice(WORDS, 5), "."]) for _ in range(number)]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return write_trainable(tmp_path_factory.mktemp("encoder"), texts(300, 0))


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    return {
        language: write_corpus(folder / f"{language}.parquet", texts(100, seed))
        for seed, language in enumerate(("qaa", "qab"))
    }


def settings(loss, **more):
    training = {"learning_rate": 2e-3, "batch_size": 16, "steps": 30, "evaluate_every": 10}
    keys = {"training": training, "words_batch": 24, "max_length": 16, "held_out": 10, **more}
    return ContinuationSettings(loss=loss, **with_schedule(keys, seed=2))


def vectors(width=32):
    random = np.random.default_rng(3)
    return {
        language: Vectors(WORDS[start::2], random.normal(size=(len(WORDS[start::2]), width)).astype("f4"))
        for start, language in enumerate(("qaa", "qab"))
    }.items()


def test_states_are_means_over_subwords_without_specials_and_padding(encoder, tmp_path):
    tokenizer = load_fast_tokenizer(encoder, 16)
    table = {"qaa": Vectors(["ba", "badeki"], np.array([[3.0, 4.0], [0.0, 2.0]], dtype="f4"))}
    words = read_vocabulary(table.items(), tokenizer, 10, tmp_path)
    batch = words.collate(np.array([1, 0]))
    np.testing.assert_allclose(batch["vectors"], [[0, 1], [0.6, 0.8]], rtol=1e-6)
    lengths = words.ids.lengths
    assert lengths[0] == 3
    assert lengths[1] > 3
    model = load_masked_model(encoder).eval()
    states = model.base_model(**{k: batch[k] for k in ("input_ids", "attention_mask")}).last_hidden_state
    expected = torch.stack([states[0, 1 : lengths[1] - 1].mean(dim=0), states[1, 1]])
    torch.testing.assert_close(word_states(model, batch), expected)


def test_words_that_the_encoder_cannot_write_are_left_out(encoder, tmp_path):
    tokenizer = load_fast_tokenizer(encoder, 16)
    table = {"qaa": Vectors(["字", "ba", "ba" * 40, "de"], np.eye(4, dtype="f4"))}
    kept = read_vocabulary(table.items(), tokenizer, 4, tmp_path).vectors
    assert kept[np.arange(2)].argmax(axis=1).tolist() == [1, 3]
    assert len(read_vocabulary(table.items(), tokenizer, 2, tmp_path).ids) == 1
    with pytest.raises(InputError, match="the encoder knows no word of qab's vectors"):
        read_vocabulary([("qab", Vectors(["字"], np.ones((1, 2), dtype="f4")))], tokenizer, 4, tmp_path)


def test_languages_are_joined_in_the_first_pairs_space():
    # Both pairs have the same source vectors, rotated differently; a target word that equals a source word in
    # its own pair must equal it in the common space.
    random = np.random.default_rng(0)
    source = random.normal(size=(30, 4)).astype("f4")
    maps = [np.linalg.qr(random.normal(size=(4, 4)))[0].astype("f4") * scale for scale in (1, 3)]
    sides = {
        language: Sides(Vectors(list(map(str, range(30))), source @ w), Vectors(["x"], source[5:6] @ w))
        for language, w in zip(("qab", "qac"), maps, strict=True)
    }
    joined = dict(join_spaces("qaa", sides.items()))
    assert list(joined) == ["qaa", "qab", "qac"]
    for language in ("qab", "qac"):
        np.testing.assert_allclose(joined[language].matrix[0], joined["qaa"].matrix[5], atol=1e-5)


def test_spaces_are_joined_one_at_a_time():
    alive = []

    def sides():
        for language in ("qab", "qac", "qad"):
            side = Sides(Vectors(["x"], np.ones((1, 2), "f4")), Vectors(["y"], np.ones((1, 2), "f4")))
            alive.append(weakref.ref(side.target.matrix))
            yield language, side

    for _ in join_spaces("qaa", sides()):
        assert sum(matrix() is not None for matrix in alive) == 1


def test_batches_of_words_are_whole_and_of_any_length(encoder, tmp_path):
    words = read_vocabulary(vectors(), load_fast_tokenizer(encoder, 16), 100, tmp_path)
    stream = words_stream(words, 10, seed=1)
    assert [len(rows) for rows in stream.batches] == [10, 10, 10]
    first = np.concatenate(stream.batches)
    assert len(set(first.tolist())) == 30
    stream.restore({"epoch": 1, "index": 0})
    assert not np.array_equal(first, np.concatenate(stream.batches))
    assert [len(rows) for rows in words_stream(words, 100, seed=1).batches] == [35]


def correlation(folder):
    """Measure how well vectors of all words are a linear function of their states, as R squared."""
    return -correlation_loss(*states_and_vectors(folder), 8, ridge=1e-1).item()


def error(folder):
    return nn.functional.mse_loss(*states_and_vectors(folder)).item()


def states_and_vectors(folder):
    words = read_vocabulary(vectors(), load_fast_tokenizer(folder, 16), 100, folder)
    batch = words.collate(np.arange(len(words.ids)))
    with torch.no_grad():
        return word_states(load_masked_model(folder).eval(), batch), batch["vectors"]


def gradients(encoder, settings_of_loss, folder, dropout=0.0):
    """Compute the gradient of all weights for the loss of all words at once."""
    model = load_masked_model(encoder).train()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = dropout
    words = read_vocabulary(vectors(), load_fast_tokenizer(encoder, 16), 100, folder)
    torch.manual_seed(4)
    continued.words_loss(model, settings_of_loss)(words.collate(np.arange(len(words.ids)))).backward()
    return {name: p.grad for name, p in model.named_parameters() if p.grad is not None}


@pytest.mark.parametrize("loss", ["mse", "dcca"])
def test_words_in_pieces_have_the_gradient_of_all_at_once(encoder, tmp_path, monkeypatch, loss):
    # DCCA does not fall apart into a sum over pieces: all states must be there before it is computed.
    whole = gradients(encoder, settings(loss, ridge=1e-2), tmp_path)
    monkeypatch.setattr(continued, "PIECE", 8)
    pieces = gradients(encoder, settings(loss, ridge=1e-2), tmp_path)
    assert set(pieces) == set(whole)
    for name, gradient in whole.items():
        torch.testing.assert_close(pieces[name], gradient, rtol=1e-3, atol=1e-6)


def test_a_piece_is_computed_again_with_the_same_dropout(encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(continued, "PIECE", 8)
    again = gradients(encoder, settings("mse"), tmp_path, dropout=0.5)
    monkeypatch.setattr(continued, "recompute", lambda function, *inputs, use_reentrant: function(*inputs))  # noqa: ARG005
    once = gradients(encoder, settings("mse"), tmp_path, dropout=0.5)
    for name, gradient in once.items():
        torch.testing.assert_close(again[name], gradient)


def test_losses_do_what_they_say(encoder, corpora, tmp_path):
    for loss in ("none", "mse", "dcca"):
        tables = () if loss == "none" else vectors()
        history = continue_encoder(encoder, corpora, settings(loss), tmp_path / loss, tables)
        assert set(history.records[0].parts) == (set() if loss == "none" else {"masked", "words"})
        assert history.best.metric == min(record.metric for record in history.records)
        notes = json.loads((tmp_path / loss / "xstitch.json").read_text())
        assert notes["history"]["best"]["step"] == history.best.step
    assert error(tmp_path / "mse") < 0.9 * error(tmp_path / "none")
    assert correlation(tmp_path / "dcca") > correlation(tmp_path / "none") + 0.3


class StatesByWord(nn.Module):
    """An encoder whose hidden state of a token is a row of a table."""

    def __init__(self, states):
        super().__init__()
        self.base_model = lambda input_ids, attention_mask: SimpleNamespace(  # noqa: ARG005 (same names)
            last_hidden_state=states[input_ids]
        )


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"ridge": 1e-9}, -1.6),
        ({"ridge": 1e-9, "correlations": 1}, -1.0),
        ({"ridge": 4 / 3}, -0.8),
        ({"ridge": 4 / 3, "correlations": 1}, -0.5),
    ],
)
def test_dcca_counts_correlations_and_adds_the_ridge_as_configured(keys, expected):
    # Three contrasts of four words, orthogonal and of variance 4/3. States are the first two; vectors are the
    # first, and 0.6 of the second plus 0.8 of the third: correlations 1 and 0.6. A ridge of 4/3 doubles all
    # variances and so halves correlations.
    first, second, third = torch.tensor([[1.0, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]])
    model = StatesByWord(torch.stack([first, second], dim=1))
    batch = {
        "input_ids": torch.arange(4)[:, None],
        "attention_mask": torch.ones(4, 1, dtype=torch.long),
        "subwords": torch.ones(4, 1, dtype=torch.bool),
        "vectors": torch.stack([first, 0.6 * second + 0.8 * third], dim=1),
    }
    loss = continued.words_loss(model, settings("dcca", **keys))(batch)
    assert loss.item() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("loss", ["mse", "dcca"])
def test_the_loss_of_words_is_weighted(encoder, corpora, tmp_path, loss):
    # One update: both runs start from the same weights and read the same words.
    training = {"learning_rate": 1e-3, "batch_size": 8, "steps": 1}
    parts = {}
    for weight in (1.0, 2.5):
        changed = settings(loss, training=training, weight=weight)
        history = continue_encoder(encoder, corpora, changed, tmp_path / f"{weight}", vectors())
        parts[weight] = history.records[0].parts
    assert parts[2.5]["words"] == pytest.approx(2.5 * parts[1.0]["words"], rel=1e-4)
    assert parts[2.5]["masked"] == pytest.approx(parts[1.0]["masked"], rel=1e-4)


class StopError(Exception):
    pass


def test_a_stopped_run_ends_with_the_same_folder(encoder, corpora, tmp_path, monkeypatch):
    short = settings("dcca", training={"learning_rate": 1e-3, "batch_size": 16, "steps": 6})
    continue_encoder(encoder, corpora, short, tmp_path / "whole", vectors())
    original, calls = continued.dcca_loss, []

    def stopping(*arguments):
        calls.append(1)
        if len(calls) == 4:
            raise StopError
        return original(*arguments)

    monkeypatch.setattr(continued, "dcca_loss", stopping)
    checkpoint = Checkpoint(tmp_path / "checkpoint", "x", steps=2)
    with pytest.raises(StopError):
        continue_encoder(encoder, corpora, short, tmp_path / "resumed", vectors(), checkpoint)
    continue_encoder(encoder, corpora, short, tmp_path / "resumed", vectors(), checkpoint)
    for file in (tmp_path / "whole").iterdir():
        assert file.read_bytes() == (tmp_path / "resumed" / file.name).read_bytes(), file.name


def test_impossible_settings_are_refused(encoder, corpora, tmp_path):
    with pytest.raises(InputError, match="vectors have 7 dimensions, the encoder 32: loss mse"):
        continue_encoder(encoder, corpora, settings("mse"), tmp_path / "x", vectors(width=7))
    with pytest.raises(InputError, match="this loss needs static vectors, but none are given"):
        continue_encoder(encoder, corpora, settings("dcca"), tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_an_update_averages_the_parts_of_its_words(encoder, corpora, tmp_path, monkeypatch):
    seen = []

    def watched(modules, objectives, *arguments, **named):
        words = objectives["words"]
        seen.append((words.accumulation, len(next(words.batches)["vectors"])))
        return train_jointly(modules, objectives, *arguments, **named)

    train_jointly = continued.train_jointly
    monkeypatch.setattr(continued, "train_jointly", watched)
    for number, keys in enumerate([{}, {"words_part": 8, "components": 3, "objective": "generalised"}]):
        history = continue_encoder(
            encoder, corpora, settings("dcca", **keys), tmp_path / f"{number}", vectors()
        )
        assert np.isfinite(history.records[-1].loss)
    assert seen == [(1, 24), (3, 8)]
    # Three correlations count: as sqrt(1 + r) they are between 3 and 3 * sqrt(2).
    assert -(3 * 2**0.5) <= history.records[-1].parts["words"] <= -3
