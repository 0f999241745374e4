"""Graded word similarity in the archive of SemEval-2017 Task 2: word pairs and, separately, their scores."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from xstitch.core.draws import NORMAL, bell, weighted
from xstitch.sources.world.concepts import ADJECTIVE, NOUN, VERB, Concepts
from xstitch.sources.world.lexicon import SINGULAR, Lexicon
from xstitch.sources.world.panlex import MEMBER_DATE
from xstitch.sources.world.settings import WorldSettings
from xstitch.sources.world.streams import stream

ROOT = "SemEval17-Task2/test"
HIGHEST = 400  # in hundredths: the task's scores range from 0 (unrelated) to 4 (synonyms)
DISAGREEMENT = 25  # spread of the annotators' mean around the truth
PHRASES = 0.04  # share of terms with several words, which have no word vectors


def similarity_bytes(settings: WorldSettings, concepts: Concepts, lexicons: dict[str, Lexicon]) -> bytes:
    """Build the archive: a file of pairs and one of scores for each language and each pair of languages."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, first, second in similarity_files(list(lexicons)):
            pairs = _pairs(settings, concepts, name)
            rng = stream(settings.seed, "similarity", name, "words")
            texts = [
                f"{_term(lexicons[first], a, rng)}\t{_term(lexicons[second], b, rng)}" for a, b, _ in pairs
            ]
            folder = f"{ROOT}/subtask{1 if first == second else 2}-" + (
                "monolingual" if first == second else "crosslingual"
            )
            _add(archive, f"{folder}/data/{name}.test.data.txt", texts)
            scores = [f"{score // 100}.{score % 100:02d}" for _, _, score in pairs]
            _add(archive, f"{folder}/keys/{name}.test.gold.txt", scores)
    return buffer.getvalue()


def similarity_files(codes: list[str]) -> Iterator[tuple[str, str, str]]:
    """List every file with its two languages, which are equal in the monolingual ones."""
    yield from ((code, code, code) for code in codes)
    yield from ((f"{first}-{second}", first, second) for first, second in combinations(codes, 2))


def _pairs(settings: WorldSettings, concepts: Concepts, name: str) -> list[tuple[int, int, int]]:
    """Draw pairs of every degree of similarity: half at random, half within a cluster."""
    rng = stream(settings.seed, "similarity", name)
    known = np.flatnonzero(np.isin(concepts.pos, (NOUN, VERB, ADJECTIVE)))
    pairs = []
    for number in range(settings.similarity_pairs):
        first = int(known[weighted(rng, concepts.weight[known], 1)[0]])
        near = known[concepts.cluster[known] == concepts.cluster[first]]
        second = int(rng.choice(near if number % 2 else known))
        truth = HIGHEST * concepts.similarity(first, second) // 1000
        annotated = truth + DISAGREEMENT * int(bell(rng, (1,))[0]) // NORMAL
        pairs.append((first, second, min(max(annotated, 0), HIGHEST)))
    return pairs


def _term(lexicon: Lexicon, concept: int, rng: np.random.Generator) -> str:
    """Name a concept, occasionally by a phrase."""
    word = lexicon.words[concept][0][SINGULAR]
    return f"{word} {lexicon.functions['in']} {word}" if rng.random() < PHRASES else word


def _add(archive: zipfile.ZipFile, name: str, lines: list[str]) -> None:
    archive.writestr(zipfile.ZipInfo(name, MEMBER_DATE), "".join(line + "\n" for line in lines))
