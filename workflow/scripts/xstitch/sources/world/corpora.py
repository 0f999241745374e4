"""Corpora: running text in CC100's layout, one paragraph per line, a blank line after each document."""

from __future__ import annotations

import lzma

import numpy as np

from xstitch.core.draws import weighted
from xstitch.sources.world.concepts import Pools
from xstitch.sources.world.grammar import Writer
from xstitch.sources.world.lexicon import Lexicon
from xstitch.sources.world.meanings import Clauses, Scenes, draw_clauses
from xstitch.sources.world.settings import PIVOT, WorldSettings
from xstitch.sources.world.streams import stream

STAY_ON_TOPIC = 0.75  # probability that a sentence stays on its document's topic
FOCUS = 0.95
TWO_CLAUSES = 0.4
TONES = (1, 2, 1)  # weights of bad, neutral and good sentences
XZ_PRESET = 1  # fast; the files are small


def corpus_bytes(settings: WorldSettings, pools: Pools, lexicons: dict[str, Lexicon], language: str) -> bytes:
    """Write and compress the corpus of a language."""
    rng = stream(settings.seed, "corpus", language)
    count = settings.languages[language].sentences
    documents = _runs(rng, count, 3, 20)
    sentences = _sentences(settings, pools, lexicons, language, documents, rng)
    paragraphs = _runs(rng, count, 1, 5)
    lines: list[str] = []
    start = 0
    for end in (np.flatnonzero(_ends(documents) | _ends(paragraphs)) + 1).tolist():
        lines.append(" ".join(sentences[start:end]))
        if end == count or documents[end] != documents[end - 1]:
            lines.append("")
        start = end
    return lzma.compress("".join(line + "\n" for line in lines).encode(), preset=XZ_PRESET)


def _runs(rng: np.random.Generator, count: int, shortest: int, longest: int) -> np.ndarray:
    """Number `count` items by runs of random length: 0 0 0 1 1 2 2 2 ..."""
    lengths = rng.integers(shortest, longest + 1, size=count)
    return np.repeat(np.arange(count), lengths)[:count]


def _ends(runs: np.ndarray) -> np.ndarray:
    """Mark the last item of each run."""
    return np.append(runs[1:] != runs[:-1], True)


def _sentences(
    settings: WorldSettings,
    pools: Pools,
    lexicons: dict[str, Lexicon],
    language: str,
    documents: np.ndarray,
    rng: np.random.Generator,
) -> list[str]:
    """Write one sentence per entry of `documents`; the pivot lends words to all and borrows from all."""
    clauses, lengths = draw_sentences(pools, rng, documents)
    lenders = [word for code, word in lexicons.items() if (code == PIVOT) != (language == PIVOT)]
    writer = Writer(lexicons[language], lenders)
    return writer.sentences(clauses, lengths, rng, settings.languages[language].code_switch)


def draw_sentences(
    pools: Pools, rng: np.random.Generator, documents: np.ndarray
) -> tuple[Clauses, np.ndarray]:
    """Draw the clauses of one sentence per entry of `documents`, and how many each sentence has."""
    lengths = 1 + (rng.random(len(documents)) < TWO_CLAUSES)
    return draw_clauses(pools, rng, _scenes(pools, rng, documents, lengths)), lengths


def _scenes(pools: Pools, rng: np.random.Generator, documents: np.ndarray, lengths: np.ndarray) -> Scenes:
    """Give documents a topic, and sentences a cluster and a tone."""
    prior, size = pools.concepts.cluster_weight, pools.concepts.clusters_per_topic
    document_cluster = weighted(rng, prior, int(documents.max()) + 1)[documents]
    sister = document_cluster - document_cluster % size + rng.integers(size, size=len(documents))
    elsewhere = weighted(rng, prior, len(documents))
    cluster = np.where(rng.random(len(documents)) < STAY_ON_TOPIC, sister, elsewhere)
    tone = weighted(rng, TONES, len(documents)) - 1
    cluster, tone = np.repeat(cluster, lengths), np.repeat(tone, lengths)
    count = len(cluster)
    return Scenes(
        agent_cluster=cluster,
        cluster=cluster,
        tone=tone,
        advice=np.full(count, 0.15),
        negation=np.full(count, 0.15),
        state=np.full(count, 0.12),
        past=np.full(count, 0.45),
        focus=np.full(count, FOCUS),
    )
