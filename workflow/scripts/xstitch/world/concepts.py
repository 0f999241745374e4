"""Concepts: what can be said in every language, before any word exists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xstitch.world.settings import WorldSettings
from xstitch.world.streams import stream

NOUN, VERB, ADJECTIVE, ADVERB, NAME = range(5)
POS_SHARES = (0.50, 0.22, 0.16, 0.05, 0.07)
SECOND_HOME = 0.5  # how much rarer a concept is in its second cluster
TONE_PULL = 1.3  # how strongly a clause's tone selects words of that sentiment
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
    clusters_per_topic: int

    def __len__(self) -> int:
        return len(self.pos)

    @property
    def topic(self) -> np.ndarray:
        """Return the home topic of each concept."""
        return self.cluster // self.clusters_per_topic

    def similarity(self, first: int, second: int) -> float:
        """Grade likeness of meaning from 0 to 1 by shared clusters, topics, part of speech and sentiment."""
        if first == second:
            return 1.0
        homes = [{int(self.cluster[c]), int(self.second[c])} - {-1} for c in (first, second)]
        topics = [{home // self.clusters_per_topic for home in home_set} for home_set in homes]
        score = 0.45 * bool(homes[0] & homes[1]) + 0.25 * bool(topics[0] & topics[1])
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
    return Concepts(
        pos=pos,
        cluster=home,
        second=second,
        valence=_valences(rng, pos),
        weight=np.concatenate([_zipf(rng, (pos == kind).sum()) for kind in range(5)]),
        cluster_prior=prior / prior.sum(),
        clusters_per_topic=settings.clusters,
    )


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
    """Draws concepts of a part of speech from a cluster, tilted towards a tone; vectorised."""

    def __init__(self, concepts: Concepts) -> None:
        self.concepts = concepts
        self._members: list[np.ndarray] = []
        self._cumulative: list[np.ndarray] = []
        for kind in range(5):
            members = np.flatnonzero(concepts.pos == kind)
            weights = np.concatenate([_pool_weights(concepts, members, tone) for tone in (-1, 0, 1)])
            shares = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
            # Row r holds values in (r, r + 1]: one sorted array, so one search serves all draws.
            self._members.append(members)
            self._cumulative.append((shares + np.arange(len(shares))[:, None]).ravel())

    def draw(self, rng: np.random.Generator, pos: int, cluster: np.ndarray, tone: np.ndarray) -> np.ndarray:
        """Return one concept for each cluster and tone (-1, 0, 1)."""
        members = self._members[pos]
        row = (tone + 1) * len(self.concepts.cluster_prior) + cluster
        found = np.searchsorted(self._cumulative[pos], row + rng.random(len(row)))
        return members[np.minimum(found - row * len(members), len(members) - 1)]

    def marginal(self) -> np.ndarray:
        """Return how often each concept is drawn within its part of speech, over all clusters."""
        result = np.zeros(len(self.concepts))
        for members in self._members:
            weights = _pool_weights(self.concepts, members, 0)
            shares = weights / weights.sum(axis=1, keepdims=True)
            result[members] = self.concepts.cluster_prior @ shares
        return result


def _pool_weights(concepts: Concepts, members: np.ndarray, tone: int) -> np.ndarray:
    """Return clusters x members weights; an empty cluster borrows its topic's, then everybody's."""
    clusters = np.arange(len(concepts.cluster_prior))[:, None]
    home, second = concepts.cluster[members], concepts.second[members]
    inside = (home == clusters) + SECOND_HOME * (second == clusters)
    same_topic = home // concepts.clusters_per_topic == clusters // concepts.clusters_per_topic
    weights = np.where(inside.any(axis=1, keepdims=True), inside, same_topic)
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1.0)
    tilt = np.exp(TONE_PULL * tone * concepts.valence[members])
    return weights * concepts.weight[members] * tilt
