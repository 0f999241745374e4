"""SQuAD v1.1's layout, which XQuAD and TyDiQA-GoldP share: questions whose answers stand in a text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from xstitch.errors import InputError
from xstitch.tasks.lines import parse_json, some_rows

# TyDiQA's own files hold all languages and name them in front of a question's id.
TYDIQA_LANGUAGES = {
    "ar": "arabic",
    "bn": "bengali",
    "en": "english",
    "fi": "finnish",
    "id": "indonesian",
    "ko": "korean",
    "ru": "russian",
    "sw": "swahili",
    "te": "telugu",
}


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


def read_squad(path: str | Path) -> Iterator[Question]:
    """Read all questions; one whose answer is not in the context where it should be is refused.

    The file is one JSON document, and as such is read at once (SQuAD's training part has 30 MB).
    """
    return some_rows(_questions(path), path, "question")


def read_tydiqa(path: str | Path, language: str) -> Iterator[Question]:
    """Read the questions in one language of TyDiQA-GoldP's own files."""
    if language not in TYDIQA_LANGUAGES:
        raise InputError(f"TyDiQA-GoldP has no language {language!r}; it has {', '.join(TYDIQA_LANGUAGES)}")
    prefix = f"{TYDIQA_LANGUAGES[language]}-"
    own = (question for question in _questions(path) if question.id.startswith(prefix))
    return some_rows(own, path, f"question whose id begins with {prefix!r}")


def _questions(path: str | Path) -> Iterator[Question]:
    for number, article in enumerate(_get(_load(path), "data", list, str(path)), start=1):
        place = f"{path}: article {number}"
        for count, paragraph in enumerate(_get(article, "paragraphs", list, place), start=1):
            yield from _paragraph_questions(paragraph, f"{place}, paragraph {count}")


def _paragraph_questions(paragraph: Any, place: str) -> Iterator[Question]:
    # As it stands, white space included: answers are found by counting letters.
    context = _get(paragraph, "context", str, place)
    for entry in _get(paragraph, "qas", list, place):
        name = _get(entry, "id", str, place)
        spot = f"{place}, question {name!r}"
        answers = tuple(_answer(answer, context, spot) for answer in _get(entry, "answers", list, spot))
        if not answers:
            raise InputError(f"{spot}: has no answer; the layout of SQuAD v1.1 is expected, not v2.0")
        yield Question(name, _get(entry, "question", str, spot), context, answers)


def _answer(entry: Any, context: str, place: str) -> Answer:
    answer = Answer(_get(entry, "answer_start", int, place), _get(entry, "text", str, place))
    end = answer.start + len(answer.text)
    if answer.start < 0 or end > len(context):
        raise InputError(
            f"{place}: the answer at letters {answer.start} to {end} is outside its context of "
            f"{len(context)}; correct answer_start"
        )
    if context[answer.start : end] != answer.text:
        raise InputError(
            f"{place}: at letter {answer.start} is {context[answer.start : end]!r}, not the answer "
            f"{answer.text!r}; answer_start counts letters, not bytes"
        )
    return answer


def _get(node: Any, key: str, kind: type, place: str) -> Any:
    """Take a key's value, which must be there and of the right kind."""
    value = node.get(key) if isinstance(node, dict) else None
    if not isinstance(value, kind):
        raise InputError(f"{place}: no {key!r} with a JSON {kind.__name__}; SQuAD v1.1's layout is expected")
    return value


def _load(path: str | Path) -> Any:
    try:
        content = Path(path).read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror}); check the path") from problem
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise InputError(f"{path}:{line}: not UTF-8 text ({problem.reason}); convert the file") from problem
    return parse_json(text, path)
