"""Concepts: what can be said in every language, before any word exists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xstitch.world.settings import WorldSettings
from xstitch.world.streams import stream

NOUN, VERB, ADJECTIVE, ADVERB, NAME = range(5)
POS_SHARES = (0.50, 0.22, 0.16, 0.05, 0.07)
# Meanings are places in a space of few dimensions, situations directions in it; a concept is spoken of in a
# situation the more often the nearer it is. Word vectors can recover such places up to a rotation, which is
# what aligning two languages relies on; words that differ in nothing but a cluster could not be told apart.
MEANING_DIMENSIONS = 16
CLUSTER_SPREAD = 0.8  # distance of a cluster's centre from its topic's, which is at 1 from the origin
SECOND_HOME = 0.5  # share of the second cluster in a concept's place
OWN_PLACE = 1.0  # spread of concepts around their cluster
SITUATIONS = 10  # ways a cluster is spoken of
SITUATION_SPREAD = 0.7  # spread of situations around their cluster
MEANING_PULL = 16.0  # how strongly a situation prefers the concepts near it
TONE_PULL = 4.0  # how strongly a clause's tone selects words of that sentiment
ZIPF_SHIFT, ZIPF_EXPONENT = 2.7, 1.0  # Mandelbrot's form of Zipf's law


@dataclass(frozen=True)
class Concepts:
    """Content meanings as arrays, one entry a concept."""

    pos: np.ndarray  # NOUN ... NAME
    cluster: np.ndarray  # home cluster; cluster // clusters_per_topic is its topic
    second: np.ndarray  # second cluster in another topic, or -1
    valence: np.ndarray  # sentiment between -1 and 1; most concepts are neutral
    weight: np.ndarray  # Zipfian frequency within the part of speech
    cluster_prior: np.ndarray  # how often the world speaks of each cluster
    place: np.ndarray  # (n, dimensions) unit vectors: where in the space of meanings a concept is
    situations: np.ndarray  # (clusters * SITUATIONS, dimensions) unit vectors: what is spoken of together
    clusters_per_topic: int

    def __len__(self) -> int:
        return len(self.pos)

    @property
    def topic(self) -> np.ndarray:
        """Return the home topic of each concept."""
        return self.cluster // self.clusters_per_topic

    def similarity(self, first: int, second: int) -> float:
        """Grade likeness of meaning from 0 to 1 by place, part of speech and sentiment."""
        if first == second:
            return 1.0
        score = 0.7 * max(0.0, float(self.place[first] @ self.place[second]))
        score += 0.15 * float(self.pos[first] == self.pos[second])
        return score + 0.1 * (1.0 - abs(float(self.valence[first] - self.valence[second])) / 2.0)


def make_concepts(settings: WorldSettings) -> Concepts:
    """Draw the concepts of a world."""
    rng = stream(settings.seed, "concepts")
    count, clusters = settings.concepts, settings.topics * settings.clusters
    pos = np.repeat(np.arange(5), _pos_counts(count))
    home = np.concatenate([_deal(rng, clusters, (pos == kind).sum()) for kind in range(5)])
    shift = settings.clusters * rng.integers(1, settings.topics, count)
    second = np.where(rng.random(count) < settings.overlap, (home + shift) % clusters, -1)
    prior = 1.0 / (rng.permutation(clusters) + clusters / 3.0)
    place, situations = _meaning_space(settings, home, second)
    return Concepts(
        pos=pos,
        cluster=home,
        second=second,
        valence=_valences(rng, pos),
        weight=np.concatenate([_zipf(rng, (pos == kind).sum()) for kind in range(5)]),
        cluster_prior=prior / prior.sum(),
        place=place,
        situations=situations,
        clusters_per_topic=settings.clusters,
    )


def _meaning_space(
    settings: WorldSettings, home: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Place concepts and situations around the centres of their clusters, and those around their topics."""
    rng = stream(settings.seed, "meaning space")
    topics = np.repeat(_directions(rng, settings.topics), settings.clusters, axis=0)
    centres = _unit(topics + CLUSTER_SPREAD * _directions(rng, len(topics)))
    elsewhere = np.where(second[:, None] >= 0, SECOND_HOME * centres[second], 0.0)
    place = _unit(centres[home] + elsewhere + OWN_PLACE * _directions(rng, len(home)))
    around = np.repeat(centres, SITUATIONS, axis=0)
    return place, _unit(around + SITUATION_SPREAD * _directions(rng, len(around)))


def _directions(rng: np.random.Generator, count: int) -> np.ndarray:
    return _unit(rng.normal(size=(count, int(MEANING_DIMENSIONS))))


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _pos_counts(count: int) -> list[int]:
    """Split the concepts over parts of speech; nouns take what rounding leaves."""
    rest = [round(count * share) for share in POS_SHARES[1:]]
    return [count - sum(rest), *rest]


def _deal(rng: np.random.Generator, clusters: int, count: int) -> np.ndarray:
    """Deal clusters like cards, so that each has about as many concepts."""
    rounds = -(-count // clusters)
    return np.concatenate([rng.permutation(clusters) for _ in range(rounds)])[:count]


def _zipf(rng: np.random.Generator, count: int) -> np.ndarray:
    return 1.0 / (rng.permutation(count) + ZIPF_SHIFT) ** ZIPF_EXPONENT


def _valences(rng: np.random.Generator, pos: np.ndarray) -> np.ndarray:
    """Give most adjectives and adverbs, many verbs and few nouns a sentiment."""
    chance = np.array([0.12, 0.35, 0.75, 0.6, 0.0])[pos]
    strength = rng.choice([-1.0, 1.0], len(pos)) * rng.uniform(0.4, 1.0, len(pos))
    return np.where(rng.random(len(pos)) < chance, strength, 0.0)


class Pools:
    """Draws concepts of a part of speech for a situation, tilted towards a tone; vectorised."""

    def __init__(self, concepts: Concepts, tone_pull: float = TONE_PULL) -> None:
        self.concepts = concepts
        self._members: list[np.ndarray] = []
        self._cumulative: list[np.ndarray] = []
        for kind in range(5):
            members = np.flatnonzero(concepts.pos == kind)
            weights = np.concatenate(
                [_pool_weights(concepts, members, tone_pull * tone) for tone in (-1, 0, 1)]
            )
            shares = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
            # Row r holds values in (r, r + 1]: one sorted array, so one search serves all draws.
            self._members.append(members)
            self._cumulative.append((shares + np.arange(len(shares))[:, None]).ravel())

    def draw(self, rng: np.random.Generator, pos: int, situation: np.ndarray, tone: np.ndarray) -> np.ndarray:
        """Return one concept for each situation (cluster * SITUATIONS + number) and tone (-1, 0, 1)."""
        members = self._members[pos]
        row = (tone + 1) * len(self.concepts.situations) + situation
        found = np.searchsorted(self._cumulative[pos], row + rng.random(len(row)))
        return members[np.minimum(found - row * len(members), len(members) - 1)]

    def marginal(self) -> np.ndarray:
        """Return how often each concept is drawn within its part of speech, over all situations."""
        result = np.zeros(len(self.concepts))
        for members in self._members:
            weights = _pool_weights(self.concepts, members, 0)
            shares = weights / weights.sum(axis=1, keepdims=True)
            result[members] = np.repeat(self.concepts.cluster_prior / SITUATIONS, SITUATIONS) @ shares
        return result


def _pool_weights(concepts: Concepts, members: np.ndarray, tilt: float) -> np.ndarray:
    """Return situations x members weights, tilted towards good words or, below zero, bad ones."""
    near = np.exp(MEANING_PULL * concepts.situations @ concepts.place[members].T)
    return near * concepts.weight[members] * np.exp(tilt * concepts.valence[members])
