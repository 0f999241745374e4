"""SQuAD v1.1's layout, which XQuAD and TyDiQA-GoldP share: questions whose answers stand in a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xstitch.core.errors import InputError
from xstitch.core.lines import line_of, parse_json, some_rows
from xstitch.sources.tasks.places import Places

if TYPE_CHECKING:
    import pyarrow as pa


class Answer(NamedTuple):
    """An answer and the number of the letter at which it begins in the context."""

    start: int
    text: str


class Question(NamedTuple):
    """A question on a text and its answers, at least one; ids repeat in some files."""

    id: str
    question: str
    context: str
    answers: tuple[Answer, ...]


class QuestionRow(NamedTuple):
    """A question, the text that answers it, and its answers with the letters they begin at."""

    id: str
    question: str
    context: str
    answers: list[str]
    starts: list[int]


def files(lang: str, _: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Where XQuAD's questions lie to test on; to train on, SQuAD's, which are in the source language only."""
    own = {"train": "train-v1.1.json", "dev": "dev-v1.1.json"} if lang == places.source else {}
    return {
        **{split: places.resource("squad", file) for split, file in own.items()},
        "test": places.resource("xquad", f"xquad.{lang}.json"),
    }


def labels(_: Mapping[str, Any]) -> tuple[str, ...]:
    """There are none: answers are stretches of text."""
    return ()


def read(files: Mapping[str, str], split: str, _: Mapping[str, Any]) -> Iterator[QuestionRow]:
    """Stream a split; all languages but SQuAD's own have only a test split."""
    return question_rows(read_squad(files[split])) if split in files else iter(())


def question_rows(questions: Iterable[Question]) -> Iterator[QuestionRow]:
    """Turn questions into rows."""
    for question in questions:
        texts = [answer.text for answer in question.answers]
        yield QuestionRow(*question[:3], texts, [answer.start for answer in question.answers])


def questions_of(table: pa.Table) -> list[Question]:
    """Turn rows back into questions."""
    return [
        Question(
            row["id"], row["question"], row["context"], tuple(map(Answer, row["starts"], row["answers"]))
        )
        for row in table.to_pylist()
    ]


def read_squad(path: str | Path, prefix: str = "") -> Iterator[Question]:
    """Read all questions, or those whose ids begin in a certain way.

    One whose answer is not in the context where it should be is refused.

    The file is one JSON document, and as such is read at once (SQuAD's training part has 30 MB).
    """
    noun = f"question whose id begins with {prefix!r}" if prefix else "question"
    return some_rows((q for q in _questions(path) if q.id.startswith(prefix)), path, noun)


class _Place(NamedTuple):
    """Where in a file something stands; the line is looked for only if it is asked for."""

    path: str | Path
    text: str
    keys: tuple[str | int, ...] = ()
    name: str = ""

    def inside(self, *keys: str | int, name: str = "") -> _Place:
        """A place within, which may have no name of its own."""
        return self._replace(keys=self.keys + keys, name=", ".join(filter(None, (self.name, name))))

    def error(self, problem: str) -> InputError:
        """What to raise for a problem at this place."""
        whole = ": ".join(filter(None, (self.name, problem)))
        return InputError(f"{self.path}:{line_of(self.text, self.keys)}: {whole}")


def _questions(path: str | Path) -> Iterator[Question]:
    text = _load(path)
    root = _Place(path, text)
    for number, article in enumerate(_get(parse_json(text, path), "data", list, root)):
        place = root.inside("data", number, name=f"article {number + 1}")
        for count, paragraph in enumerate(_get(article, "paragraphs", list, place)):
            inner = place.inside("paragraphs", count, name=f"paragraph {count + 1}")
            yield from _paragraph_questions(paragraph, inner)


def _paragraph_questions(paragraph: Any, place: _Place) -> Iterator[Question]:
    # As it stands, white space included: answers are found by counting letters.
    context = _get(paragraph, "context", str, place)
    for number, entry in enumerate(_get(paragraph, "qas", list, place)):
        name = _get(entry, "id", str, place.inside("qas", number))
        spot = place.inside("qas", number, name=f"question {name!r}")
        answers = tuple(
            _answer(answer, context, spot.inside("answers", count))
            for count, answer in enumerate(_get(entry, "answers", list, spot))
        )
        if not answers:
            raise spot.error("has no answer; the layout of SQuAD v1.1 is expected, not v2.0")
        yield Question(name, _get(entry, "question", str, spot), context, answers)


def _answer(entry: Any, context: str, place: _Place) -> Answer:
    answer = Answer(_get(entry, "answer_start", int, place), _get(entry, "text", str, place))
    if not answer.text:
        raise place.error("the answer is empty; the layout of SQuAD v1.1 is expected, not v2.0")
    end = answer.start + len(answer.text)
    if answer.start < 0 or end > len(context):
        raise place.error(
            f"the answer at letters {answer.start} to {end} is outside its context of {len(context)}; "
            "correct answer_start"
        )
    if context[answer.start : end] != answer.text:
        raise place.error(
            f"at letter {answer.start} is {context[answer.start : end]!r}, not the answer {answer.text!r}; "
            "answer_start counts letters, not bytes"
        )
    return answer


def _get(node: Any, key: str, kind: type, place: _Place) -> Any:
    """Take a key's value, which must be there and of the right kind."""
    value = node.get(key) if isinstance(node, dict) else None
    if not isinstance(value, kind):
        raise place.error(f"no {key!r} with a JSON {kind.__name__}; SQuAD v1.1's layout is expected")
    return value


def _load(path: str | Path) -> str:
    try:
        content = Path(path).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror}); check the path") from problem
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise InputError(f"{path}:{line}: not UTF-8 text ({problem.reason}); convert the file") from problem
