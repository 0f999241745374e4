"""TyDiQA-GoldP: questions in SQuAD's layout, one file per split with all languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from xstitch.sources.tasks.places import Places
from xstitch.sources.tasks.squad import Question, QuestionRow, labels, question_rows, read_squad

__all__ = ["files", "labels", "read", "read_tydiqa"]
# A question's id begins with the name of its language; in other languages, such as the mini world's, with
# their code.
LANGUAGES = {
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


def files(_: str, __: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Return the paths of the questions; as in XTREME, the development questions are the test split."""
    parts = {"train": "train", "test": "dev"}
    return {
        split: places.resource("tydiqa", f"tydiqa-goldp-v1.1-{part}.json") for split, part in parts.items()
    }


def read(files: Mapping[str, str], split: str, task: Mapping[str, Any]) -> Iterator[QuestionRow]:
    """Stream a split in the task's language; there is no separate development split."""
    return question_rows(read_tydiqa(files[split], task["language"])) if split in files else iter(())


def read_tydiqa(path: str | Path, language: str) -> Iterator[Question]:
    """Read the questions in one language from TyDiQA-GoldP's original files."""
    return read_squad(path, f"{LANGUAGES.get(language, language)}-")
