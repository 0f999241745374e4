"""Entailment: XNLI's pairs of sentences, entailed by hypernyms, contradicted by antonyms and negation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from xstitch.core.draws import weighted
from xstitch.sources.world.concepts import ADJECTIVE, ADVERB, NAME, NOUN, Concepts, Pools
from xstitch.sources.world.grammar import Writer
from xstitch.sources.world.labels import label_weights
from xstitch.sources.world.lexicon import Lexicon
from xstitch.sources.world.meanings import (
    AGENT,
    AGENT_ADJECTIVE,
    DEFINITE,
    MANNER,
    PATIENT,
    PATIENT_ADJECTIVE,
    PLACE,
    STATEMENT,
    Clauses,
    Scenes,
    draw_clauses,
)
from xstitch.sources.world.packing import zip_bytes
from xstitch.sources.world.settings import PIVOT, WorldSettings
from xstitch.sources.world.streams import stream

LABELS = ("entailment", "neutral", "contradiction")
TRAINED = "contradictory"  # how MultiNLI's translations spell the last label
EVALUATED = ("dev", "test")
FOCUS = 0.95
NEGATED = 0.5  # share of contradictions by negation; the others use an antonym
SHORTENED = 0.5  # share of conclusions that drop an adjective
COLUMNS = (
    "language gold_label sentence1_binary_parse sentence2_binary_parse sentence1_parse sentence2_parse "
    "sentence1 sentence2 promptID pairID genre label1 label2 label3 label4 label5 sentence1_tokenized "
    "sentence2_tokenized match"
).split()
Pair = tuple[str, str, str]  # premise, hypothesis, label


def xnli_bytes(settings: WorldSettings, pools: Pools, lexicons: dict[str, Lexicon]) -> bytes:
    """Build XNLI's archive: a table with all languages for each of dev and test."""
    files = {}
    for split in EVALUATED:
        rows = ["\t".join(COLUMNS)]
        for lexicon in lexicons.values():
            rows += _table_rows(lexicon.code, _pairs(settings, pools, lexicon, split))
        files[f"XNLI-1.0/xnli.{split}.tsv"] = _text(rows)
    return zip_bytes(files)


def translated_bytes(settings: WorldSettings, pools: Pools, lexicons: dict[str, Lexicon]) -> bytes:
    """Build the archive of training pairs; other languages have half as many as the pivot."""
    files = {}
    for code, lexicon in lexicons.items():
        pairs = _pairs(settings, pools, lexicon, "train")
        rows = [f"{premise}\t{hypothesis}\t{_trained(label)}" for premise, hypothesis, label in pairs]
        files[f"XNLI-MT-1.0/multinli/multinli.train.{code}.tsv"] = _text(["premise\thypo\tlabel", *rows])
    return zip_bytes(files)


def _trained(label: str) -> str:
    return TRAINED if label == LABELS[2] else label


def _table_rows(code: str, pairs: list[Pair]) -> Iterator[str]:
    for number, (premise, hypothesis, label) in enumerate(pairs, start=1):
        known = {
            **{"language": code, "gold_label": label, "sentence1": premise, "sentence2": hypothesis},
            **{"promptID": str(number), "pairID": str(number), "genre": "mini", "match": "True"},
            **{f"label{annotator}": label for annotator in range(1, 6)},
            **{"sentence1_tokenized": premise, "sentence2_tokenized": hypothesis},
        }
        yield "\t".join(known.get(column, "") for column in COLUMNS)


def _pairs(settings: WorldSettings, pools: Pools, lexicon: Lexicon, split: str) -> list[Pair]:
    """Draw pairs in one language, with its distribution of labels."""
    rng = stream(settings.seed, "xnli", lexicon.code, split)
    count = getattr(settings.xnli, split)
    if split == "train" and lexicon.code != PIVOT:
        count = -(-count // 2)
    label = weighted(rng, label_weights(settings, lexicon.code, len(LABELS)), count)
    premises = _premises(pools, rng, count)
    hypotheses = _hypotheses(pools.concepts, rng, premises, label)
    ones = np.ones(count, dtype=int)
    texts = [Writer(lexicon).sentences(clauses, ones, rng) for clauses in (premises, hypotheses)]
    return [(*both, LABELS[number]) for *both, number in zip(*texts, label.tolist(), strict=True)]


def _premises(pools: Pools, rng: np.random.Generator, count: int) -> Clauses:
    """Draw plain statements: somebody does something to a thing described by an adjective."""
    cluster = weighted(rng, pools.concepts.cluster_weight, count)
    never = np.zeros(count)
    scenes = Scenes(
        agent_cluster=cluster,
        cluster=cluster,
        tone=rng.integers(-1, 2, size=count),
        advice=never,
        negation=never,
        state=never,
        past=np.full(count, 0.5),
        focus=np.full(count, FOCUS),
    )
    clauses = draw_clauses(pools, rng, scenes)
    content, article = clauses.content.copy(), clauses.article.copy()
    nouns, adjectives = (np.flatnonzero(pools.concepts.pos == pos) for pos in (NOUN, ADJECTIVE))
    for slot, members in ((PATIENT, nouns), (PATIENT_ADJECTIVE, adjectives)):
        unfit = (content[:, slot] < 0) | (pools.concepts.pos[content[:, slot]] == NAME)
        content[unfit, slot] = rng.choice(members, int(unfit.sum()))
    article[:, PATIENT] = DEFINITE
    none = np.full(count, -1)
    mood = np.full(count, STATEMENT)
    return replace(
        clauses, content=content, article=article, pronoun=none, mood=mood, numeral=np.zeros(count, dtype=int)
    )


def _hypotheses(
    concepts: Concepts, rng: np.random.Generator, premises: Clauses, label: np.ndarray
) -> Clauses:
    """Write what follows from the premises, what they leave open, or what they exclude."""
    content, article = premises.content.copy(), premises.article.copy()
    follows, open_, excluded = (label == number for number in range(3))
    chance = rng.random((3, len(label)))
    hypernym, antonym = hypernyms(concepts), antonyms(concepts)
    content[follows, PATIENT] = hypernym[content[follows, PATIENT]]
    content[follows, PLACE] = -1
    content[follows & (chance[0] < SHORTENED), PATIENT_ADJECTIVE] = -1
    content[excluded & (chance[0] < SHORTENED), PLACE] = -1
    opposed = excluded & (chance[1] >= NEGATED)
    content[opposed, PATIENT_ADJECTIVE] = antonym[content[opposed, PATIENT_ADJECTIVE]]
    for slot, pos in ((PLACE, NOUN), (MANNER, ADVERB)):
        members = np.flatnonzero(concepts.pos == pos)
        content[open_, slot] = rng.choice(members, int(open_.sum()))
        article[open_, slot] = DEFINITE
    content[:, AGENT_ADJECTIVE] = -1
    return replace(
        premises, content=content, article=article, negated=excluded & ~opposed, plural=_singular(premises)
    )


def _singular(clauses: Clauses) -> np.ndarray:
    """Make everything but the agent singular, because other words were replaced."""
    plural = np.zeros_like(clauses.plural)
    plural[:, AGENT] = clauses.plural[:, AGENT]
    return plural


def hypernyms(concepts: Concepts) -> np.ndarray:
    """Return the most frequent noun of each noun's cluster; other concepts stay as they are."""
    result = np.arange(len(concepts))
    nouns = np.flatnonzero(concepts.pos == NOUN)
    for cluster in np.unique(concepts.cluster[nouns]):
        members = nouns[concepts.cluster[nouns] == cluster]
        result[members] = members[np.argmax(concepts.weight[members])]
    return result


def antonyms(concepts: Concepts) -> np.ndarray:
    """Pair each adjective with one of the opposite sentiment, the strongest with the strongest."""
    result = np.arange(len(concepts))
    adjectives = np.flatnonzero(concepts.pos == ADJECTIVE)
    order = adjectives[np.argsort(concepts.valence[adjectives], kind="stable")]
    result[order] = order[::-1]
    return result


def _text(lines: list[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()
