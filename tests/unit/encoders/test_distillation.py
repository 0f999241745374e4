"""Static vectors from an encoder: X2Static by hand, its sampling, resuming; and aggregation."""

from __future__ import annotations

import math
import random
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tiny import write_corpus, write_encoder
from torch import nn

from xstitch.core.errors import InputError
from xstitch.core.parquet import stream_column
from xstitch.encoders import aggregation, distillation
from xstitch.encoders import contexts as contexts_module
from xstitch.encoders.aggregation import choose_occurrences
from xstitch.encoders.contexts import load_encoder, make_shards, read_subwords
from xstitch.encoders.corpus_words import CorpusWords, read_words
from xstitch.encoders.distillation import (
    Negatives,
    distill_vectors,
    keep_probabilities,
    paragraph_means,
    word_collator,
    x2static_loss,
)
from xstitch.encoders.settings.distillation import DistillSettings
from xstitch.training.batches import Ragged
from xstitch.training.checkpoints import Checkpoint
from xstitch.vectors.table import Vectors, unit_rows

TOPICS = [[a + b + c for a in letters for b in "aeo" for c in letters] for letters in ("bdk", "mnr")]
BASIS = {"layer": 2, "min_count": 5, "batch_size": 16, "encoder_batch": 8}
QUICK = DistillSettings(**BASIS, threshold=0.1, learning_rate=0.02, epochs=4)
MEAN = DistillSettings(method="aggregation", layer=2, min_count=1, encoder_batch=8)


def topical(number: int) -> list[str]:
    """Draw sentences of one topic each; "UND" is in all of them."""
    draw = random.Random(1)
    return [" ".join(["UND", *draw.choices(TOPICS[i % 2], k=draw.randint(5, 9))]) for i in range(number)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder")
    texts = topical(400)
    write_corpus(folder / "corpus.parquet", texts, np.arange(400) // 4)
    return write_encoder(folder, texts, width=16)


def make(folder: Path, settings: DistillSettings = QUICK, seed: int = 3, **more) -> Vectors:
    return distill_vectors(folder / "corpus.parquet", folder, settings, seed, **more)


# Words


def test_words_are_counted_lower_cased_and_numbered_by_frequency(tmp_path: Path) -> None:
    texts = ["B a  b C", "b A c d", "", "d e Ά"] * 20
    words = read_words(write_corpus(tmp_path / "c.parquet", texts, [0, 0, 1, 1] * 20), 20, 4)
    assert words.vocabulary == ["b", "a", "c", "d"]  # ties by first occurrence
    assert words.counts.tolist() == [60, 40, 40, 40]
    assert words.ids.lengths.tolist() == [4, 4, 0, 3] * 20
    assert words.ids.values[:11].tolist() == [0, 1, 0, 2, 0, 1, 2, 3, 3, -1, -1]
    assert words.paragraphs[:6].tolist() == [0, 0, 1, 1, 2, 2]
    assert read_words(tmp_path / "c.parquet", 20, 100).vocabulary == ["b", "a", "c", "d", "e", "ά"]


def test_a_corpus_without_frequent_words_is_refused(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "c.parquet", ["a b c"])
    with pytest.raises(InputError, match="no word occurs 2 times; lower min_count"):
        read_words(corpus, 2, 10)
    with pytest.raises(InputError, match="no sentence"):
        read_words(write_corpus(tmp_path / "d.parquet", []), 1, 10)


# X2Static


def test_loss_by_hand() -> None:
    """Two sentences, three targets, two negatives each; one score is beyond the clamp."""
    table = nn.Embedding.from_pretrained(torch.tensor([[1.0, 0.0], [0.5, 2.0], [-1.0, 1.0]]), freeze=False)
    batch = {
        "contexts": torch.tensor([[1.0, 2.0], [30.0, 0.0]]),
        "sentences": torch.tensor([0, 0, 1]),
        "words": torch.tensor([[0, 1, 2], [1, 2, 2], [2, 0, 1]]),
    }
    scores = [(1.0, 4.5, 1.0), (4.5, 1.0, 1.0), (-20.0, 20.0, 15.0)]
    terms = [
        math.log(1 + math.exp(-target)) + sum(math.log(1 + math.exp(s)) for s in negatives)
        for target, *negatives in scores
    ]
    assert x2static_loss(table, batch).item() == pytest.approx(sum(terms) / 3, rel=1e-6)


def test_a_batch_without_targets_has_no_loss() -> None:
    table = nn.Embedding(3, 2, sparse=True)
    optimiser = distillation.sparse_adam(table, distillation.Schedule(0.1, epochs=1))
    before = table.weight.detach().clone()
    none = torch.zeros(0, dtype=torch.long)
    batch = {"contexts": torch.ones(1, 2), "sentences": none, "words": torch.zeros(0, 3, dtype=torch.long)}
    loss = x2static_loss(table, batch)
    loss.backward()
    optimiser.step()
    assert loss.item() == 0
    assert torch.equal(table.weight, before)


def test_frequent_words_are_dropped_by_the_formula() -> None:
    counts = np.array([899_989, 100_000, 10, 1])
    expected = [1 - (1 - min(1, math.sqrt(5e-6 / f) + 5e-6 / f)) for f in (0.899989, 0.1, 1e-5, 1e-6)]
    np.testing.assert_allclose(keep_probabilities(counts, 5e-6), expected)
    assert expected[1] == pytest.approx(0.00712, abs=1e-5)
    assert expected[2:] == [1, 1]


def test_targets_are_kept_as_often_as_their_probability() -> None:
    """Words that are four, two and one in seven of the text, and one that is absent."""
    ids = Ragged.from_lists([[0, 1, 0, -1], [2, 0, 1, 0]])
    torch.manual_seed(0)
    collate = word_collator(ids, np.array([4, 2, 1]), 0.01, 5)
    counts = np.zeros((2, 3))
    for _ in range(1500):
        batch = collate(np.array([1, 0]))
        assert batch["words"].shape == (len(batch["sentences"]), 6)
        np.add.at(counts, (batch["sentences"].numpy(), batch["words"][:, 0].numpy()), 1)
    kept = [math.sqrt(0.01 / f) + 0.01 / f for f in (4 / 7, 2 / 7, 1 / 7)]
    expected = np.array([[2, 1, 1], [2, 1, 0]]) * kept * 1500
    assert (np.abs(counts - expected) <= 4 * np.sqrt(expected)).all()


def test_negatives_follow_the_root_of_counts() -> None:
    counts = np.array([10_000, 400, 100, 25, 1])
    torch.manual_seed(0)
    drawn = Negatives(counts).draw(20_000, 10)
    assert drawn.shape == (20_000, 10)
    expected = 200_000 * np.array([100, 20, 10, 5, 1]) / 136
    chi_square = ((np.bincount(drawn.flatten(), minlength=5) - expected) ** 2 / expected).sum()
    assert chi_square < 18.5  # exceeded by a thousandth of true samples, with four degrees of freedom


def test_a_random_number_that_is_rounded_up_to_one_draws_the_last_word(monkeypatch) -> None:
    monkeypatch.setattr(torch, "rand", lambda *size, dtype: torch.ones(size, dtype=dtype))
    assert Negatives(np.array([9, 4, 1])).draw(2, 2).tolist() == [[2, 2], [2, 2]]


def test_vectors_start_evenly_spread_around_zero(monkeypatch) -> None:
    monkeypatch.setattr(distillation, "train", lambda *_, **__: None)
    words = CorpusWords(
        [f"w{i}" for i in range(500)], np.full(500, 2), Ragged.from_lists([[0]]), np.arange(1)
    )
    contexts = SimpleNamespace(encoder=SimpleNamespace(width=4), shards=[np.arange(1)])
    start = distillation.x2static(words, contexts, DistillSettings(), 3).matrix
    # Two thousand numbers between -1/4 and 1/4: no share of a twentieth is empty.
    assert (np.histogram(start, bins=20, range=(-0.25, 0.25))[0] > 50).all()
    assert np.abs(start).max() <= 0.25


def test_paragraph_contexts_are_means_over_sentences() -> None:
    contexts = np.array([[1, 0], [3, 2], [5, 5], [0, 3], [0, 6]], dtype=np.float32)
    means = paragraph_means(contexts, np.array([4, 4, 2, 7, 7]))
    np.testing.assert_array_equal(means, [[2, 1], [2, 1], [5, 5], [0, 4.5], [0, 4.5]])


@pytest.mark.parametrize("context", ["sentence", "paragraph"])
def test_words_with_shared_contexts_are_near(folder: Path, context: str) -> None:
    """Sentences of the two topics alternate: paragraphs of four mix them and blur the vectors."""
    settings = DistillSettings(**BASIS, threshold=0.1, learning_rate=0.02, epochs=4, context=context)
    vectors = make(folder, settings)
    assert vectors.words[0] == "und"
    assert set(vectors.words) == {"und", *TOPICS[0], *TOPICS[1]}
    unit = unit_rows(vectors.matrix - vectors.matrix.mean(axis=0))
    first, second = (unit[[vectors.index[word] for word in words]] for words in TOPICS)
    within = ((first @ first.T).mean() + (second @ second.T).mean()) / 2
    gap = within - (first @ second.T).mean()
    assert gap > 0.5 if context == "sentence" else gap < 0.3


def test_vectors_depend_only_on_the_seed(folder: Path, tmp_path: Path) -> None:
    first = make(folder)
    np.testing.assert_array_equal(make(folder, cache=tmp_path).matrix, first.matrix)
    assert not np.array_equal(make(folder, seed=4, cache=tmp_path).matrix, first.matrix)
    assert first.matrix.dtype == np.float32
    first.save(tmp_path / "v.npz")
    assert Vectors.load(tmp_path / "v.npz").words == first.words


def test_later_epochs_do_not_run_the_encoder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    compute = distillation.Contexts._compute
    monkeypatch.setattr(
        distillation.Contexts, "_compute", lambda s, rows: (seen.append(len(rows)), compute(s, rows))[1]
    )
    make(folder, checkpoint=Checkpoint(tmp_path, "a run"))
    assert sum(seen) == 400
    assert list((tmp_path / "contexts").glob("*.npz"))


@pytest.mark.parametrize("cached", [True, False])
def test_interrupted_runs_end_with_the_vectors_of_an_undisturbed_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cached: bool
) -> None:
    """A checkpoint every 9 of 112 (or 28) steps, an interruption at the 22nd: nothing in memory is reused."""
    settings = QUICK if cached else replace(QUICK, epochs=1)  # one epoch needs no cache
    monkeypatch.setattr(distillation, "make_shards", partial(make_shards, size=100))  # of 7 batches each
    losses = []

    def interrupted(table: nn.Embedding, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        losses.append(x2static_loss(table, batch))
        if len(losses) == 22:
            raise KeyboardInterrupt
        return losses[-1]

    expected = make(folder, settings)
    monkeypatch.setattr(distillation, "x2static_loss", interrupted)
    with pytest.raises(KeyboardInterrupt):
        make(folder, settings, checkpoint=Checkpoint(tmp_path, "a run", steps=9))
    assert [path.name for path in tmp_path.glob("step-*")] == ["step-000000018"]
    resumed = make(folder, settings, checkpoint=Checkpoint(tmp_path, "a run", steps=9))
    assert len(losses) == 22 + (112 if cached else 28) - 18
    np.testing.assert_array_equal(resumed.matrix, expected.matrix)


def test_working_ahead_changes_no_vector(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every shard is encoded once an epoch, all but each epoch's first by the thread that works ahead."""
    monkeypatch.setattr(distillation, "make_shards", partial(make_shards, size=100))
    encode, threads = contexts_module.Contexts.shard, []

    def noted(self, number: int) -> np.ndarray:
        threads.append((number, threading.current_thread() is threading.main_thread()))
        return encode(self, number)

    monkeypatch.setattr(contexts_module.Contexts, "shard", noted)
    found = []
    for ahead in (False, True):
        monkeypatch.setattr(distillation, "works_ahead", lambda ahead=ahead: ahead)
        found.append(make(folder, replace(QUICK, epochs=2)).matrix)
    np.testing.assert_array_equal(*found)
    alone, ahead = threads[: len(threads) // 2], threads[len(threads) // 2 :]
    assert [number for number, _ in ahead] == [number for number, _ in alone]
    assert all(main for _, main in alone)
    assert [main for _, main in ahead[:4]] == [True, False, False, False]
    # The next epoch's shards are not foreseen; if its first is this one's last, it is still there.
    assert [main for _, main in ahead[4:]] == [True] + [False] * (len(ahead) - 5)


def test_an_encoder_that_fails_ahead_ends_the_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distillation, "make_shards", partial(make_shards, size=100))
    monkeypatch.setattr(distillation, "works_ahead", lambda: True)
    encode, calls = contexts_module.Contexts.shard, []

    def failing(self, number: int) -> np.ndarray:
        calls.append(number)
        if len(calls) == 2:
            raise InputError("no memory")
        return encode(self, number)

    monkeypatch.setattr(contexts_module.Contexts, "shard", failing)
    with pytest.raises(InputError, match="no memory"):
        make(folder)


# Aggregation


def aggregated_by_hand(folder: Path, corpus: Path, max_subwords: int = 200) -> dict[str, np.ndarray]:
    """Loop over sentences and words, one at a time."""
    encoder = load_encoder(folder, 2)
    subwords = read_subwords(corpus, folder, max_subwords, with_tokens=True)
    texts = list(stream_column(corpus, "text"))
    words = [word.lower() for text in texts for word in text.split()]
    means: dict[str, list[np.ndarray]] = {}
    for row in range(len(texts)):
        part = slice(subwords.ids.offsets[row], subwords.ids.offsets[row + 1])
        ids = torch.from_numpy(subwords.ids.values[part].astype(np.int64))[None]
        with torch.no_grad():
            states = encoder(ids, torch.ones_like(ids))[0].numpy()
        owners = subwords.tokens.values[part]
        for owner in sorted(set(owners) - {-1}):
            means.setdefault(words[owner], []).append(states[owners == owner].mean(axis=0))
    return {word: np.mean(parts, axis=0) for word, parts in means.items()}


@pytest.mark.parametrize("max_subwords", [200, 5])
def test_aggregation_by_hand(folder: Path, tmp_path: Path, max_subwords: int) -> None:
    """Words of several subwords, words that occur twice in a sentence, and words only beyond the cut."""
    texts = ["bab bab xbabdo mem", "UND bab , xbabdo", "rar nen mem rar dad bokamena"]
    corpus = write_corpus(tmp_path / "c.parquet", texts)
    settings = replace(MEAN, max_subwords=max_subwords)
    vectors = distill_vectors(corpus, folder, settings, 0)
    expected = aggregated_by_hand(folder, corpus, max_subwords)
    assert set(vectors.words) == set(expected)
    assert ("bokamena" in expected) == (max_subwords == 200)
    for word, mean in expected.items():
        np.testing.assert_allclose(vectors.matrix[vectors.index[word]], mean, atol=1e-5)


def test_contexts_of_a_word_are_limited() -> None:
    words = np.random.default_rng(0).choice([-1, 0, 1, 2, 3], p=[0.2, 0.5, 0.2, 0.095, 0.005], size=1000)
    chosen = choose_occurrences(words, 20, seed=1)
    counts = np.bincount(words[words >= 0])
    assert counts[3] < 20
    np.testing.assert_array_equal(np.bincount(words[chosen]), np.minimum(counts, 20))
    assert not chosen[words < 0].any()
    assert np.flatnonzero(chosen & (words == 0)).max() > 500  # not only the first
    assert not np.array_equal(chosen, choose_occurrences(words, 20, seed=2))
    np.testing.assert_array_equal(choose_occurrences(words, None, seed=1), words >= 0)


def test_aggregation_resumes(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = make(folder, replace(MEAN, max_contexts=3)).matrix
    monkeypatch.setattr(aggregation, "SHARD", 30)
    checkpoint = Checkpoint(tmp_path, "a run", steps=1)
    encode, calls = aggregation.encode_rows, []

    def failing(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return encode(*arguments)

    monkeypatch.setattr(aggregation, "encode_rows", failing)
    with pytest.raises(KeyboardInterrupt):
        make(folder, replace(MEAN, max_contexts=3), checkpoint=checkpoint)
    resumed = make(folder, replace(MEAN, max_contexts=3), checkpoint=checkpoint).matrix
    np.testing.assert_allclose(resumed, expected, atol=1e-5)
    whole = len(calls) - 1  # the interrupted shard was started twice, the two before it once
    make(folder, replace(MEAN, max_contexts=3))
    assert len(calls) - whole - 1 == whole


def test_aggregation_is_saved_whenever_the_time_has_passed(folder: Path, tmp_path: Path, monkeypatch) -> None:
    # Twenty shards of three seconds each and a checkpoint every seven: after each third shard.
    monkeypatch.setattr(aggregation, "SHARD", 20)
    encode, save, clock, steps = aggregation.encode_rows, aggregation.save_checkpoint, [100.0], []

    def slow(*arguments):
        clock[0] += 3
        return encode(*arguments)

    monkeypatch.setattr(aggregation, "encode_rows", slow)
    monkeypatch.setattr(aggregation, "save_checkpoint", lambda *all: (steps.append(all[2]), save(*all)))
    monkeypatch.setattr(aggregation, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    make(folder, MEAN, checkpoint=Checkpoint(tmp_path, "a run", seconds=7))
    assert steps == [3, 6, 9, 12, 15, 18]


# Settings


def test_defaults_are_the_papers() -> None:
    settings = DistillSettings()
    assert (settings.method, settings.layer, settings.context) == ("x2static", 6, "sentence")
    assert (settings.min_count, settings.max_words, settings.max_subwords) == (10, 750_000, 200)
    assert (settings.threshold, settings.negatives, settings.learning_rate) == (5e-6, 10, 1e-3)
    assert (settings.batch_size, settings.epochs) == (128, 1)


# How vectors are trained


@pytest.mark.parametrize("rate", [1e-3, 4e-3])
def test_every_update_has_the_whole_learning_rate(rate: float) -> None:
    """With one word, all negatives are the word itself: its score only falls, and Adam moves by the rate."""
    words = CorpusWords(["a"], np.array([2]), Ragged.from_lists([[0], [0]]), np.arange(2))
    contexts = SimpleNamespace(
        encoder=SimpleNamespace(width=4), shards=[np.arange(2)], shard=lambda _: np.ones((2, 4), dtype="f4")
    )
    keys = {"min_count": 1, "threshold": 1.0, "batch_size": 2, "learning_rate": rate}
    runs = [
        distillation.x2static(words, contexts, DistillSettings(**keys, epochs=epochs), 3).matrix
        for epochs in (1, 6)
    ]
    # One update per epoch; a rate that falls to 0 would be 3.5 updates in the second run, not 6.
    np.testing.assert_allclose(runs[0] - runs[1], np.full((1, 4), 5 * rate), rtol=0.03)
