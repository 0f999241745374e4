"""Lexicons: the words of one language for all concepts, with their inflected forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xstitch.sources.world.concepts import ADJECTIVE, ADVERB, NAME, NOUN, VERB, Concepts
from xstitch.sources.world.phonology import Phonology, capitalised, cognate, write
from xstitch.sources.world.settings import PIVOT, LanguageSettings, WorldSettings
from xstitch.sources.world.streams import stream

# Columns of a word's forms: nouns and names use all four, verbs the first two, the rest the first.
SINGULAR, PLURAL, OBJECT_SINGULAR, OBJECT_PLURAL = range(4)
PRESENT, PAST = range(2)
FORMS_USED = {NOUN: 4, NAME: 4, VERB: 2, ADJECTIVE: 1, ADVERB: 1}
SYNONYM_USE = 0.3  # how often the second word of a concept is used
PRONOUNS = ("i", "you", "he", "she", "we", "they")
ADPOSITIONS = ("in", "on", "with", "from", "to", "under")
CONJUNCTIONS = ("and", "but", "because")
FUNCTIONS = (
    "the", "and", "in", "is", "you", "he", "to", "not", "a", "from", "with", "they",
    "i", "should", "on", "we", "but", "she", "because", "under", "whether",
    "these", "many", "then", "now",
)  # fmt: skip


Forms = tuple[str, ...]  # the four forms of one word


@dataclass(frozen=True)
class Lexicon:
    """All words of one language."""

    code: str
    settings: LanguageSettings
    words: list[list[Forms]]  # by concept: one or two words, each with four forms
    stems: list[str]  # by concept: the first word in plain Latin letters, from which cognates are made
    functions: dict[str, str]  # grammatical words by meaning

    def word(self, concept: int, form: int, chance: float) -> str:
        """Return a form of the concept's first word, or of its synonym if `chance` is low."""
        words = self.words[concept]
        return words[chance < SYNONYM_USE and len(words) > 1][form]


def make_lexicons(settings: WorldSettings, concepts: Concepts) -> dict[str, Lexicon]:
    """Make the words of every language, the pivot's first, since others borrow from it."""
    pivot = _LexiconMaker(settings, concepts, PIVOT, None).make()
    others = {
        code: _LexiconMaker(settings, concepts, code, pivot).make()
        for code in settings.languages
        if code != PIVOT
    }
    return {code: pivot if code == PIVOT else others[code] for code in settings.languages}


class _LexiconMaker:
    """Builds one lexicon; remembers the words already taken, so that there are no accidental homonyms."""

    def __init__(self, world: WorldSettings, concepts: Concepts, code: str, pivot: Lexicon | None) -> None:
        self.world, self.concepts, self.code, self.pivot = world, concepts, code, pivot
        self.settings = world.languages[code]
        self.rng = stream(world.seed, "lexicon", code)
        self.phonology = Phonology.draw(self.rng)
        self.taken: set[str] = set()

    def make(self) -> Lexicon:
        """Draw function words, endings, stems, synonyms and homonyms, in this order."""
        functions = {name: write(self._native(1), self.settings.script) for name in FUNCTIONS}
        self.endings = self._draw_endings()
        stems, borrowed = self._stems(), self._borrowed()
        words = [[self._forms(stem, int(pos))] for stem, pos in zip(stems, self.concepts.pos, strict=True)]
        if self.pivot is not None:
            for concept in np.flatnonzero(borrowed):
                words[concept] = [self.pivot.words[concept][0]]
        self._add_synonyms(words, borrowed)
        self._add_homonyms(words, borrowed)
        return Lexicon(self.code, self.settings, words, stems, functions)

    def _native(self, syllables: int) -> str:
        """Draw a word that the language does not have yet, a longer one where there are few left."""
        for attempt in range(1000):
            word = self.phonology.word(self.rng, syllables + attempt // 20)
            if word not in self.taken:
                self.taken.add(word)
                return word
        raise AssertionError("the phonology cannot make enough words")

    def _draw_endings(self) -> dict[str, str]:
        """Draw three different endings for plural, object and past."""
        shapes = [vowel + coda for vowel in self.phonology.vowels for coda in self.phonology.codas]
        chosen = self.rng.choice(len(shapes), 3, replace=False)
        return dict(zip(("plural", "object", "past"), (shapes[k] for k in chosen), strict=True))

    def _stems(self) -> list[str]:
        """Draw a stem for each concept: a native one, or a cognate of the pivot's."""
        # Weights tie across parts of speech; an unstable sort would break ties differently by processor.
        rank = np.argsort(np.argsort(-self.concepts.weight, kind="stable"))
        syllables = 2 + (rank > len(rank) // 4) * (self.rng.random(len(rank)) < 0.5)
        native = [self._native(int(length)) for length in syllables]
        if self.pivot is None:
            return native
        related = self.rng.random(len(rank)) < self.settings.cognates
        return [
            cognate(inherited) if is_related else stem
            for stem, inherited, is_related in zip(native, self.pivot.stems, related.tolist(), strict=True)
        ]

    def _borrowed(self) -> np.ndarray:
        """Choose the concepts with exactly the pivot's word: loans and names."""
        share = np.where(self.concepts.pos == NAME, self.settings.names, self.settings.loans)
        chosen = self.rng.random(len(share)) < share
        return np.zeros(len(share), dtype=bool) if self.pivot is None else chosen

    def _forms(self, stem: str, pos: int) -> Forms:
        """Inflect a native stem."""
        endings = ["", "", "", ""]
        if pos == VERB:
            endings[PAST] = self.endings["past"]
        elif pos in (NOUN, NAME):
            marker = self.endings["object"] if self.settings.case else ""
            endings = ["", self.endings["plural"], marker, self.endings["plural"] + marker]
        words = [write(stem + ending, self.settings.script) for ending in endings]
        return tuple(map(capitalised, words) if pos == NAME else words)

    def _add_synonyms(self, words: list[list[Forms]], borrowed: np.ndarray) -> None:
        """Give some concepts a second word."""
        chosen = self.rng.random(len(words)) < self.world.synonyms
        for concept in np.flatnonzero(chosen & ~borrowed & (self.concepts.pos != NAME)):
            words[concept].append(self._forms(self._native(2), int(self.concepts.pos[concept])))

    def _add_homonyms(self, words: list[list[Forms]], borrowed: np.ndarray) -> None:
        """Use some words for a concept of another topic as well."""
        pos, topic = self.concepts.pos, self.concepts.topic
        chosen = self.rng.random(len(words)) < self.world.polysemy
        for concept in np.flatnonzero(chosen & ~borrowed & (pos != NAME)):
            others = np.flatnonzero((pos == pos[concept]) & (topic != topic[concept]))
            if len(others):
                words[concept][0] = words[self.rng.choice(others)][0]
