"""The settings of the mini world, with their defaults and legal values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from xstitch.core.settings import Count, CountFrom0, Range, Share

PIVOT = "qaa"  # the language that plays English: the source of every dictionary, of labels and of loanwords


@dataclass(frozen=True)
class LanguageSettings:
    """One language: its grammar, the size of its corpus, the quality of its dictionaries."""

    sentences: Count = 20000
    """Sentences in its CC100 corpus."""
    order: Literal["SVO", "SOV", "VSO"] = "SVO"
    """Basic word order; SOV also moves modals behind the verb."""
    adjective: Literal["before", "after"] = "before"
    """Position of the adjective relative to its noun."""
    adposition: Literal["before", "after"] = "before"
    """Prepositions or postpositions."""
    articles: Literal["both", "definite", "none"] = "both"
    """Which articles exist."""
    case: bool = False
    """Objects carry an accusative suffix: more forms per noun."""
    script: Literal["latin", "georgian"] = "latin"
    """Letters of its native words."""
    cognates: Share = 0.0
    """Share of words that are the pivot's after regular sound changes."""
    loans: Share = 0.0
    """Share of words spelled exactly as in the pivot."""
    names: Share = 0.8
    """Share of names spelled exactly as in the pivot."""
    code_switch: Share = 0.01
    """Share of corpus sentences that mix in words of another language."""
    dictionary_words: Annotated[int, Range(ge=10)] = 2000
    """Source words in the full MUSE file, in each direction."""
    dictionary_noise: Share = 0.02
    """Share of MUSE pairs whose translation is wrong."""
    panlex_coverage: Share = 0.6
    """Chance that a PanLex source knows a concept in this language."""
    missing_verses: Share = 0.0
    """Share of verses never translated (empty lines)."""
    merged_verses: Share = 0.0
    """Share of verses merged into the one before (`<range>` lines)."""
    label_skew: Share = 0.0
    """How much rarer each label of XNLI and of names is than the one before."""


@dataclass(frozen=True)
class VerseSettings:
    """The verses: how many there are, and how hard it is to tell their topics apart."""

    train: Annotated[int, Range(ge=6)] = 860
    """Labelled verses, as in Taxi1500."""
    dev: Annotated[int, Range(ge=6)] = 106
    test: Annotated[int, Range(ge=6)] = 111
    unlabelled: Annotated[int, Range(ge=66)] = 1500
    """Further verses; 66 so that every book has one."""
    label_noise: Share = 0.03
    """Share of labels drawn at random (annotators disagree)."""
    distraction: Share = 0.45
    """Chance that a verse's last clause points to another label."""
    focus: Share = 0.95
    """Chance that a content word comes from the clause's own cluster."""


@dataclass(frozen=True)
class ReviewSettings:
    """The reviews: how many per language, and how well they agree with their stars."""

    train: Annotated[int, Range(ge=5)] = 1000
    dev: Annotated[int, Range(ge=5)] = 200
    test: Annotated[int, Range(ge=5)] = 200
    noise: Share = 0.1
    """Share of clauses whose tone has nothing to do with the stars."""


@dataclass(frozen=True)
class SplitSettings:
    """The number of rows of a task per language, by split."""

    train: Count = 600
    dev: Count = 100
    test: Count = 200


@dataclass(frozen=True)
class PanlexSettings:
    """The PanLex file: how many dictionaries it contains and how wrong they are."""

    sources: Annotated[int, Range(ge=2)] = 12
    """Dictionaries, from careful (quality 9) to careless (quality 0)."""
    noise: Share = 0.15
    """Share of wrong expressions in the worst source; the best has a tenth of it."""
    phrases: Share = 0.1
    """Multi-word entries per concept."""


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

    seed: CountFrom0 = 1
    """Seed of all randomness; every part draws from its own sub-stream."""
    concepts: Annotated[int, Range(ge=120)] = 1000
    """Content meanings: nouns, verbs, adjectives, adverbs, names."""
    topics: Annotated[int, Range(ge=6)] = 12
    """Semantic fields; verses are about the first five."""
    clusters: Annotated[int, Range(ge=3)] = 5
    """Co-occurrence clusters per topic."""
    overlap: Share = 0.25
    """Share of concepts that also belong to a second topic."""
    synonyms: Share = 0.15
    """Share of concepts with a second word, per language."""
    polysemy: Share = 0.06
    """Share of words that also stand for an unrelated concept, per language."""
    similarity_pairs: Annotated[int, Range(ge=10)] = 500
    """Graded word pairs per file, as in SemEval-2017 Task 2."""
    images: Annotated[int, Range(ge=2)] = 800
    """Pictures in the archive of CIFAR-10."""
    languages: Mapping[str, LanguageSettings] = field(default_factory=_default_languages)
    verses: VerseSettings = field(default_factory=VerseSettings)
    reviews: ReviewSettings = field(default_factory=ReviewSettings)
    xnli: SplitSettings = field(default_factory=lambda: SplitSettings(3000, 200, 300))
    squad: SplitSettings = field(default_factory=lambda: SplitSettings(2400, 150, 200))
    """The test questions are XQuAD's."""
    tydiqa: SplitSettings = field(default_factory=lambda: SplitSettings(1200, 150, 150))
    """The data set has no development questions."""
    names: SplitSettings = field(default_factory=lambda: SplitSettings(1000, 100, 200))
    """Rows of WikiANN and of CoNLL."""
    treebanks: SplitSettings = field(default_factory=SplitSettings)
    tatoeba: Count = 300
    """Sentence pairs per language."""
    parallel: Count = 6000
    """Sentence pairs of Europarl per language."""
    panlex: PanlexSettings = field(default_factory=PanlexSettings)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> WorldSettings:
        """Build settings from the checked section of the configuration.

        `languages` lists the languages that exist; known codes have their own defaults.
        """
        parts = {"verses": VerseSettings, "reviews": ReviewSettings, "panlex": PanlexSettings}
        parts |= dict.fromkeys(("xnli", "squad", "tydiqa", "names", "treebanks"), SplitSettings)
        built = {name: part(**config[name]) for name, part in parts.items() if name in config}
        if "languages" in config:
            built["languages"] = _build_languages(config["languages"])
        return cls(**{**config, **built})

    def language_pairs(self) -> list[tuple[str, str]]:
        """Return the directed pairs with a dictionary: from the pivot to each language and back."""
        others = [code for code in self.languages if code != PIVOT]
        return [pair for code in others for pair in ((PIVOT, code), (code, PIVOT))]


def _build_languages(languages: Mapping[str, Any]) -> dict[str, LanguageSettings]:
    """Build each language over the defaults of its code."""
    return {
        code: LanguageSettings(**{**DEFAULT_LANGUAGES.get(code, {}), **(values or {})})
        for code, values in languages.items()
    }
