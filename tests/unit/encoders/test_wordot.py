"""WordOT and L2: losses by hand, links between units, whole runs that bring languages together, resuming."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from tiny import write_trainable
from torch import nn

from xstitch.core.errors import InputError
from xstitch.encoders import wordot
from xstitch.encoders.bitext import read_bitext, unit_states
from xstitch.encoders.folders import load_body
from xstitch.encoders.inputs import load_fast_tokenizer
from xstitch.encoders.linked_pairs import save_links
from xstitch.encoders.settings.wordot import WordotSettings
from xstitch.encoders.word_links import link_pairs
from xstitch.encoders.wordot import (
    Problems,
    align_encoder,
    drift,
    l2_loss,
    transport_loss,
    unit_links,
)
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import schedule_factor, with_schedule


class StopError(Exception):
    pass


NOUNS, VERBS = ["ka", "lo", "mi", "nu", "pe", "ri"], ["sta", "tro", "vlu", "gle"]
FOREIGN = {word: f"{word}x" for word in NOUNS + VERBS}


def sentences(number, seed):
    random = np.random.default_rng(seed)
    return [" ".join([*random.choice(NOUNS, 2), random.choice(VERBS)]) for _ in range(number)]


def foreign(sentence):
    """Translate into the other language: the same words, the verb first."""
    words = [FOREIGN[word] for word in sentence.split()]
    return " ".join([words[2], *words[:2]])


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    texts = sentences(200, 0)
    return write_trainable(tmp_path_factory.mktemp("encoder"), texts + [foreign(text) for text in texts])


@pytest.fixture(scope="module")
def parallel(tmp_path_factory):
    folder, files = tmp_path_factory.mktemp("parallel"), {}
    for number, language in enumerate(("qab", "qac")):
        texts = sentences(60, number + 1)
        files[language] = folder / f"{language}.parquet"
        pq.write_table(
            pa.table({"source": [foreign(text) for text in texts], "target": texts}), files[language]
        )
    return files


def settings(**more):
    training = {
        "learning_rate": 3e-3,
        "batch_size": 10,
        "epochs": 3,
        "schedule": "constant",
        "weight_decay": 0,
    }
    keys = {"training": training, "pairs": 90, "max_length": 16, "problem": "sentence", **more}
    return WordotSettings(**with_schedule(keys, seed=1))


def linked(parallel, folder, loss="transport", **_):
    """Link the words of all pairs, as the rule before alignment does; None if the loss needs no links."""
    if loss != "l2":
        return None
    files = {language: folder / f"{language}.npz" for language in parallel}
    for language, file in files.items():
        table = pq.read_table(parallel[language])
        sides = (table[name].to_pylist() for name in ("source", "target"))
        save_links(link_pairs(*sides, None), file)
    return files


def distances(folder):
    """Return, for new sentences, the mean distance of words to their translations, and the English states."""
    tokenizer, model = load_fast_tokenizer(folder, 16), load_body(folder).eval()
    texts = sentences(40, 9)
    bitext, _ = read_bitext([foreign(text) for text in texts], texts, tokenizer, 16, "words")
    batch = bitext.collate(np.arange(40))
    with torch.no_grad():
        source, target = unit_states(model, batch["source"]), unit_states(model, batch["target"])
    return (source[:, [1, 2, 0]] - target).norm(dim=2).mean().item(), target


def test_a_layer_that_the_encoder_lacks_is_refused(encoder, parallel, tmp_path):
    with pytest.raises(InputError, match=r"layer is 3, but the encoder has layers 1 to 2"):
        align_encoder(encoder, parallel, settings(layer=3), tmp_path / "aligned")


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"units": "subwords"},
        {"problem": "batch"},
        {"problem": "together"},
        {"subword": "mean"},
        {"layer": 2},
        {"loss": "l2"},
    ],
    ids=["words", "subwords", "batch", "together", "mean", "layer", "l2"],
)
def test_translations_come_closer_and_english_stays(encoder, parallel, tmp_path, more):
    history = align_encoder(
        encoder, parallel, settings(**more), tmp_path / "aligned", links=linked(parallel, tmp_path, **more)
    )
    before, english = distances(encoder)
    after, moved = distances(tmp_path / "aligned")
    # One problem for many sentences leaves open which words belong together, so it moves them less.
    assert after < (1 if "problem" in more else 0.96) * before
    assert (moved - english).norm(dim=2).mean().item() < 0.5 * before
    assert len(history.records[0].parts) == (0 if more.get("problem") == "together" else 2)
    notes = json.loads((tmp_path / "aligned" / "xstitch.json").read_text())
    assert notes["history"]["records"][-1]["loss"] < notes["history"]["records"][0]["loss"]


class Fixed(nn.Module):
    """An encoder whose hidden states are given."""

    def __init__(self, states):
        super().__init__()
        self.states = states

    def forward(self, input_ids, attention_mask):
        assert input_ids.shape == attention_mask.shape
        return type("Output", (), {"last_hidden_state": self.states[input_ids]})


def side(ids, weights):
    ids = torch.tensor(ids)
    positions = torch.arange(ids.shape[1]).expand_as(ids)
    return {
        "input_ids": ids,
        "attention_mask": torch.ones_like(ids),
        "positions": positions,
        "starts": positions,
        "weights": torch.tensor(weights),
    }


# Tokens 0 to 3 are at 0, 1, 4 and 6 on a line; token 2 used to be at 3.
NOW, BEFORE = torch.tensor([[0.0], [1.0], [4.0], [6.0]]), torch.tensor([[0.0], [1.0], [3.0], [6.0]])
BATCH = {
    "source": side([[0], [1]], [[1.0], [1.0]]),
    "target": side([[2, 0], [3, 0]], [[1.0, 0.0], [1.0, 0.0]]),
    "links": torch.tensor([[0, 0, 0], [1, 0, 0]]),
}


def test_transport_loss_by_hand():
    # Sentence pairs: 0 to 4 costs 8, 1 to 6 costs 12.5; English moved by 1 in the first: (8 + 1 + 12.5) / 2.
    loss = transport_loss(Fixed(NOW), Fixed(BEFORE), settings())
    assert loss(BATCH).item() == pytest.approx((8 + 1 + 12.5) / 2, rel=1e-4)
    half = transport_loss(Fixed(NOW), Fixed(BEFORE), settings(anchoring=0.5))
    assert half(BATCH).item() == pytest.approx((8 + 0.5 + 12.5) / 2, rel=1e-4)


def test_the_state_of_a_word_is_its_first_or_last_subwords_or_their_mean():
    # A word of two subwords, at 4 and 6, is moved to 1: from 6 it costs 12.5, from 4 4.5, from 5 8.
    word = {"positions": torch.tensor([[1]]), "starts": torch.tensor([[0]])}
    batch = {"source": {**side([[2, 3]], [[1.0]]), **word}, "target": side([[1]], [[1.0]])}
    for subword, cost in (("last", 12.5), ("first", 4.5), ("mean", 8.0)):
        loss = transport_loss(Fixed(NOW), Fixed(NOW), settings(subword=subword))
        assert loss(batch).item() == pytest.approx(cost, rel=1e-4)


def test_words_have_the_states_of_the_configured_layer():
    # On layer 1, 0 to 4 costs 8 and 1 to 6 12.5, as above; the last layer has all tokens in one place.
    class Layered(Fixed):
        def forward(self, input_ids, attention_mask, output_hidden_states=False):
            states = super().forward(input_ids, attention_mask).last_hidden_state
            layers = [states + 1, states, 0 * states] if output_hidden_states else None
            return type("Output", (), {"last_hidden_state": 0 * states, "hidden_states": layers})

    for layer, cost in ((1, (8 + 12.5) / 2), (None, 0.0)):
        loss = transport_loss(Layered(NOW), Layered(NOW), settings(layer=layer))
        assert loss(BATCH).item() == pytest.approx(cost, abs=1e-4)


def test_transport_loss_of_one_cloud_by_hand():
    # Points 0, 1 to 4, 6 on a line: 0 to 4 and 1 to 6 at half a mass each, (8 + 12.5) / 2; English moved 1.
    # The clouds' costs with themselves are the same entropy everywhere and cancel out.
    loss = transport_loss(Fixed(NOW), Fixed(BEFORE), settings(problem="batch"))
    assert loss(BATCH).item() == pytest.approx(10.25 + 1, rel=1e-3)


# German 0 with English 6, Spanish 6 with English 0: no language has its translation near, both together have.
CROSSED = {
    "de": {"source": side([[0]], [[1.0]]), "target": side([[3]], [[1.0]])},
    "es": {"source": side([[3]], [[1.0]]), "target": side([[0]], [[1.0]])},
}


def test_one_problem_of_all_languages_by_hand():
    loss = transport_loss(Fixed(NOW), Fixed(NOW), settings(problem="together"))
    assert loss(CROSSED).item() == pytest.approx(0, abs=1e-3)
    alone = transport_loss(Fixed(NOW), Fixed(NOW), settings(problem="batch"))
    assert [alone(part).item() for part in CROSSED.values()] == pytest.approx([18, 18], rel=1e-3)


def test_a_batch_of_sentences_is_one_problem():
    # The same points as two sentence pairs of one language: crossed, they cost 18 each, as a batch nothing.
    crossed = {
        "source": side([[0], [3]], [[1.0], [1.0]]),
        "target": side([[3], [0]], [[1.0], [1.0]]),
    }
    losses = {
        problem: transport_loss(Fixed(NOW), Fixed(NOW), settings(problem=problem))(crossed).item()
        for problem in ("sentence", "batch")
    }
    assert losses["sentence"] == pytest.approx(18, rel=1e-3)
    assert losses["batch"] == pytest.approx(0, abs=1e-3)


def test_cost_and_blur_reach_the_loss():
    # Distances 4 and 5 in place of their squares; English moved by 1 in the first.
    loss = transport_loss(Fixed(NOW), Fixed(BEFORE), settings(cost="euclidean"))
    assert loss(BATCH).item() == pytest.approx((4 + 1 + 5) / 2, rel=1e-3)
    # One word at 3, two at 1 and 5: cost 2 either way, minus half of the two words' cost with themselves.
    states = torch.tensor([[3.0], [1.0], [5.0]])
    batch = {"source": side([[0]], [[1.0]]), "target": side([[1, 2]], [[0.5, 0.5]])}
    for cost, blur, eps in (("squared", 0.05, 0.0025), ("squared", 0.5, 0.25), ("euclidean", 0.5, 0.5)):
        loss = transport_loss(Fixed(states), Fixed(states), settings(cost=cost, blur=blur))
        assert loss(batch).item() == pytest.approx(2 - eps * np.log(2) / 2, abs=1e-3), (cost, blur)


def test_drift_by_hand():
    # Two words of width two, then one and padding: 1 + 4 + 9 + 16 over four numbers, 9 + 16 over two.
    before = torch.zeros(2, 2, 2)
    target = torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [9.0, 9.0]]])
    weights = torch.tensor([[0.5, 0.5], [1.0, 0.0]])
    problems = Problems(target, target, before, weights, weights)
    assert drift(problems, "sum").tolist() == [30.0, 25.0]
    assert drift(problems, "mean").tolist() == [7.5, 12.5]


def test_l2_loss_by_hand():
    # Linked words against the original English: 0 and 3, 1 and 6, the mean of 9 and 25; English itself: 1, 0.
    loss = l2_loss(Fixed(NOW), Fixed(BEFORE), 1.0)
    assert loss(BATCH).item() == pytest.approx(17 + 0.5)
    assert loss({**BATCH, "links": BATCH["links"][:0]}).item() == pytest.approx(0.5)


def test_the_baseline_has_its_authors_schedule():
    plan = settings(training={"learning_rate": 5e-5, "steps": 20, "schedule": "constant", "warmup": 0.1})
    factors = [schedule_factor(step, 20, plan.training.warmup, plan.training.schedule) for step in range(20)]
    assert factors == [0, 0.5, *[1.0] * 18]


@pytest.fixture
def trained(monkeypatch):
    """Replace training by a record of what would be trained."""
    record = {}

    def train_jointly(model, objectives, schedule, **more):  # noqa: ARG001 (the engine's signature)
        record.update(objectives=objectives, **more)
        raise StopError

    monkeypatch.setattr(wordot, "train_jointly", train_jointly)
    return record


@pytest.mark.parametrize(
    ("loss", "betas", "eps"), [("l2", (0.9, 0.98), 1e-9), ("transport", (0.9, 0.999), 1e-8)]
)
def test_each_loss_has_its_authors_optimiser(encoder, parallel, tmp_path, trained, loss, betas, eps):
    plan = settings(loss=loss)
    with pytest.raises(StopError):
        align_encoder(
            encoder, parallel, plan, tmp_path / "aligned", links=linked(parallel, tmp_path, loss=loss)
        )
    for group in trained["optimiser"](nn.Linear(2, 2), plan.training).param_groups:
        assert (group["betas"], group["eps"], group["weight_decay"]) == (betas, eps, 0)


def test_the_baseline_links_special_tokens(encoder, parallel, tmp_path, trained):
    with pytest.raises(StopError):
        align_encoder(
            encoder,
            parallel,
            settings(loss="l2"),
            tmp_path / "aligned",
            links=linked(parallel, tmp_path, loss="l2"),
        )
    batch = next(trained["objectives"]["qab"].batches)
    assert batch["source"]["positions"].shape == (10, 5)  # three words and two special tokens
    links = set(map(tuple, batch["links"].tolist()))
    for row in range(10):
        assert {(row, 0, 0), (row, 4, 4)} <= links
        # Words are linked among each other: the numbers of words are those of units less one.
        assert all(
            1 <= first <= 3 and 1 <= second <= 3 for r, first, second in links if r == row and first % 4
        )


def test_transport_leaves_special_tokens_alone(encoder, parallel, tmp_path, trained):
    with pytest.raises(StopError):
        align_encoder(encoder, parallel, settings(), tmp_path / "aligned")
    assert next(trained["objectives"]["qab"].batches)["source"]["positions"].tolist() == [[1, 2, 3]] * 10


def test_all_languages_in_one_problem_come_in_equal_numbers(encoder, parallel, tmp_path, trained):
    with pytest.raises(StopError):
        align_encoder(encoder, parallel, settings(problem="together"), tmp_path / "aligned")
    (objective,) = trained["objectives"].values()
    batch = next(objective.batches)
    assert {name: len(part["source"]["input_ids"]) for name, part in batch.items()} == {"qab": 10, "qac": 10}


@pytest.mark.parametrize(
    ("problem", "batches", "by_length"),
    [("sentence", "by-length", True), ("sentence", "random", False), ("batch", "by-length", False)],
)
def test_only_problems_of_a_sentence_each_come_by_length(
    encoder, tmp_path, trained, problem, batches, by_length
):
    texts = [" ".join(["ka"] * (1 + number % 8)) for number in range(80)]
    pq.write_table(pa.table({"source": texts, "target": texts}), tmp_path / "pairs.parquet")
    training = {"learning_rate": 1e-3, "batch_size": 10, "epochs": 1, "batches": batches}
    changed = settings(problem=problem, pairs=80, training=training)
    with pytest.raises(StopError):
        align_encoder(encoder, {"qab": tmp_path / "pairs.parquet"}, changed, tmp_path / "aligned")
    stream = trained["objectives"]["qab"].batches
    lengths = [next(stream)["source"]["attention_mask"].sum(dim=1) for _ in range(len(stream))]
    # Eight lengths of ten sentences each, in eight batches: by length, every batch has one length.
    assert all(len(set(batch.tolist())) == 1 for batch in lengths) == by_length


def test_long_sentences_are_left_out_of_training(encoder, parallel, tmp_path, trained):
    with pytest.raises(InputError, match="holds no sentence pair that is short enough"):
        align_encoder(encoder, parallel, settings(max_words=2), tmp_path / "aligned")
    with pytest.raises(StopError):
        align_encoder(encoder, parallel, settings(max_words=3), tmp_path / "aligned")
    assert trained["objectives"]


def test_links_stay_with_their_pairs(encoder, tmp_path, trained):
    # The first pair is too long and the third has no words: the second and the fourth are left, in any order.
    texts = {"source": ["ka lo mi nu", "ka lo", "", "mi"], "target": ["ka lo", "lo ka", "ka", "mi nu"]}
    parallel, links = {"qab": tmp_path / "qab.parquet"}, {"qab": tmp_path / "qab.npz"}
    pq.write_table(pa.table(texts), parallel["qab"])
    none = np.zeros((0, 2), dtype=int)
    save_links([none, np.array([[0, 1], [1, 0]]), none, np.array([[0, 1]])], links["qab"])
    plan = settings(loss="l2", max_words=3, pairs=2)
    with pytest.raises(StopError):
        align_encoder(encoder, parallel, plan, tmp_path / "aligned", links=links)
    batch = next(trained["objectives"]["qab"].batches)
    lengths = (batch["source"]["weights"] > 0).sum(dim=1).tolist()
    found = {lengths[row]: set() for row in range(2)}
    for row, first, second in batch["links"].tolist():
        found[lengths[row]].add((first, second))
    # Units are words between two special tokens.
    assert found == {4: {(0, 0), (1, 2), (2, 1), (3, 3)}, 3: {(0, 0), (1, 2), (2, 3)}}


def test_links_of_words_become_links_of_seen_units(encoder):
    tokenizer = load_fast_tokenizer(encoder, 16)
    bitext, _ = read_bitext(["ka lo mi"], ["nu pe ri"], tokenizer, 4, "words")  # two words are seen
    assert unit_links(bitext, 0, np.array([[0, 1], [1, 0], [2, 1], [0, 2]])).tolist() == [[0, 1], [1, 0]]
    assert unit_links(bitext, 0, np.zeros((0, 2), dtype=int)).shape == (0, 2)


def test_a_stopped_run_ends_with_the_same_weights(encoder, parallel, tmp_path, monkeypatch):
    plain = settings(training={"learning_rate": 1e-3, "batch_size": 20, "steps": 6})
    align_encoder(encoder, parallel, plain, tmp_path / "whole")
    original, calls = wordot.sinkhorn_divergence, []

    def stopping(*arguments):
        calls.append(1)
        if len(calls) == 8:
            raise StopError
        return original(*arguments)

    monkeypatch.setattr(wordot, "sinkhorn_divergence", stopping)
    checkpoint = Checkpoint(tmp_path / "checkpoint", "x", steps=2)
    with pytest.raises(StopError):
        align_encoder(encoder, parallel, plain, tmp_path / "resumed", checkpoint)
    assert not (tmp_path / "resumed").exists()
    align_encoder(encoder, parallel, plain, tmp_path / "resumed", checkpoint)
    for file in (tmp_path / "whole").iterdir():
        assert file.read_bytes() == (tmp_path / "resumed" / file.name).read_bytes(), file.name
