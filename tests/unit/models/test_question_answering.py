"""Question answering: windows as in transformers, spans checked against all pairs, a toy set memorised."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import write_trainable
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from xstitch.core.errors import InputError
from xstitch.encoders.folders import load_tokenizer
from xstitch.models import question_answering
from xstitch.models.question_answering import (
    answer_positions,
    best_spans,
    central_stretches,
    finetune_reader,
    load_reader,
    make_windows,
    predict_answers,
    reading_loss,
    window_stretches,
)
from xstitch.models.settings.reading import ReadingSettings
from xstitch.results.answer_metrics import answer_scores
from xstitch.sources.tasks.squad import Answer, Question
from xstitch.training.schedule import Schedule

THINGS, COLOURS = ["ball", "box", "hat", "cup"], ["red", "blue", "green", "grey"]
LONG = "the ball is red and the box is blue and the hat is green and the cup is grey"
SETTINGS = ReadingSettings(max_length=24, stride=8, max_question=6, max_answer=4)


def ask(thing: str, context: str = LONG, name: str = "q") -> Question:
    """Ask for the second word after a thing."""
    words = context.split()
    answer = words[words.index(thing) + 2]
    return Question(
        name, f"what is the {thing}", context, (Answer(context.index(f"is {answer}") + 3, answer),)
    )


def toy(number: int, seed: int) -> list[Question]:
    random = np.random.default_rng(seed)
    rows = []
    for row in range(number):
        facts = zip(random.permutation(THINGS)[:2], random.permutation(COLOURS)[:2], strict=True)
        context = " and ".join(f"the {thing} is {colour}" for thing, colour in facts)
        rows.append(ask(context.split()[1 + 5 * int(random.integers(2))], context, f"q{row}"))
    return rows


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [f"{entry.question} {entry.context}" for entry in (*toy(30, 0), ask("cup"))]
    return write_trainable(tmp_path_factory.mktemp("encoder"), texts)


@pytest.fixture(scope="module")
def tokenizer(encoder: Path):
    """Like BERT's, with token types that distinguish question and text."""
    tokenizer = load_tokenizer(encoder)
    tokenizer.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
    return tokenizer


@pytest.fixture(scope="module")
def reader(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("models") / "reader"
    schedule = Schedule(learning_rate=5e-3, batch_size=8, epochs=60, evaluate_every=30, seed=1)
    finetune_reader(encoder, toy(24, 1), toy(24, 1), schedule, SETTINGS, output)
    return output


# Windows


@pytest.mark.parametrize(
    ("length", "room", "stride", "expected"),
    [
        (5, 10, 4, [(0, 5)]),
        (10, 10, 4, [(0, 10)]),
        (11, 10, 4, [(0, 10), (4, 11)]),
        (14, 10, 4, [(0, 10), (4, 14)]),
        (15, 10, 4, [(0, 10), (4, 14), (8, 15)]),
        (5, 2, 9, [(0, 2), (2, 4), (4, 5)]),  # a stride beyond the window would skip tokens
        (0, 10, 4, [(0, 0)]),
    ],
)
def test_windows_begin_every_stride_and_end_with_the_text(length, room, stride, expected) -> None:
    assert window_stretches(length, room, stride).tolist() == [list(stretch) for stretch in expected]


def richest_window(stretches: list[list[int]], token: int) -> int:
    """Apply BERT's rule to one token."""
    best, chosen = -1.0, -1
    for number, (begin, end) in enumerate(stretches):
        if begin <= token < end:
            score = min(token - begin, end - 1 - token) + 0.01 * (end - begin)
            if score > best:
                best, chosen = score, number
    return chosen


@pytest.mark.parametrize(
    ("length", "room", "stride"), [(30, 12, 5), (31, 12, 1), (13, 12, 3), (9, 12, 3), (40, 7, 7)]
)
def test_each_token_belongs_to_the_window_with_the_most_context(length, room, stride) -> None:
    stretches = window_stretches(length, room, stride)
    owners = [richest_window(stretches.tolist(), token) for token in range(length)]
    expected = [[token for token in range(length) if owners[token] == n] for n in range(len(stretches))]
    assert [list(range(*stretch)) for stretch in central_stretches(stretches, length)] == expected


def test_windows_are_those_of_transformers(tokenizer) -> None:
    questions = [ask("box"), ask("hat", toy(1, 5)[0].context + " and the hat is blue"), ask("cup")]
    windows = make_windows(tokenizer, questions, SETTINGS)
    for number, entry in enumerate(questions):
        rows = np.flatnonzero(windows.questions == number)
        size = len(tokenizer.tokenize(entry.question))
        encoded = tokenizer(
            entry.question,
            entry.context,
            truncation="only_second",
            max_length=24,
            stride=24 - size - 3 - SETTINGS.stride,
            return_overflowing_tokens=True,
        )
        batches = [windows.inputs.collate(rows[index : index + 1]) for index in range(len(rows))]
        assert [batch["input_ids"][0].tolist() for batch in batches] == encoded["input_ids"]
        assert [batch["token_type_ids"][0].tolist() for batch in batches] == encoded["token_type_ids"]
    assert np.bincount(windows.questions).tolist() == [2, 1, 2]
    assert len(windows.passages.ids) == 2  # the first and the last question share their text


def test_long_questions_are_cut_and_must_leave_room(tokenizer) -> None:
    entry = ask("box")._replace(question="what " * 20)
    windows = make_windows(tokenizer, [entry], SETTINGS)
    assert windows.heads.tolist() == [1 + 6 + 1] * len(windows.heads)
    with pytest.raises(
        InputError, match="max_length 9 leaves no room for the text after a question of 6 tokens"
    ):
        make_windows(tokenizer, [entry], ReadingSettings(9, 8, 6, 4))
    with pytest.raises(InputError, match="question answering: no questions"):
        make_windows(tokenizer, [], SETTINGS)


def roberta_like() -> PreTrainedTokenizerFast:
    """Make a tokenizer with two separators, no types, and spaces that belong to the word after them."""
    words = ["<s>", "</s>", "<unk>", "<pad>", "▁wie", "▁Rom", "▁ist", "▁groß", "."]
    backend = Tokenizer(models.Unigram([(word, -1.0) for word in words], unk_id=2))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="<pad>",
        unk_token="<unk>",
        model_input_names=["input_ids", "attention_mask"],
    )


def test_tokenizers_may_have_other_special_tokens_and_spaces_within_tokens() -> None:
    context = "Rom ist groß."
    entry = Question("q", "wie Rom", context, (Answer(8, "groß"),))
    windows = make_windows(roberta_like(), [entry], ReadingSettings(max_length=32))
    batch = windows.inputs.collate(np.arange(1))
    assert batch["input_ids"].tolist() == [[0, 4, 5, 1, 1, 5, 6, 7, 8, 1]]
    assert set(batch) == {"input_ids", "attention_mask"}
    assert answer_positions(windows, [entry])[0].tolist() == [[7, 7]]


# Answers in windows


def test_answers_are_located_by_their_characters(tokenizer) -> None:
    questions = [ask(thing) for thing in THINGS]
    windows = make_windows(tokenizer, questions, SETTINGS)
    positions, lost = answer_positions(windows, questions)
    assert lost == 0
    for row, (first, last) in enumerate(positions):
        entry = questions[windows.questions[row]]
        ids = windows.inputs.collate(np.array([row]))["input_ids"][0]
        if (first, last) == (0, 0):
            assert entry.answers[0].text not in tokenizer.convert_ids_to_tokens(ids)
        else:
            assert tokenizer.decode(ids[first : last + 1]) == entry.answers[0].text
    assert (positions == 0).all(axis=1).any()  # some window does not show its answer


def test_answers_that_no_window_shows_are_counted(tokenizer) -> None:
    whole = Question("long", "what is the ball", LONG, (Answer(0, LONG),))
    nothing = Question("void", "what", "\u200d red", (Answer(0, "\u200d"),))
    inside = Question("part", "what", "the ball", (Answer(5, "al"),))
    questions = [whole, nothing, inside]
    windows = make_windows(tokenizer, questions, SETTINGS)
    positions, lost = answer_positions(windows, questions)
    assert lost == 2
    assert positions[windows.questions < 2].max() == 0
    # Part of a word is answered by the tokens that contain it.
    assert tokenizer.tokenize("the ball") == ["the", "ball"]
    assert positions[windows.questions == 2].tolist() == [[4, 4]]


# Spans


def test_the_best_span_by_hand() -> None:
    starts = torch.tensor([[0.0, 5.0, 1.0, 2.0, 9.0]])
    ends = torch.tensor([[9.0, 0.0, 1.0, 4.0, 9.0]])
    text = torch.tensor([[False, True, True, True, False]])
    assert [part.tolist() for part in best_spans(starts, ends, text, text, 3)] == [[1], [3], [9.0]]
    # At most two tokens: 5 + 1 (tokens 1 and 2) and 2 + 4 (token 3) are both 6, and the shorter wins.
    assert [part.tolist() for part in best_spans(starts, ends, text, text, 2)] == [[3], [3], [6.0]]
    only = torch.tensor([[False, False, True, False, False]])
    assert [part.tolist() for part in best_spans(starts, ends, only, text, 3)] == [[2], [3], [5.0]]
    assert best_spans(starts, ends, ~text & text, text, 3)[2].tolist() == [-torch.inf]


@pytest.mark.parametrize("longest", [1, 3, 50])
def test_the_best_span_is_the_best_of_all_pairs(longest: int) -> None:
    random = torch.Generator().manual_seed(longest)
    starts, ends = torch.randn(2, 6, 11, generator=random)
    may_start, may_end = torch.rand(2, 6, 11, generator=random) < 0.6
    first, last, score = best_spans(starts, ends, may_start, may_end, longest)
    for row in range(6):
        pairs = {
            (i, j): (starts[row, i] + ends[row, j]).item()
            for i, j in itertools.product(range(11), repeat=2)
            if i <= j < i + longest and may_start[row, i] and may_end[row, j]
        }
        assert (first[row].item(), last[row].item()) == max(pairs, key=pairs.get)
        assert score[row].item() == max(pairs.values())


def test_the_loss_is_the_mean_of_both_ends() -> None:
    starts, ends = torch.tensor([[0.0, 2.0, -torch.inf]]), torch.tensor([[1.0, 0.0, 0.0]])
    by_hand = (np.log(1 + np.exp(2)) - 2 + np.log(np.e + 2)) / 2
    assert reading_loss(starts, ends, torch.tensor([[1, 2]])).item() == pytest.approx(by_hand)


# Models


def test_a_toy_problem_is_memorised(reader: Path) -> None:
    questions = toy(24, 1)
    answers = predict_answers(reader, questions, SETTINGS)
    # Always answering the second colour of the text would be right for 58 % of them.
    assert answer_scores([[entry.answers[0].text] for entry in questions], answers.texts).exact_match > 70
    assert answers.unanswered == 0
    history = json.loads((reader / "xstitch.json").read_text())["history"]
    f1 = answer_scores([[entry.answers[0].text] for entry in questions], answers.texts).f1
    assert history["best"]["metric"] == pytest.approx(f1)


def test_order_and_batch_size_change_nothing(reader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # In double precision, so that rounding, which depends on the batch size, cannot change a span.
    monkeypatch.setattr(question_answering, "load_reader", lambda folder: load_reader(folder).double())
    questions = [*toy(10, 3), *(ask(thing) for thing in THINGS)]
    results = [predict_answers(reader, questions, SETTINGS, size) for size in (1, 5, 64)]
    assert results[0].texts == results[1].texts == results[2].texts
    assert np.allclose(results[0].scores, results[2].scores, atol=1e-4)
    assert predict_answers(reader, questions[::-1], SETTINGS).texts == results[0].texts[::-1]


def test_answers_are_spans_of_their_texts(reader: Path) -> None:
    questions = [*(ask(thing) for thing in THINGS), Question("void", "what is", "\u200d", (Answer(0, ""),))]
    answers = predict_answers(reader, questions, SETTINGS)
    for entry, text in zip(questions[:-1], answers.texts, strict=False):
        assert text
        assert text in entry.context
        assert len(text.split()) <= SETTINGS.max_answer
    assert answers.texts[-1] == ""
    assert answers.scores[-1] == -np.inf
    assert answers.unanswered == 1


def test_without_dev_data_the_last_weights_are_kept(encoder: Path, tmp_path: Path) -> None:
    schedule = Schedule(learning_rate=1e-3, batch_size=8, epochs=1, seed=1)
    history = finetune_reader(encoder, toy(8, 1), None, schedule, SETTINGS, tmp_path / "out")
    assert history.best is None
    assert predict_answers(tmp_path / "out", toy(3, 2), SETTINGS).texts
