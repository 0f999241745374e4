"""Meanings: clauses as slots filled with concepts, the same in every language."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from xstitch.core.draws import weighted
from xstitch.sources.world.concepts import ADJECTIVE, ADVERB, NAME, NOUN, SITUATIONS, VERB, Concepts, Pools
from xstitch.sources.world.lexicon import ADPOSITIONS, PRONOUNS

AGENT, AGENT_ADJECTIVE, ACTION, PATIENT, PATIENT_ADJECTIVE, PLACE, MANNER = range(7)
SLOT_POS = (NOUN, ADJECTIVE, VERB, NOUN, ADJECTIVE, NOUN, ADVERB)
SLOT_CHANCE = (1.0, 0.3, 1.0, 0.85, 0.35, 0.55, 0.2)  # how often a slot is filled at all
STATEMENT, ADVICE, QUESTION = range(3)
NO_ARTICLE, DEFINITE, INDEFINITE, QUANTITY = range(4)
ARTICLES = (2, 5, 3)  # weights of the first three
TIMED = 0.35  # probability of an adverb of time: only this context distinguishes the forms of a verb
NUMERALS = (2, 3, 4, 5, 7, 10, 12, 20, 40, 100)


@dataclass(frozen=True)
class Scenes:
    """What a sequence of clauses is about, before words are chosen: arrays with one entry per clause."""

    agent_cluster: np.ndarray  # where agents come from
    cluster: np.ndarray  # where everything else comes from
    tone: np.ndarray  # -1, 0 or 1: sentiment of the words
    advice: np.ndarray  # probability of a "should" clause
    negation: np.ndarray  # probability of a negated clause
    state: np.ndarray  # probability of "X is ADJ" instead of an action
    past: np.ndarray  # probability of the past tense
    focus: np.ndarray  # probability that a slot stays in its cluster and does not stray


@dataclass(frozen=True)
class Clauses:
    """Clauses as arrays, one row per clause."""

    content: np.ndarray  # (n, 7) concepts by slot, -1 where the slot is empty; no ACTION: "X is ADJ"
    plural: np.ndarray  # (n, 7)
    article: np.ndarray  # (n, 7)
    pronoun: np.ndarray  # index of the pronoun that is the agent, or -1
    adposition: np.ndarray  # of the PLACE
    numeral: np.ndarray  # a number before the PATIENT, 0 for none
    mood: np.ndarray
    negated: np.ndarray
    past: np.ndarray
    timed: np.ndarray  # an adverb also shows the tense

    def __len__(self) -> int:
        return len(self.content)

    def take(self, rows: np.ndarray) -> Clauses:
        """Return some of the clauses."""
        return Clauses(*(getattr(self, item.name)[rows] for item in fields(self)))


def draw_clauses(pools: Pools, rng: np.random.Generator, scenes: Scenes) -> Clauses:
    """Fill the slots of one clause per scene."""
    count = len(scenes.cluster)
    mood = np.where(rng.random(count) < scenes.advice, ADVICE, STATEMENT)
    mood[(mood == STATEMENT) & (rng.random(count) < 0.06)] = QUESTION
    negated = rng.random(count) < scenes.negation
    content = _draw_content(pools, rng, scenes)
    is_name = pools.concepts.pos[content] == NAME
    plural = (rng.random(content.shape) < 0.25) & ~is_name
    numeral = np.where(rng.random(count) < 0.06, rng.choice(NUMERALS, count), 0)
    plural[:, PATIENT] |= numeral > 0
    article = weighted(rng, ARTICLES, content.size).reshape(content.shape)
    article[is_name] = NO_ARTICLE
    article[numeral > 0, PATIENT] = NO_ARTICLE
    return Clauses(
        content=content,
        plural=plural,
        article=np.where(plural & (article == INDEFINITE), QUANTITY, article),
        pronoun=np.where(rng.random(count) < 0.3, rng.integers(len(PRONOUNS), size=count), -1),
        adposition=rng.integers(len(ADPOSITIONS), size=count),
        numeral=numeral,
        mood=mood,
        negated=negated,
        past=rng.random(count) < scenes.past,
        timed=rng.random(count) < TIMED,
    )


def _draw_content(pools: Pools, rng: np.random.Generator, scenes: Scenes) -> np.ndarray:
    """Draw a concept for every slot, then empty the slots that the clause does not use."""
    count = len(scenes.cluster)
    number = rng.integers(SITUATIONS, size=count)  # one situation holds a clause together
    columns = []
    for slot, pos in enumerate(SLOT_POS):
        home = scenes.agent_cluster if slot in (AGENT, AGENT_ADJECTIVE) else scenes.cluster
        situation = _stray(pools.concepts, rng, home, scenes.focus) * SITUATIONS + number
        chosen = pools.draw(rng, pos, situation, scenes.tone)
        named = pools.draw(rng, NAME, situation, scenes.tone)
        name_chance = {AGENT: 0.2, PLACE: 0.12, PATIENT: 0.05}.get(slot, 0.0)
        columns.append(np.where(rng.random(count) < name_chance, named, chosen))
    content = np.stack(columns, axis=1)
    empty = rng.random(content.shape) >= np.array(SLOT_CHANCE)
    state = rng.random(count) < scenes.state
    empty[state] = True
    empty[state, AGENT] = empty[state, AGENT_ADJECTIVE] = False
    content[empty] = -1
    return content


def _stray(concepts: Concepts, rng: np.random.Generator, home: np.ndarray, focus: np.ndarray) -> np.ndarray:
    """Stay in the home cluster, or stray to one of the same topic, or anywhere."""
    size = concepts.clusters_per_topic
    sister = home - home % size + rng.integers(size, size=len(home))
    anywhere = weighted(rng, concepts.cluster_weight, len(home))
    chance = rng.random(len(home))
    to_sister = focus + (1.0 - focus) * 0.6
    return np.where(chance < focus, home, np.where(chance < to_sister, sister, anywhere))
