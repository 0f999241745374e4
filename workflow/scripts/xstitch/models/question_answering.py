"""Extractive question answering: fine-tune an encoder folder, then find answers in texts with it.

A text that does not fit into the input is read in overlapping windows. The model scores every token as the
first and as the last token of the answer; the answer is the span with the highest sum among those that are
not too long.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from transformers import AutoModelForQuestionAnswering

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.encoders.adapters import AdapterStack, restore_adapters, stack_adapters
from xstitch.encoders.folders import WEIGHTS, save_trained, set_embeddings
from xstitch.encoders.inputs import Inputs, load_fast_tokenizer, run_model
from xstitch.encoders.packed.encoder import pack_encoder
from xstitch.encoders.wordpiece import blocks
from xstitch.models.settings.reading import ReadingSettings
from xstitch.results.answer_metrics import answer_scores
from xstitch.sources.tasks.squad import Question
from xstitch.training.batches import Ragged, scheduled_batches
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device, evaluating, move, seed_all
from xstitch.training.history import History
from xstitch.training.loop import train
from xstitch.training.schedule import Schedule
from xstitch.training.shares import Rows

LOG = logging.getLogger("xstitch")
NONE = -1  # no token
NOWHERE = 0  # the target of a window without the answer: its first token, [CLS]
BLOCK = 1000  # texts tokenised at once
EVALUATION_BATCH = 64


@dataclass(frozen=True)
class Passages:
    """Tokenised texts: the ids of all tokens, and where each token begins and ends in its text."""

    ids: Ragged
    begins: np.ndarray
    ends: np.ndarray

    def find(self, passage: int, begin: int, end: int) -> tuple[int, int]:
        """Return the numbers, over all texts, of the first and last token that overlap a span of a text.

        If no token overlaps it, the last is smaller than the first.
        """
        first, stop = self.ids.offsets[passage : passage + 2]
        start = np.searchsorted(self.ends[first:stop], begin, side="right")
        last = np.searchsorted(self.begins[first:stop], end, side="left") - 1
        return int(first + start), int(first + last)


@dataclass(frozen=True)
class Windows:
    """Questions with parts of their texts, tokenised; a row is a window, `questions` has its question.

    In row r the text begins at token `heads[r]` of the input. `seen` (windows x 2) is the part of the text
    that the window shows: its first token and the one after its last, numbered over all `passages`. `central`
    is the part of `seen` for which no other window of the question shows more context. `passage_of` has one
    entry per question.
    """

    inputs: Inputs
    questions: np.ndarray
    heads: np.ndarray
    seen: np.ndarray
    central: np.ndarray
    passages: Passages
    passage_of: np.ndarray

    def mask(self, rows: np.ndarray, stretch: np.ndarray) -> torch.Tensor:
        """Mark the tokens of each row's stretch (rows x tokens of the padded inputs)."""
        columns = np.arange(self.inputs.ids.lengths[rows].max())
        shift = (self.heads - self.seen[:, 0])[rows]
        begins, ends = (stretch[rows].T + shift)[:, :, None]
        return torch.from_numpy((columns >= begins) & (columns < ends))

    def numbers(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Turn positions in the inputs, one per row, into token numbers over all passages."""
        return columns - self.heads[rows] + self.seen[rows, 0]


@dataclass(frozen=True)
class Answers:
    """One answer per question, its score, and how many questions got none because their text has no token."""

    texts: list[str]
    scores: np.ndarray
    unanswered: int


class _Frame(NamedTuple):
    """Special tokens before the question, between it and the text, and at the end."""

    before: list[int]
    between: list[int]
    after: list[int]
    types: tuple[int, ...]  # token types of before, question, between, text, after

    @classmethod
    def of(cls, tokenizer: Any) -> _Frame:
        """Encode a pair of letters to see what the tokenizer puts around two texts."""
        pair = tokenizer.backend_tokenizer.encode("a", "b")
        sides = pair.sequence_ids
        question, text = sides.index(0), sides.index(1)
        ends = 0, question, question + sides.count(0), text, text + sides.count(1), len(sides)
        ids = [pair.ids[start:stop] for start, stop in pairwise(ends)]
        types = [pair.type_ids[start] if start < stop else 0 for start, stop in pairwise(ends)]
        return cls(ids[0], ids[2], ids[4], tuple(types))

    @property
    def size(self) -> int:
        """Number of special tokens."""
        return len(self.before) + len(self.between) + len(self.after)


def window_stretches(length: int, room: int, stride: int) -> np.ndarray:
    """Lay windows of at most `room` tokens over a text of `length` tokens (windows x begin, end)."""
    step = min(stride, room)
    begins = np.arange(0, max(1, length - room + step), step)
    return np.stack([begins, np.minimum(begins + room, length)], axis=1)


def central_stretches(stretches: np.ndarray, length: int) -> np.ndarray:
    """Assign every token of a text to the window that shows the most context on the token's shorter side.

    Ties go to the longer window, then to the earlier one: BERT's rule. As windows go from left to right, the
    tokens of each window are contiguous (windows x begin, end).
    """
    tokens = np.arange(length)
    begins, ends = stretches.T[:, :, None]
    left, right = tokens - begins, ends - 1 - tokens
    scores = np.where((left >= 0) & (right >= 0), np.minimum(left, right) + 0.01 * (ends - begins), -np.inf)
    cuts = np.searchsorted(scores.argmax(axis=0), np.arange(len(stretches) + 1))
    return np.stack([cuts[:-1], cuts[1:]], axis=1)


def make_windows(tokenizer: Any, questions: Sequence[Question], settings: ReadingSettings) -> Windows:
    """Tokenise questions and texts, each text once, and lay windows over the texts."""
    if not questions:
        raise InputError("question answering: no questions")
    numbers: dict[str, int] = {}
    passage_of = np.array([numbers.setdefault(entry.context, len(numbers)) for entry in questions])
    passages = _tokenise(tokenizer, list(numbers))
    asked = _tokenise(tokenizer, [entry.question for entry in questions]).ids
    frame = _Frame.of(tokenizer)
    rows, ids, types = [], [], []
    for number, passage in enumerate(progress(passage_of, "laying windows", unit="question")):
        begin, end = asked.offsets[number : number + 2]
        question = asked.values[begin:end][: settings.max_question]
        head = len(frame.before) + len(question) + len(frame.between)
        first, stop = passages.ids.offsets[passage : passage + 2]
        stretches = window_stretches(stop - first, _room(frame, len(question), settings), settings.stride)
        for seen, central in zip(stretches, central_stretches(stretches, stop - first), strict=True):
            text = passages.ids.values[first + seen[0] : first + seen[1]]
            parts = frame.before, question, frame.between, text, frame.after
            ids.append(np.concatenate(parts).astype(np.int32))
            types.append(np.repeat(np.array(frame.types, dtype=np.int8), [len(part) for part in parts]))
            rows.append((number, head, *(first + seen), *(first + central)))
    table = np.array(rows, dtype=np.int64)
    offsets = np.cumsum([0, *map(len, ids)])
    typed = "token_type_ids" in tokenizer.model_input_names
    inputs = Inputs(
        Ragged(np.concatenate(ids), offsets),
        tokenizer.pad_token_id or 0,
        Ragged(np.concatenate(types), offsets) if typed else None,
    )
    return Windows(inputs, table[:, 0], table[:, 1], table[:, 2:4], table[:, 4:6], passages, passage_of)


def _room(frame: _Frame, question: int, settings: ReadingSettings) -> int:
    """Return how many tokens of a text fit next to a question."""
    room = settings.max_length - frame.size - question
    if room < 1:
        raise InputError(
            f"question answering: max_length {settings.max_length} leaves no room for the text after a "
            f"question of {question} tokens; raise it or lower max_question"
        )
    return room


def _tokenise(tokenizer: Any, texts: Sequence[str]) -> Passages:
    """Tokenise texts without truncation and without special tokens."""
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.no_truncation()
    ids, spans = [], []
    for block in progress(list(blocks(texts, BLOCK)), "tokenising", unit="block"):
        encoded = backend.encode_batch(block, add_special_tokens=False)
        ids.append(Ragged.from_lists([entry.ids for entry in encoded]))
        offsets = [span for entry in encoded for span in entry.offsets]
        spans.append(np.array(offsets, dtype=np.int32).reshape(-1, 2))
    begins, ends = np.concatenate(spans).T
    return Passages(Ragged.join(ids), begins, ends)


def answer_positions(windows: Windows, questions: Sequence[Question]) -> tuple[np.ndarray, int]:
    """Locate each question's first answer in its windows (windows x first and last token of the input).

    A window without the whole answer points to its [CLS]. Also count the answers that no window shows.
    """
    answers = [entry.answers[0] for entry in questions]
    spans = np.array(
        [
            windows.passages.find(passage, answer.start, answer.start + len(answer.text))
            for passage, answer in zip(windows.passage_of, answers, strict=True)
        ]
    )[windows.questions]
    begins, ends = windows.seen.T
    shown = (begins <= spans[:, 0]) & (spans[:, 0] <= spans[:, 1]) & (spans[:, 1] < ends)
    positions = np.where(shown[:, None], spans + (windows.heads - begins)[:, None], NOWHERE)
    return positions, len(questions) - len(np.unique(windows.questions[shown]))


def finetune_reader(
    encoder: Path,
    training: Sequence[Question],
    dev: Sequence[Question] | None,
    schedule: Schedule,
    settings: ReadingSettings,
    output: Path,
    checkpoint: Checkpoint | None = None,
    embeddings: np.ndarray | None = None,
    freeze_embeddings: bool = False,
    adapters: AdapterStack | None = None,
) -> History:
    """Fine-tune an encoder folder on questions.

    The weights with the best F1 on `dev` are kept, or the last if the schedule says so or there is no `dev`.
    `embeddings` replaces the input-embedding table before training; with `adapters`, only a task adapter and
    the head are trained. The output is a complete transformers folder (`save_trained`), written after
    training.
    """
    seed_all(schedule.seed)
    tokenizer, model = load_fast_tokenizer(encoder, settings.max_length), load_reader(encoder)
    set_embeddings(model, embeddings, freeze_embeddings)
    if adapters is not None:
        stack_adapters(model, adapters)
    pack_encoder(model)
    windows = make_windows(tokenizer, training, settings)
    positions, lost = answer_positions(windows, training)
    LOG.info("%d questions, %d windows, %d answers not found", len(training), len(positions), lost)
    targets = torch.from_numpy(positions)

    def collate(rows: np.ndarray) -> dict[str, torch.Tensor]:
        return {**windows.inputs.collate(rows), "targets": targets[rows]}

    history = train(
        model,
        lambda batch: reading_loss(*_logits(model, batch), batch["targets"]),
        scheduled_batches(windows.inputs.ids.lengths, schedule, collate),
        schedule,
        None if dev is None else _dev_score(model, tokenizer, dev, settings),
        checkpoint,
        label="fine-tuning",
        sharing=Rows(),
    )
    save_trained(output, model, tokenizer, history, checkpoint)
    return history


def predict_answers(
    folder: Path, questions: Sequence[Question], settings: ReadingSettings, batch_size: int = EVALUATION_BATCH
) -> Answers:
    """Answer questions with a fine-tuned folder, in the order of the questions."""
    model = load_reader(folder)
    restore_adapters(model, folder)
    pack_encoder(model)
    model.to(choose_device())
    windows = make_windows(load_fast_tokenizer(folder, settings.max_length), questions, settings)
    with evaluating(model):
        batches = progress(windows.inputs.batches(batch_size), "reading", unit="batch")
        answers = _answers(model, windows, questions, settings, batches)
    if answers.unanswered:
        LOG.warning("%d of %d questions have texts without a token", answers.unanswered, len(questions))
    return answers


def load_reader(folder: Path) -> nn.Module:
    """Load a folder as a model for question answering; a plain encoder gets a new head."""
    return AutoModelForQuestionAnswering.from_pretrained(folder, num_labels=2, **WEIGHTS)


def reading_loss(starts: torch.Tensor, ends: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Average the cross-entropy of the first and of the last token."""
    first, last = targets.T
    return (nn.functional.cross_entropy(starts, first) + nn.functional.cross_entropy(ends, last)) / 2


def best_spans(
    starts: torch.Tensor, ends: torch.Tensor, may_start: torch.Tensor, may_end: torch.Tensor, longest: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Find each row's best span of at most `longest` tokens: its first and last token and its score.

    All spans are considered, not only those of the few best starts and ends. Ties go to the shortest span,
    then to the earliest. A row without any legal span has the score -inf.
    """
    starts = starts.masked_fill(~may_start, -torch.inf)
    ends = ends.masked_fill(~may_end, -torch.inf)
    number, width = starts.shape
    best = starts.new_full((number,), -torch.inf)
    first = last = torch.zeros(number, dtype=torch.long, device=starts.device)
    for more in range(min(longest, width)):
        scores, begins = (starts[:, : width - more] + ends[:, more:]).max(dim=1)
        better = scores > best
        best = torch.where(better, scores, best)
        first, last = torch.where(better, begins, first), torch.where(better, begins + more, last)
    return first, last, best


def _logits(model: nn.Module, batch: Mapping[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Score every token as the first and as the last of the answer; padding gets -inf."""
    output = run_model(model, batch)
    padding = batch["attention_mask"] == 0
    return tuple(
        scores.float().masked_fill(padding, -torch.inf) for scores in (output.start_logits, output.end_logits)
    )


def _answers(
    model: nn.Module,
    windows: Windows,
    questions: Sequence[Question],
    settings: ReadingSettings,
    batches: Iterable[np.ndarray],
) -> Answers:
    """Choose each question's best span over all its windows."""
    spans = np.full((len(questions), 2), NONE, dtype=np.int64)
    best = np.full(len(questions), -np.inf, dtype=np.float32)
    for rows in batches:
        masks = windows.mask(rows, windows.central), windows.mask(rows, windows.seen)
        batch = {**windows.inputs.collate(rows), "may_start": masks[0], "may_end": masks[1]}
        batch = move(batch, choose_device())
        parts = best_spans(*_logits(model, batch), batch["may_start"], batch["may_end"], settings.max_answer)
        first, last, scores = (part.cpu().numpy() for part in parts)
        tokens = np.stack([windows.numbers(rows, first), windows.numbers(rows, last)], axis=1)
        for question, span, score in zip(windows.questions[rows], tokens, scores, strict=True):
            if score > best[question]:
                best[question], spans[question] = score, span
    texts = [_text(windows, entry, span) for entry, span in zip(questions, spans, strict=True)]
    return Answers(texts, best, int((spans[:, 0] == NONE).sum()))


def _text(windows: Windows, question: Question, span: np.ndarray) -> str:
    """Return the part of a question's text between two tokens; empty if there are none."""
    if span[0] == NONE:
        return ""
    return question.context[windows.passages.begins[span[0]] : windows.passages.ends[span[1]]].strip()


def _dev_score(
    model: nn.Module, tokenizer: Any, dev: Sequence[Question], settings: ReadingSettings
) -> Callable[[], float]:
    """Make the function that returns F1 on the development data."""
    windows = make_windows(tokenizer, dev, settings)
    gold = [[answer.text for answer in entry.answers] for entry in dev]
    batches = windows.inputs.batches(EVALUATION_BATCH)
    return lambda: answer_scores(gold, _answers(model, windows, dev, settings, batches).texts).f1
