"""Concepts: what can be said in every language, before any word exists."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from xstitch.core.draws import (
    EXPONENT_STEPS,
    HIGHEST_EXPONENTIAL,
    UNIT,
    WeightedRows,
    directions,
    exponentials,
    unit_rows,
)
from xstitch.sources.world.settings import WorldSettings
from xstitch.sources.world.streams import stream

NOUN, VERB, ADJECTIVE, ADVERB, NAME = range(5)
POS_SHARES = (0.50, 0.22, 0.16, 0.05, 0.07)
# Meanings are points in a space of few dimensions, situations directions in it; the nearer a concept is to a
# situation, the more often it is mentioned there. Word vectors can recover such points up to a rotation,
# which alignment of two languages relies on; words could not be told apart if they differed only by cluster.
MEANING_DIMENSIONS = 16
# Spreads in tenths of the distance between a topic's centre and the origin.
TENTHS = 10
CLUSTER_SPREAD = 8  # distance of a cluster's centre from its topic's
SECOND_HOME = 5  # weight of the second cluster in a concept's position
CONCEPT_SPREAD = 10  # spread of concepts around their cluster
SITUATIONS = 10  # in which concepts of a cluster are mentioned
SITUATION_SPREAD = 7  # spread of situations around their cluster
MEANING_PULL = 16  # how strongly a situation prefers the concepts near it
TONE_PULL = 4  # how strongly a clause's tone selects words of that sentiment
STRONGEST = 100  # the highest valence
ZIPF_SHIFT = 27  # tenths of a rank; Mandelbrot's form of Zipf's law
WEIGHT = 1 << 20  # weights are fractions of this


@dataclass(frozen=True)
class Concepts:
    """Content meanings as arrays of integers, one entry per concept."""

    pos: np.ndarray  # NOUN ... NAME
    cluster: np.ndarray  # home cluster; cluster // clusters_per_topic is its topic
    second: np.ndarray  # second cluster in another topic, or -1
    valence: np.ndarray  # sentiment between -STRONGEST and STRONGEST; most concepts are neutral
    weight: np.ndarray  # Zipfian frequency within the part of speech
    cluster_weight: np.ndarray  # how often the world mentions each cluster
    position: (
        np.ndarray
    )  # (n, dimensions) vectors of length UNIT: where a concept is in the space of meanings
    situations: np.ndarray  # (clusters * SITUATIONS, dimensions), likewise: what is mentioned together
    clusters_per_topic: int

    def __len__(self) -> int:
        return len(self.pos)

    @property
    def topic(self) -> np.ndarray:
        """Return the home topic of each concept."""
        return self.cluster // self.clusters_per_topic

    def similarity(self, first: int, second: int) -> int:
        """Grade similarity of meaning from 0 to 1000 by position, part of speech and sentiment."""
        if first == second:
            return 1000
        near = max(0, int(self.position[first] @ self.position[second]))
        apart = abs(int(self.valence[first] - self.valence[second]))
        same = int(self.pos[first] == self.pos[second])
        return 700 * near // UNIT**2 + 150 * same + 100 * (2 * STRONGEST - apart) // (2 * STRONGEST)


def make_concepts(settings: WorldSettings) -> Concepts:
    """Draw the concepts of a world."""
    rng = stream(settings.seed, "concepts")
    count, clusters = settings.concepts, settings.topics * settings.clusters
    pos = np.repeat(np.arange(5), _pos_counts(count))
    home = np.concatenate([_deal(rng, clusters, (pos == kind).sum()) for kind in range(5)])
    shift = settings.clusters * rng.integers(1, settings.topics, count)
    second = np.where(rng.random(count) < settings.overlap, (home + shift) % clusters, -1)
    cluster_weight = WEIGHT // (3 * rng.permutation(clusters) + clusters)
    position, situations = _meaning_space(settings, home, second)
    return Concepts(
        pos=pos,
        cluster=home,
        second=second,
        valence=_valences(rng, pos),
        weight=np.concatenate([_zipf(rng, (pos == kind).sum()) for kind in range(5)]),
        cluster_weight=cluster_weight,
        position=position,
        situations=situations,
        clusters_per_topic=settings.clusters,
    )


def _meaning_space(
    settings: WorldSettings, home: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Place concepts and situations around the centres of clusters, and these around topics."""
    rng = stream(settings.seed, "meaning space")
    topics = np.repeat(_directions(rng, settings.topics), settings.clusters, axis=0)
    centres = unit_rows(TENTHS * topics + CLUSTER_SPREAD * _directions(rng, len(topics)))
    elsewhere = np.where(second[:, None] >= 0, SECOND_HOME * centres[second], 0)
    position = unit_rows(TENTHS * centres[home] + elsewhere + CONCEPT_SPREAD * _directions(rng, len(home)))
    around = np.repeat(centres, SITUATIONS, axis=0)
    return position, unit_rows(TENTHS * around + SITUATION_SPREAD * _directions(rng, len(around)))


def _directions(rng: np.random.Generator, count: int) -> np.ndarray:
    return directions(rng, count, MEANING_DIMENSIONS)


def _pos_counts(count: int) -> list[int]:
    """Divide the concepts among parts of speech; nouns get the remainder of rounding."""
    rest = [round(count * share) for share in POS_SHARES[1:]]
    return [count - sum(rest), *rest]


def _deal(rng: np.random.Generator, clusters: int, count: int) -> np.ndarray:
    """Deal clusters like cards, so that all have about the same number of concepts."""
    rounds = -(-count // clusters)
    return np.concatenate([rng.permutation(clusters) for _ in range(rounds)])[:count]


def _zipf(rng: np.random.Generator, count: int) -> np.ndarray:
    return TENTHS * WEIGHT // (TENTHS * rng.permutation(count) + ZIPF_SHIFT)


def _valences(rng: np.random.Generator, pos: np.ndarray) -> np.ndarray:
    """Give most adjectives and adverbs, many verbs and few nouns a sentiment."""
    chance = np.array([0.12, 0.35, 0.75, 0.6, 0.0])[pos]
    strength = rng.choice([-1, 1], len(pos)) * rng.integers(40, STRONGEST + 1, len(pos))
    return np.where(rng.random(len(pos)) < chance, strength, 0)


class Pools:
    """Draws concepts of a part of speech for a situation, tilted towards a tone; vectorised."""

    def __init__(self, concepts: Concepts, tone_pull: int = TONE_PULL) -> None:
        self.concepts = concepts
        self._members = [np.flatnonzero(concepts.pos == kind) for kind in range(5)]
        self._rows = [WeightedRows(_toned_weights(concepts, members, tone_pull)) for members in self._members]

    def draw(self, rng: np.random.Generator, pos: int, situation: np.ndarray, tone: np.ndarray) -> np.ndarray:
        """Return one concept per situation (cluster * SITUATIONS + number) and tone (-1, 0, 1)."""
        row = (tone + 1) * len(self.concepts.situations) + situation
        return self._members[pos][self._rows[pos].draw(rng, row)]

    @cached_property
    def marginal(self) -> np.ndarray:
        """Return how often each concept is drawn within its part of speech, over all situations.

        The rates of a part of speech add up to WEIGHT squared, apart from rounding.
        """
        prior = np.repeat(self.concepts.cluster_weight, SITUATIONS)
        prior = WEIGHT * prior // prior.sum()
        result = np.zeros(len(self.concepts), dtype=np.int64)
        for members in self._members:
            weights = _weights(self.concepts, members)
            result[members] = prior @ (WEIGHT * weights // weights.sum(axis=1, keepdims=True))
        return result


def _weights(concepts: Concepts, members: np.ndarray) -> np.ndarray:
    """Return situations x members weights below 2**29: near and frequent concepts are likely."""
    steepest = MEANING_PULL * EXPONENT_STEPS
    near = concepts.situations @ concepts.position[members].T  # exact: integers, no BLAS
    exponents = np.clip(steepest - steepest * near // UNIT**2, 0, 2 * steepest)
    # Plus one, so that every situation has words.
    return exponentials(2 * steepest)[exponents] * concepts.weight[members] // WEIGHT + 1


def _toned_weights(concepts: Concepts, members: np.ndarray, pull: int) -> np.ndarray:
    """Return the weights below 2**31, stacked for bad, neutral and good clauses."""
    steepest = pull * EXPONENT_STEPS
    table = exponentials(2 * steepest)
    tilts = (steepest * tone * concepts.valence[members] // STRONGEST for tone in (-1, 0, 1))
    toned = [table[tilt.max() - tilt] for tilt in tilts]
    weights = _weights(concepts, members)
    return np.concatenate([weights * factor // (HIGHEST_EXPONENTIAL // 4) + 1 for factor in toned])
