"""Verses: one parallel text in all languages, part of it labelled with Taxi1500's six topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xstitch.core.draws import weighted
from xstitch.sources.world.concepts import Concepts, Pools
from xstitch.sources.world.grammar import Writer
from xstitch.sources.world.lexicon import Lexicon
from xstitch.sources.world.meanings import Clauses, Scenes, draw_clauses
from xstitch.sources.world.settings import PIVOT, WorldSettings
from xstitch.sources.world.streams import stream

# In canonical order: Taxi1500's ids number the books from 1 in this order, and so does the real vref.
BOOKS = (
    "GEN", "EXO", "LEV", "NUM", "DEU", "JOS", "JDG", "RUT", "1SA", "2SA", "1KI", "2KI", "1CH", "2CH",
    "EZR", "NEH", "EST", "JOB", "PSA", "PRO", "ECC", "SNG", "ISA", "JER", "LAM", "EZK", "DAN", "HOS",
    "JOL", "AMO", "OBA", "JON", "MIC", "NAM", "HAB", "ZEP", "HAG", "ZEC", "MAL", "MAT", "MRK", "LUK",
    "JHN", "ACT", "ROM", "1CO", "2CO", "GAL", "EPH", "PHP", "COL", "1TH", "2TH", "1TI", "2TI", "TIT",
    "PHM", "HEB", "JAS", "1PE", "2PE", "1JN", "2JN", "3JN", "JUD", "REV",
)  # fmt: skip
FIRST_LABELLED_BOOK = BOOKS.index("JHN")  # Taxi1500 labels verses from John to Revelation
VERSES_IN_CHAPTER = 25
SHORTEST, LENGTHS = 2, (2, 5, 3)  # clauses in a verse: weights of two, three and four
MERGED = "<range>"  # eBible's mark for a verse merged into the previous one
SPLITS = ("train", "dev", "test")

# The topics that verses are about; the numbers are topics of the world.
DIVINE, CONDUCT, HARM, WORLD, MIND = range(5)


@dataclass(frozen=True)
class Profile:
    """How verses of a label are worded; labels share topics, but differ in clusters, roles, mood and tone."""

    share: int  # percent of all verses
    agents: dict[int, int]  # topic -> weight
    themes: dict[tuple[int, int], int]  # (topic, first of two clusters) -> weight
    tone: float  # its sign is the label's tone, its size the probability of that tone in a clause
    advice: float
    negation: float
    state: float
    past: float


PROFILES = {
    "Recommendation": Profile(
        25, {CONDUCT: 4, MIND: 1}, {(CONDUCT, 0): 6, (MIND, 1): 2, (HARM, 1): 1, (DIVINE, 1): 1},
        0.4, 0.9, 0.35, 0.05, 0.05,
    ),
    "Faith": Profile(
        22, {CONDUCT: 3, MIND: 2}, {(MIND, 0): 6, (DIVINE, 0): 3, (CONDUCT, 0): 1},
        0.5, 0.1, 0.1, 0.15, 0.4,
    ),
    "Description": Profile(
        17, {WORLD: 4, DIVINE: 1, CONDUCT: 1}, {(WORLD, 0): 5, (WORLD, 2): 3, (MIND, 0): 1, (HARM, 0): 1},
        0.1, 0.03, 0.05, 0.35, 0.5,
    ),
    "Sin": Profile(
        15, {CONDUCT: 3, MIND: 1}, {(HARM, 2): 5, (CONDUCT, 2): 3, (MIND, 1): 1},
        -0.85, 0.05, 0.2, 0.15, 0.45,
    ),
    "Grace": Profile(
        13, {DIVINE: 5, CONDUCT: 1}, {(DIVINE, 0): 3, (DIVINE, 2): 5, (CONDUCT, 1): 1, (HARM, 1): 1},
        0.85, 0.05, 0.2, 0.1, 0.55,
    ),
    "Violence": Profile(
        8, {HARM: 3, CONDUCT: 1, WORLD: 1}, {(HARM, 0): 8, (WORLD, 1): 1, (CONDUCT, 1): 1},
        -0.7, 0.05, 0.1, 0.05, 0.8,
    ),
}  # fmt: skip
LABELS = tuple(PROFILES)


@dataclass(frozen=True)
class Verses:
    """The untranslated text: the number, meaning and label of each verse."""

    numbers: list[tuple[int, int, int]]  # book (1-66), chapter, verse; in the order of vref
    clauses: Clauses
    lengths: np.ndarray  # clauses in each verse
    labels: dict[str, list[tuple[int, str]]]  # split -> (line in vref, label)

    def references(self) -> list[str]:
        """Return vref's lines, such as `GEN 1:1`."""
        return [f"{BOOKS[book - 1]} {chapter}:{verse}" for book, chapter, verse in self.numbers]

    def identifier(self, line: int) -> str:
        """Return Taxi1500's id of a verse, BBCCCVVV."""
        book, chapter, verse = self.numbers[line]
        return f"{book:02d}{chapter:03d}{verse:03d}"


def make_verses(settings: WorldSettings, pools: Pools) -> Verses:
    """Draw the numbers, meanings and labels of all verses."""
    rng = stream(settings.seed, "verses")
    sizes = settings.verses
    labelled = sizes.train + sizes.dev + sizes.test
    numbers = _numbers(labelled, sizes.unlabelled)
    shares = [profile.share for profile in PROFILES.values()]
    theme = weighted(rng, shares, len(numbers))
    lengths = SHORTEST + weighted(rng, LENGTHS, len(numbers))
    clauses = draw_clauses(pools, rng, _scenes(settings, pools.concepts, rng, theme, lengths))
    eligible = [line for line, (book, _, _) in enumerate(numbers) if book > FIRST_LABELLED_BOOK]
    chosen = rng.permutation(eligible)[:labelled]
    noisy = rng.random(len(numbers)) < sizes.label_noise
    label = np.where(noisy, weighted(rng, shares, len(numbers)), theme)
    rows = [(int(line), LABELS[label[line]]) for line in chosen]
    ends = np.cumsum([sizes.train, sizes.dev, sizes.test])
    parts = {split: rows[end - getattr(sizes, split) : end] for split, end in zip(SPLITS, ends, strict=True)}
    return Verses(numbers, clauses, lengths, parts)


def translate(settings: WorldSettings, verses: Verses, lexicon: Lexicon) -> list[str]:
    """Write the verses in one language: empty where one is missing, `<range>` where two are merged."""
    rng = stream(settings.seed, "translation", lexicon.code)
    lines = Writer(lexicon).sentences(verses.clauses, verses.lengths, rng)
    if lexicon.code == PIVOT:
        return lines
    chance = rng.random(len(lines))
    for line in np.flatnonzero(chance < lexicon.settings.merged_verses)[::-1].tolist():
        if line and verses.numbers[line][:2] == verses.numbers[line - 1][:2]:
            lines[line - 1], lines[line] = f"{lines[line - 1]} {lines[line]}", MERGED
    for line in np.flatnonzero(chance > 1.0 - lexicon.settings.missing_verses).tolist():
        if lines[line] != MERGED and (line + 1 == len(lines) or lines[line + 1] != MERGED):
            lines[line] = ""
    return lines


def _numbers(labelled: int, unlabelled: int) -> list[tuple[int, int, int]]:
    """Number verses by book: all labelled ones fit between John and Revelation, and every book has one."""
    late = len(BOOKS) - FIRST_LABELLED_BOOK
    in_late = labelled + max(unlabelled // 4, late)
    counts = [0] * len(BOOKS)
    for number in range(in_late):
        counts[FIRST_LABELLED_BOOK + number % late] += 1
    for number in range(max(labelled + unlabelled - in_late, FIRST_LABELLED_BOOK)):
        counts[number % FIRST_LABELLED_BOOK] += 1
    return [
        (book, 1 + number // VERSES_IN_CHAPTER, 1 + number % VERSES_IN_CHAPTER)
        for book, count in enumerate(counts, start=1)
        for number in range(count)
    ]


def _scenes(
    settings: WorldSettings,
    concepts: Concepts,
    rng: np.random.Generator,
    theme: np.ndarray,
    lengths: np.ndarray,
) -> Scenes:
    """Make clauses fit their verse's label; the last one, an aside, may fit another."""
    voice = np.repeat(theme, lengths)
    asides = (np.cumsum(lengths) - 1)[rng.random(len(theme)) < settings.verses.distraction]
    voice[asides] = rng.integers(len(LABELS), size=len(asides))
    profiles = list(PROFILES.values())
    tone = np.array([profile.tone for profile in profiles])[voice]
    drawn_tone = np.sign(tone).astype(int) * (rng.random(len(voice)) < np.abs(tone))
    return Scenes(
        agent_cluster=_agents(concepts, rng, voice),
        cluster=_themes(concepts, rng, voice),
        tone=drawn_tone,
        advice=np.array([profile.advice for profile in profiles])[voice],
        negation=np.array([profile.negation for profile in profiles])[voice],
        state=np.array([profile.state for profile in profiles])[voice],
        past=np.array([profile.past for profile in profiles])[voice],
        focus=np.full(len(voice), settings.verses.focus),
    )


def _agents(concepts: Concepts, rng: np.random.Generator, voice: np.ndarray) -> np.ndarray:
    """Draw the cluster of each clause's agent."""
    size = concepts.clusters_per_topic
    result = np.zeros(len(voice), dtype=int)
    for number, profile in enumerate(PROFILES.values()):
        rows = np.flatnonzero(voice == number)
        topics = np.array(list(profile.agents))[weighted(rng, list(profile.agents.values()), len(rows))]
        result[rows] = topics * size + rng.integers(size, size=len(rows))
    return result


def _themes(concepts: Concepts, rng: np.random.Generator, voice: np.ndarray) -> np.ndarray:
    """Draw the cluster of each clause's other words: one of two adjacent ones within a topic."""
    size = concepts.clusters_per_topic
    result = np.zeros(len(voice), dtype=int)
    for number, profile in enumerate(PROFILES.values()):
        rows = np.flatnonzero(voice == number)
        pairs = np.array(list(profile.themes))
        chosen = pairs[weighted(rng, list(profile.themes.values()), len(rows))]
        result[rows] = chosen[:, 0] * size + (chosen[:, 1] + rng.integers(2, size=len(rows))) % size
    return result
