"""The settings of the mini world, with their defaults and legal values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from xstitch.core.errors import InputError

PIVOT = "qaa"  # the language that plays English: source of every dictionary, of labels and of loanwords


def _count(default: int, least: int = 0) -> Any:
    """A whole number of things, at least `least`."""
    return field(default=default, metadata={"low": least, "high": None})


def _share(default: float) -> Any:
    """A probability or share between 0 and 1."""
    return field(default=default, metadata={"low": 0.0, "high": 1.0})


def _choice(*values: str) -> Any:
    """One of several words; the first is the default."""
    return field(default=values[0], metadata={"choices": values})


@dataclass(frozen=True)
class LanguageSettings:
    """One language: its grammar, the size of its corpus, the quality of its dictionaries."""

    sentences: int = _count(20000, least=1)  # sentences in its CC100 corpus
    order: str = _choice("SVO", "SOV", "VSO")  # basic word order; SOV also puts modals after the verb
    adjective: str = _choice("before", "after")  # position of the adjective relative to its noun
    adposition: str = _choice("before", "after")  # prepositions or postpositions
    articles: str = _choice("both", "definite", "none")  # which articles exist
    case: bool = False  # objects have an accusative suffix: more forms per noun
    script: str = _choice("latin", "georgian")  # of its native words
    cognates: float = _share(0.0)  # share of words derived from the pivot's by regular sound changes
    loans: float = _share(0.0)  # share of words spelled exactly as in the pivot
    names: float = _share(0.8)  # share of names spelled exactly as in the pivot
    code_switch: float = _share(0.01)  # share of corpus sentences that mix in words of another language
    dictionary_words: int = _count(2000, least=10)  # source words in the full MUSE file, in each direction
    dictionary_noise: float = _share(0.02)  # share of MUSE pairs with a wrong translation
    panlex_coverage: float = _share(0.6)  # probability that a PanLex source has a concept in this language
    missing_verses: float = _share(0.0)  # share of verses that are not translated (empty lines)
    merged_verses: float = _share(0.0)  # share of verses merged into the previous one (`<range>` lines)
    label_skew: float = _share(0.0)  # how much rarer each label of XNLI and of names is than the previous one


@dataclass(frozen=True)
class VerseSettings:
    """The verses: how many there are, and how hard it is to tell their topics apart."""

    train: int = _count(860, least=6)  # labelled verses, as in Taxi1500
    dev: int = _count(106, least=6)
    test: int = _count(111, least=6)
    unlabelled: int = _count(1500, least=66)  # further verses; at least 66, so that every book has one
    label_noise: float = _share(0.03)  # share of labels drawn at random (annotators disagree)
    distraction: float = _share(0.45)  # probability that a verse's last clause suggests another label
    focus: float = _share(0.95)  # probability that a content word comes from the clause's cluster


@dataclass(frozen=True)
class ReviewSettings:
    """The reviews: how many per language, and how well they agree with their stars."""

    train: int = _count(1000, least=5)
    dev: int = _count(200, least=5)
    test: int = _count(200, least=5)
    noise: float = _share(0.1)  # share of clauses with a tone that has nothing to do with the stars


@dataclass(frozen=True)
class SplitSettings:
    """The number of rows of a task per language, by split."""

    train: int = _count(600, least=1)
    dev: int = _count(100, least=1)
    test: int = _count(200, least=1)


@dataclass(frozen=True)
class PanlexSettings:
    """The PanLex file: how many dictionaries it contains and how wrong they are."""

    sources: int = _count(12, least=2)  # dictionaries, from careful (quality 9) to careless (quality 0)
    noise: float = _share(
        0.15
    )  # share of wrong expressions in the worst source; the best has a tenth of that
    phrases: float = _share(0.1)  # multi-word entries per concept


DEFAULT_LANGUAGES: dict[str, dict[str, Any]] = {
    "qaa": {"sentences": 30000, "code_switch": 0.01, "panlex_coverage": 0.9},
    "qab": {
        "sentences": 30000,
        "adjective": "after",
        "cognates": 0.6,
        "loans": 0.04,
        "names": 0.8,
        "code_switch": 0.01,
        "dictionary_words": 2500,
        "panlex_coverage": 0.8,
        "label_skew": 0.2,
    },
    "qac": {
        "sentences": 6000,
        "order": "SOV",
        "adposition": "after",
        "articles": "none",
        "case": True,
        "loans": 0.08,
        "names": 0.7,
        "code_switch": 0.25,
        "dictionary_words": 700,
        "dictionary_noise": 0.12,
        "panlex_coverage": 0.35,
        "missing_verses": 0.04,
        "merged_verses": 0.01,
        "label_skew": 0.5,
    },
    "qad": {
        "sentences": 20000,
        "order": "VSO",
        "adjective": "after",
        "articles": "definite",
        "script": "georgian",
        "loans": 0.04,
        "names": 0.35,
        "code_switch": 0.1,
        "dictionary_words": 1800,
        "dictionary_noise": 0.04,
        "panlex_coverage": 0.55,
        "missing_verses": 0.02,
        "merged_verses": 0.01,
        "label_skew": 0.3,
    },
}


def _default_languages() -> dict[str, LanguageSettings]:
    return {code: LanguageSettings(**values) for code, values in DEFAULT_LANGUAGES.items()}


@dataclass(frozen=True)
class WorldSettings:
    """Everything that decides the bytes of a world."""

    seed: int = _count(1)  # of all randomness; every part draws from its own sub-stream
    concepts: int = _count(1000, least=120)  # content meanings: nouns, verbs, adjectives, adverbs, names
    topics: int = _count(12, least=6)  # fields of meaning; verses are about the first five
    clusters: int = _count(5, least=3)  # co-occurrence clusters per topic
    overlap: float = _share(0.25)  # share of concepts that also belong to a second topic
    synonyms: float = _share(0.15)  # share of concepts with a second word, per language
    polysemy: float = _share(0.06)  # share of words that also have an unrelated meaning, per language
    similarity_pairs: int = _count(500, least=10)  # graded word pairs per file, as in SemEval-2017 Task 2
    images: int = _count(800, least=2)  # pictures in CIFAR-10's archive
    languages: Mapping[str, LanguageSettings] = field(default_factory=_default_languages)
    verses: VerseSettings = field(default_factory=VerseSettings)
    reviews: ReviewSettings = field(default_factory=ReviewSettings)
    xnli: SplitSettings = field(default_factory=lambda: SplitSettings(3000, 200, 300))
    squad: SplitSettings = field(default_factory=lambda: SplitSettings(2400, 150, 200))  # test: XQuAD
    tydiqa: SplitSettings = field(default_factory=lambda: SplitSettings(1200, 150, 150))  # has no dev
    names: SplitSettings = field(default_factory=lambda: SplitSettings(1000, 100, 200))  # WikiANN, CoNLL
    treebanks: SplitSettings = field(default_factory=SplitSettings)
    tatoeba: int = _count(300, least=1)  # pairs of sentences per language
    parallel: int = _count(6000, least=1)  # pairs of sentences in Europarl per language
    panlex: PanlexSettings = field(default_factory=PanlexSettings)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> WorldSettings:
        """Build settings from plain nested dicts; a wrong key or value raises an `InputError` that names it.

        `languages` lists the languages that exist; known codes have defaults of their own.
        """
        values = _mapping(config, "world")
        parts = {"verses": VerseSettings, "reviews": ReviewSettings, "panlex": PanlexSettings}
        parts |= dict.fromkeys(("xnli", "squad", "tydiqa", "names", "treebanks"), SplitSettings)
        for name, part in parts.items():
            if name in values:
                values[name] = _build(part, _mapping(values[name], f"world.{name}"), f"world.{name}")
        if "languages" in values:
            values["languages"] = _build_languages(_mapping(values["languages"], "world.languages"))
        return _build(cls, values, "world")

    def language_pairs(self) -> list[tuple[str, str]]:
        """Return the directed pairs with a dictionary: from the pivot to each language and back."""
        others = [code for code in self.languages if code != PIVOT]
        return [pair for code in others for pair in ((PIVOT, code), (code, PIVOT))]


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: expected a mapping of keys to values, got {value!r}")
    return dict(value)


def _build_languages(languages: dict[str, Any]) -> dict[str, LanguageSettings]:
    """Build each language on top of the defaults for its code."""
    if PIVOT not in languages:
        raise InputError(f"world.languages: the source language {PIVOT} is missing; add it")
    built = {}
    for code, values in languages.items():
        where = f"world.languages.{code}"
        if not (isinstance(code, str) and code.isascii() and code.isalpha() and code.islower()):
            raise InputError(f"{where}: a language code is lower-case Latin letters only")
        given = _mapping(values or {}, where)
        built[code] = _build(LanguageSettings, {**DEFAULT_LANGUAGES.get(code, {}), **given}, where)
    return built


def _build(cls: type, values: dict[str, Any], where: str) -> Any:
    """Make a settings object after checking every key and value."""
    fields = {item.name: item for item in dataclasses.fields(cls)}
    for key, value in values.items():
        if key not in fields:
            raise InputError(f"{where}.{key}: unknown key; legal keys: {', '.join(sorted(fields))}")
        _check(value, fields[key], f"{where}.{key}")
    return cls(**values)


def _check(value: Any, item: dataclasses.Field[Any], where: str) -> None:
    """Refuse a value of the wrong type or outside the legal range."""
    if "choices" in item.metadata and value not in item.metadata["choices"]:
        raise InputError(f"{where}: {value!r} is not one of {', '.join(item.metadata['choices'])}")
    if item.type == "bool" and not isinstance(value, bool):
        raise InputError(f"{where}: {value!r} is neither true nor false")
    if "low" in item.metadata:
        _check_number(value, item, where)


def _check_number(value: Any, item: dataclasses.Field[Any], where: str) -> None:
    low, high = item.metadata["low"], item.metadata["high"]
    kinds = (int,) if item.type == "int" else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise InputError(f"{where}: {value!r} is not a {'whole ' if item.type == 'int' else ''}number")
    if value < low or (high is not None and value > high):
        legal = f"at least {low}" if high is None else f"between {low} and {high}"
        raise InputError(f"{where}: {value!r} is out of range; it must be {legal}")
