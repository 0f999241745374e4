"""SQuAD v1.1's layout, also that of XQuAD and TyDiQA-GoldP: questions with answers in a given text."""

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
    """An answer and the index of the character in the context at which it begins."""

    start: int
    text: str


class Question(NamedTuple):
    """A question about a text and its answers, at least one; ids repeat in some files."""

    id: str
    question: str
    context: str
    answers: tuple[Answer, ...]


class QuestionRow(NamedTuple):
    """A question, the text that answers it, and its answers with the characters they begin at."""

    id: str
    question: str
    context: str
    answers: list[str]
    starts: list[int]


def files(lang: str, _: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Return the paths of XQuAD to test on and of SQuAD, only in the source language, to train on."""
    squad = {"train": "train-v1.1.json", "dev": "dev-v1.1.json"} if lang == places.source else {}
    return {
        **{split: places.resource("squad", file) for split, file in squad.items()},
        "test": places.resource("xquad", f"xquad.{lang}.json"),
    }


def labels(_: Mapping[str, Any]) -> tuple[str, ...]:
    """Return no labels: answers are spans of text."""
    return ()


def read(files: Mapping[str, str], split: str, _: Mapping[str, Any]) -> Iterator[QuestionRow]:
    """Stream a split; all languages but SQuAD's have only a test split."""
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
    """Read all questions, or those with a certain prefix of their ids.

    A question is refused if its answer is not in the context where it should be. The file is one JSON
    document and is read at once (SQuAD's training part has 30 MB).
    """
    noun = f"question whose id begins with {prefix!r}" if prefix else "question"
    return some_rows((q for q in _questions(path) if q.id.startswith(prefix)), path, noun)


class _Node(NamedTuple):
    """A node of a JSON file; its line is only searched for if there is an error to report."""

    path: str | Path
    text: str
    keys: tuple[str | int, ...] = ()
    name: str = ""

    def child(self, *keys: str | int, name: str = "") -> _Node:
        """Return a node below this one; it may have no name."""
        return self._replace(keys=self.keys + keys, name=", ".join(filter(None, (self.name, name))))

    def error(self, problem: str) -> InputError:
        """Return the error to raise for a problem at this node."""
        message = ": ".join(filter(None, (self.name, problem)))
        return InputError(f"{self.path}:{line_of(self.text, self.keys)}: {message}")


def _questions(path: str | Path) -> Iterator[Question]:
    text = _load(path)
    root = _Node(path, text)
    for number, article in enumerate(_get(parse_json(text, path), "data", list, root)):
        article_node = root.child("data", number, name=f"article {number + 1}")
        for count, paragraph in enumerate(_get(article, "paragraphs", list, article_node)):
            node = article_node.child("paragraphs", count, name=f"paragraph {count + 1}")
            yield from _paragraph_questions(paragraph, node)


def _paragraph_questions(paragraph: Any, node: _Node) -> Iterator[Question]:
    # Unchanged, with all white space: answers are located by counting characters.
    context = _get(paragraph, "context", str, node)
    for number, entry in enumerate(_get(paragraph, "qas", list, node)):
        name = _get(entry, "id", str, node.child("qas", number))
        question = node.child("qas", number, name=f"question {name!r}")
        answers = tuple(
            _answer(answer, context, question.child("answers", count))
            for count, answer in enumerate(_get(entry, "answers", list, question))
        )
        if not answers:
            raise question.error("has no answer; the layout of SQuAD v1.1 is expected, not v2.0")
        yield Question(name, _get(entry, "question", str, question), context, answers)


def _answer(entry: Any, context: str, node: _Node) -> Answer:
    answer = Answer(_get(entry, "answer_start", int, node), _get(entry, "text", str, node))
    if not answer.text:
        raise node.error("the answer is empty; the layout of SQuAD v1.1 is expected, not v2.0")
    end = answer.start + len(answer.text)
    if answer.start < 0 or end > len(context):
        raise node.error(
            f"the answer at characters {answer.start} to {end} is outside its context of {len(context)}; "
            "correct answer_start"
        )
    if context[answer.start : end] != answer.text:
        raise node.error(
            f"the answer is {answer.text!r}, but {context[answer.start : end]!r} is at answer_start "
            f"{answer.start}; it counts characters, not bytes"
        )
    return answer


def _get(entry: Any, key: str, kind: type, node: _Node) -> Any:
    """Return the value of a key, which must exist and be of the right type."""
    value = entry.get(key) if isinstance(entry, dict) else None
    if not isinstance(value, kind):
        raise node.error(f"no {key!r} with a JSON {kind.__name__}; SQuAD v1.1's layout is expected")
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
