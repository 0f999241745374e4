"""Self-training on a tiny model, and how many examples it reads to find the surest."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn
from toy import LABELS, LENGTH, TRAINING, make_toy, run_stage, score, texts

from xstitch.core.errors import InputError
from xstitch.models.settings.transfer import SelfTrainingSettings
from xstitch.models.transfer import self_training
from xstitch.models.transfer.domains import answer_items, load_domain, load_model
from xstitch.models.transfer.self_training import PseudoStream, self_train
from xstitch.models.transfer.stages import Stage, adapt
from xstitch.models.transfer.sureness import Pool, choose_sure, example_sureness, read_sureness
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import Schedule


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Make an encoder and the transfer of a model that was fine-tuned from it."""
    return make_toy(tmp_path_factory.mktemp("toy"))


def test_equally_sure_to_six_digits_are_chosen_in_their_order():
    probabilities = np.array([[0.9000001, 0.0999999], [0.9000003, 0.0999997], [0.1, 0.9]])
    assert choose_sure(probabilities, 2).tolist() == [0, 2]


def test_a_finished_run_leaves_no_checkpoint(toy, tmp_path):
    checkpoint = Checkpoint(tmp_path / "checkpoint", "x", steps=1)
    stage = Stage("self-train", {"share": 0.1}, {**TRAINING, "epochs": 1})
    adapt(stage, toy[1], 1, tmp_path / "trained", checkpoint)
    assert not (tmp_path / "checkpoint").exists()


def test_the_surest_of_each_class_are_chosen():
    probabilities = np.array([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2], [0.3, 0.7], [0.45, 0.55]])
    assert choose_sure(probabilities, 4).tolist() == [0, 2, 3, 4]
    assert choose_sure(probabilities, 2).tolist() == [0, 3]


class Choices:
    """A pool whose rounds take given examples in turn, all with the label 1."""

    def __init__(self, size, choices):
        self.labels, self.rounds = np.ones(size, dtype=np.int64), iter(choices)

    def choose(self):
        return np.array(next(self.rounds)), self.labels

    def position(self):
        return {}

    def restore(self, position):
        assert position == {}


def pseudo_stream(transfer, choices):
    """Make a stream of batches of two whose rounds take `choices` in turn."""
    source, target = transfer.domains()
    schedule = Schedule(learning_rate=1, batch_size=2, steps=1, seed=1)
    return PseudoStream(target, source.stream(schedule), Choices(len(target), choices), schedule)


def test_a_round_of_self_training_may_choose_the_same_examples_again(toy):
    stream = pseudo_stream(toy[1], [[3, 5, 8], [5, 8, 9]])
    batches = [next(stream)["target"] for _ in range(4)]
    seen = [batch["items"].tolist() for batch in batches]
    assert sorted(seen[0] + seen[1]) == [3, 5, 8]
    assert sorted(seen[2] + seen[3]) == [5, 8, 9]
    assert all(set(batch["labels"].tolist()) == {1} for batch in batches)


def test_a_resumed_round_of_self_training_keeps_its_choice(toy):
    stream = pseudo_stream(toy[1], [[3, 5, 8]])
    first, position = next(stream), stream.position()
    resumed = pseudo_stream(toy[1], [])
    resumed.restore(position)
    rest, expected = next(resumed), next(stream)
    assert rest["target"]["items"].tolist() == expected["target"]["items"].tolist()
    assert rest["source"]["items"].tolist() == expected["source"]["items"].tolist()
    assert sorted(first["target"]["items"].tolist() + rest["target"]["items"].tolist()) == [3, 5, 8]


def test_self_training_improves_on_foreign_words(toy, tmp_path):
    even = replace(toy[1], target=texts(4, 200, [1 / 3] * 3, foreign=0.6))
    stage = Stage("self-train", {"share": 0.3}, {**TRAINING, "epochs": 2, "learning_rate": 5e-4})
    adapt(stage, even, 1, tmp_path / "adapted")
    assert score(tmp_path / "adapted", even.target) > score(toy[1].model, even.target)


def test_self_training_withstands_prior_shift(toy, tmp_path):
    """If no example could be chosen twice, the least sure would be learnt: from 0.91 down to 0.66."""
    run_stage(toy, "self-train", tmp_path, {"share": 0.1}, epochs=2, learning_rate=5e-4)
    assert score(tmp_path / "self-train", toy[1].target) > score(toy[1].model, toy[1].target) - 0.1


def test_sureness_of_a_sentence_is_that_of_its_words(toy):
    examples = pd.DataFrame({"words": [["a0", "b0"], ["c0"]], "tags": [["a", "b"], ["c"]]})
    domain = load_domain(toy[0], examples, LABELS, LENGTH)
    answers = np.array([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.6, 0.3, 0.1]])
    sureness = example_sureness(domain, np.arange(3), answers)
    # The first sentence supports b (0.9 in total) with a mean sureness of 0.85; the second supports no name.
    assert sureness == pytest.approx(np.array([[0, 0.85, 0], [0.6, 0, 0]]))


class Scorer:
    """A model of two classes whose sureness is given; it notes what it reads, or how many if many."""

    def __init__(self, first_class, sureness):
        self.first_class, self.sureness = np.array(first_class), np.array(sureness)
        self.read = []

    def __call__(self, rows):
        self.read.append(rows.tolist() if len(rows) < 100 else len(rows))
        sure = self.sureness[rows]
        return np.where(self.first_class[rows, None], np.c_[sure, 1 - sure], np.c_[1 - sure, sure]), rows


def pool(scorer, share, reread, seed=1):
    return Pool(scorer, len(scorer.sureness), SelfTrainingSettings(share, reread), seed)


def test_a_round_reads_the_surest_of_each_class_and_those_that_waited_longest():
    """By hand: of ten texts, four are read; 1 and 6 are the surest of their classes, eight take turns."""
    scorer = Scorer([True] * 5 + [False] * 5, [0.6, 0.9, 0.7, 0.8, 0.55, 0.75, 0.95, 0.85, 0.65, 0.7])
    texts = pool(scorer, share=0.2, reread=0.4)
    assert [texts.choose()[0].tolist() for _ in range(5)] == [[1, 6]] * 5
    assert scorer.read[0] == list(range(10))
    assert all(len(rows) == 4 and {1, 6} <= {*rows} for rows in scorer.read[1:])
    others = [row for rows in scorer.read[1:] for row in rows if row not in (1, 6)]
    assert sorted(others) == [0, 2, 3, 4, 5, 7, 8, 9]
    assert others != sorted(others)  # sorted data would have rounds of one class


def test_a_text_that_became_sure_is_found_when_its_turn_comes_and_kept():
    scorer = Scorer([True] * 5 + [False] * 5, [0.6, 0.9, 0.7, 0.8, 0.55, 0.75, 0.95, 0.85, 0.65, 0.7])
    texts = pool(scorer, share=0.2, reread=0.4)
    texts.choose()
    scorer.sureness[4] = 0.99
    chosen = [texts.choose()[0].tolist() for _ in range(6)]
    turn = next(number for number, rows in enumerate(scorer.read[1:]) if 4 in rows)
    assert turn < 4
    assert chosen == [[1, 6]] * turn + [[4, 6]] * (6 - turn)


def test_only_current_answers_are_chosen():
    """Text 1 was the surest; when it is read again the model has changed its mind, and it is not chosen."""
    scorer = Scorer([True] * 5 + [False] * 5, [0.6, 0.9, 0.7, 0.8, 0.55, 0.75, 0.95, 0.85, 0.65, 0.7])
    texts = pool(scorer, share=0.2, reread=0.8)
    texts.choose()
    scorer.first_class[1] = False
    assert texts.choose()[0].tolist() == [3, 6]


def test_texts_are_not_chosen_by_what_was_known_before():
    """All became unsure. Those that were not read again seem surer, but only because nobody looked."""
    scorer = Scorer([True] * 5 + [False] * 5, [0.6, 0.9, 0.7, 0.8, 0.55, 0.75, 0.95, 0.85, 0.65, 0.7])
    texts = pool(scorer, share=0.2, reread=0.4)
    texts.choose()
    scorer.sureness[:] = 0.51
    chosen = texts.choose()[0].tolist()
    assert len(chosen) == 2
    assert {*chosen} <= {*scorer.read[1]}


@pytest.mark.parametrize(("reread", "texts_read"), [(1.0, 4_400_000), (0.1, 200_000 + 21 * 20_000)])
def test_the_number_of_reviews_read_at_the_papers_size(reread, texts_read):
    """22 of the 196 rounds of 200,000 reviews: all of them every time, or once and then 20,000 a round."""
    rng = np.random.default_rng(1)
    scorer = Scorer(rng.random(200_000) < 0.5, 0.5 + rng.random(200_000) / 2)
    reviews = pool(scorer, share=0.02, reread=reread)
    for _ in range(22):
        chosen, _ = reviews.choose()
        assert len(chosen) == 4_000
    assert sum(scorer.read) == texts_read
    # 10,000 of the others are read every round: none waits longer than 20 rounds.
    assert reviews.round - reviews.last_read.min() <= 20


def test_a_pool_that_was_saved_goes_on_as_if_nothing_had_happened():
    rng = np.random.default_rng(1)
    first_class, sureness = rng.random(50) < 0.5, 0.5 + rng.random(50) / 2

    def rounds(texts, scorer, number):
        for _ in range(number):
            texts.choose()
            scorer.sureness = 0.5 + (scorer.sureness * 7) % 0.5
        return scorer.read

    whole = Scorer(first_class, sureness)
    rounds(pool(whole, 0.1, 0.3), whole, 6)
    before = Scorer(first_class, sureness)
    saved = pool(before, 0.1, 0.3)
    rounds(saved, before, 3)
    after = Scorer(first_class, before.sureness)
    resumed = pool(after, 0.1, 0.3)
    resumed.restore(json.loads(json.dumps(saved.position())))
    rounds(resumed, after, 3)
    assert before.read + after.read == whole.read
    assert pool(whole, 0.1, 1.0).position() == {}


def test_too_few_examples_to_choose_from_are_refused():
    with pytest.raises(InputError, match=r"^adaptation: reread is 0\.1, but rounds take 0\.06 of"):
        SelfTrainingSettings(share=0.06, reread=0.1)
    assert SelfTrainingSettings(share=0.05, reread=0.1).reread == 0.1
    assert SelfTrainingSettings(share=0.8).reread == 1


def test_reading_some_examples_gives_their_rows_of_reading_all(toy):
    model, target = load_model(toy[1].model, toy[1].target), toy[1].domains()[1]
    rows = np.array([2, 5, 11])
    everything, labels = read_sureness(model, target, np.arange(len(target)))
    some, of_some = read_sureness(model, target, rows)
    assert some == pytest.approx(everything[rows], abs=1e-5)
    assert of_some[rows].tolist() == labels[rows].tolist()
    assert (np.delete(of_some, rows) == -100).all()


def test_scores_in_half_precision_still_rank_texts(toy):
    """Texts differ; so must their scores, though bf16 has three digits. Compared to those in fp32."""
    model, target = load_model(toy[1].model, toy[1].target), toy[1].domains()[1]
    exact = answer_items(model, target)
    with torch.autocast("cpu", torch.bfloat16):
        half = answer_items(model, target)
    assert half.dtype == torch.float32
    assert not torch.equal(half, half.bfloat16().float())
    assert half.numpy() == pytest.approx(exact.numpy(), abs=0.1)


def test_self_training_that_rereads_a_share_learns_as_well(toy, tmp_path):
    even = replace(toy[1], target=texts(4, 200, [1 / 3] * 3, foreign=0.6))
    stage = Stage("self-train", {"share": 0.1, "reread": 0.3}, {**TRAINING, "learning_rate": 5e-4})
    adapt(stage, even, 1, tmp_path / "adapted")
    assert score(tmp_path / "adapted", even.target) > score(toy[1].model, even.target)


SCHEDULE = Schedule(learning_rate=1, batch_size=2, steps=1, seed=1)
SOURCE = SimpleNamespace(position=lambda: {"epoch": 0})


def test_a_stream_starts_without_examples():
    stream = PseudoStream(SimpleNamespace(gold=np.zeros(3)), SOURCE, Choices(3, []), SCHEDULE)
    start = {
        "round": 0,
        "index": 0,
        "rows": [],
        "labels": [self_training.IGNORED] * 3,
        "source": {"epoch": 0},
        "pool": {},
    }
    assert stream.position() == start


def test_a_run_is_saved_where_it_is_told(monkeypatch, tmp_path):
    seen = []

    def train(*arguments, **_):
        seen.extend(arguments)
        raise KeyboardInterrupt

    class Domain:
        gold = np.zeros(3)

        def __len__(self):
            return 3

        def stream(self, *_):
            return SOURCE

    transfer = SimpleNamespace(
        model=tmp_path, target=None, scaled=lambda schedule: schedule, domains=lambda: (Domain(), Domain())
    )
    monkeypatch.setattr(self_training, "load_model", lambda *_: nn.Linear(1, 1))
    monkeypatch.setattr(self_training, "train", train)
    checkpoint = Checkpoint(tmp_path, "a run")
    with pytest.raises(KeyboardInterrupt):
        self_train(transfer, SelfTrainingSettings(), SCHEDULE, tmp_path / "out", checkpoint)
    assert checkpoint in seen
    assert SCHEDULE in seen
