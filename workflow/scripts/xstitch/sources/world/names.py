"""Named entities: persons, organisations and places in WikiANN's files, plus others in CoNLL's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from xstitch.core.draws import weighted
from xstitch.sources.world.concepts import NAME, NOUN, Concepts, Pools
from xstitch.sources.world.corpora import draw_sentences
from xstitch.sources.world.labels import label_weights
from xstitch.sources.world.lexicon import PLURAL, Forms, Lexicon
from xstitch.sources.world.meanings import (
    ACTION,
    AGENT,
    AGENT_ADJECTIVE,
    NO_ARTICLE,
    PATIENT,
    PATIENT_ADJECTIVE,
    PLACE,
    Clauses,
)
from xstitch.sources.world.packing import tar_bytes, zip_bytes
from xstitch.sources.world.phonology import capitalised
from xstitch.sources.world.settings import PIVOT, WorldSettings
from xstitch.sources.world.streams import stream
from xstitch.sources.world.tagged import MARK, Token, tagged_lexicon, write_tagged

SPLITS = ("train", "dev", "test")
OUTSIDE = "O"
WIKIANN, CONLL = ("PER", "ORG", "LOC"), ("PER", "ORG", "LOC", "MISC")
# The slots of a clause that an entity can fill, with weights: context tells what an unknown name is.
SLOTS = {
    "PER": ((AGENT, 4), (PATIENT, 1)),
    "ORG": ((AGENT, 1), (PATIENT, 1)),
    "LOC": ((PLACE, 9), (PATIENT, 1)),
    "MISC": ((PATIENT, 4), (AGENT, 1)),
}
SECOND = 0.5  # probability of a second entity in a sentence
SURNAMES = 0.7  # share of persons with two names
OFFICES = 4  # nouns used in names of organisations, as in "Kalo Bank"
ENTITIES = 60  # of each kind
PRONOUN = 2


class Entity(NamedTuple):
    """An entity: its kind and the concepts of its words; the second one of an organisation is a noun."""

    kind: str
    concepts: tuple[int, ...]


def people_and_places(concepts: Concepts) -> tuple[np.ndarray, np.ndarray]:
    """Split names into those of people and those of places, the same in every data set."""
    names = np.flatnonzero(concepts.pos == NAME)
    return names[0::2], names[1::2]


def wikiann_bytes(settings: WorldSettings, pools: Pools, lexicons: dict[str, Lexicon]) -> bytes:
    """Build the archive of archives: `panx_dataset/LANG.tar.gz` with train, dev and test."""
    files = {}
    for code, lexicon in lexicons.items():
        texts = {}
        for split in SPLITS:
            sentences = _sentences(settings, pools, lexicon, "wikiann", split, WIKIANN)
            texts[split] = _columns(sentences, lambda word, tag, code=code: f"{code}:{word}\t{tag}")
        files[f"panx_dataset/{code}.tar.gz"] = tar_bytes(texts)
    return zip_bytes(files)


def conll_bytes(settings: WorldSettings, pools: Pools, lexicon: Lexicon, split: str) -> bytes:
    """Write a split in the columns of a shared task: that of 2003 has IOB1 tags and, in German, lemmas."""
    sentences = _sentences(settings, pools, lexicon, "conll", split, CONLL)
    if conll_edition(lexicon.code) == "2002":
        return _columns(sentences, lambda word, tag: f"{word} X {tag}")
    sentences = [_iob1(tokens) for tokens in sentences]
    if lexicon.code == PIVOT:
        return b"-DOCSTART- -X- O O\n\n" + _columns(sentences, lambda word, tag: f"{word} X O {tag}")
    lines = _columns(sentences, lambda word, tag: f"{word} {word.lower()} X O {tag}")
    return b"-DOCSTART- -X- -X- O O\n\n" + lines


def conll_edition(code: str) -> str:
    """Return the year of a language's format: the pivot plays English, qad German."""
    return "2003" if code in (PIVOT, "qad") else "2002"


def _columns(sentences: Sequence[Sequence[Token]], line: Callable[[str, str], str]) -> bytes:
    """Write one word per line, and a blank line after each sentence."""
    blocks = ("".join(f"{line(*token)}\n" for token in tokens) for tokens in sentences)
    return "".join(f"{block}\n" for block in blocks).encode()


def _iob1(tokens: Sequence[Token]) -> list[Token]:
    """Make names begin with I-, except those that follow another of the same kind."""
    previous_tags = [OUTSIDE, *(tag for _, tag in tokens)]
    return [
        (word, f"I{tag[1:]}" if tag.startswith("B-") and previous[1:] != tag[1:] else tag)
        for (word, tag), previous in zip(tokens, previous_tags, strict=False)
    ]


def _sentences(
    settings: WorldSettings, pools: Pools, lexicon: Lexicon, data: str, split: str, kinds: Sequence[str]
) -> list[list[Token]]:
    """Write sentences with entities, whose kinds have the shares of the language."""
    entities = _entities(settings, pools.concepts, kinds)
    rng = stream(settings.seed, data, lexicon.code, split)
    clauses, lengths = draw_sentences(pools, rng, np.arange(getattr(settings.names, split)))
    weights = label_weights(settings, lexicon.code, len(kinds))
    by_kind = dict(zip(kinds, weights, strict=True))
    with_entities = _insert_entities(pools.concepts, rng, clauses, lengths, entities, by_kind)
    tagged = tagged_lexicon(lexicon, lambda _: OUTSIDE, lambda _: OUTSIDE)
    words = [*tagged.words, *([_forms(lexicon, entity)] for entity in entities)]
    return write_tagged(replace(tagged, words=words), with_entities, lengths, rng, lambda _: OUTSIDE)


def _entities(settings: WorldSettings, concepts: Concepts, kinds: Sequence[str]) -> list[Entity]:
    """Draw the entities that the world's sentences mention, the same in every language."""
    rng = stream(settings.seed, "entities")
    people, places = people_and_places(concepts)
    offices = rng.choice(np.flatnonzero(concepts.pos == NOUN), OFFICES, replace=False)
    entities = []
    for _ in range(ENTITIES):
        first, second = rng.choice(people, 2, replace=False).tolist()
        named = (first, second) if rng.random() < SURNAMES else (first,)
        entities.append(Entity("PER", named))
        entities.append(Entity("ORG", (int(rng.choice(places)), int(rng.choice(offices)))))
        entities.append(Entity("LOC", (int(rng.choice(places)),)))
        entities.append(Entity("MISC", (int(rng.choice(places)),)))
    return [entity for entity in entities if entity.kind in kinds]


def _forms(lexicon: Lexicon, entity: Entity) -> Forms:
    """Spell an entity with tags in all forms of a language; only the last word of a person is inflected."""
    words = [lexicon.words[concept][0] for concept in entity.concepts]
    if entity.kind == "MISC":  # the people of a place
        spelt = [(words[0][PLURAL],) for _ in range(4)]
    elif entity.kind == "ORG":
        name, office = words[0][0], capitalised(words[1][0])
        spelt = [(name, office) if lexicon.settings.adjective == "before" else (office, name)] * 4
    else:
        spelt = [(*(word[0] for word in words[:-1]), words[-1][form]) for form in range(4)]
    return tuple(" ".join(_marked(entity.kind, tokens)) for tokens in spelt)


def _marked(kind: str, tokens: Sequence[str]) -> list[str]:
    return [f"{word}{MARK}{'I' if index else 'B'}-{kind}" for index, word in enumerate(tokens)]


def _insert_entities(
    concepts: Concepts,
    rng: np.random.Generator,
    clauses: Clauses,
    lengths: np.ndarray,
    entities: Sequence[Entity],
    weights: dict[str, int],
) -> Clauses:
    """Put one or two entities into every sentence, and remove all other names."""
    content, article, plural = clauses.content.copy(), clauses.article.copy(), clauses.plural.copy()
    pronoun, numeral = clauses.pronoun.copy(), clauses.numeral.copy()
    named = (content >= 0) & (concepts.pos[content] == NAME)
    pronoun[named[:, AGENT] & (pronoun < 0)] = PRONOUN
    for slot in (PATIENT, PLACE):
        content[named[:, slot], slot] = -1
    by_kind = {
        kind: [number for number, entity in enumerate(entities) if entity.kind == kind] for kind in weights
    }
    starts = np.cumsum(lengths) - lengths
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        taken = set()
        for _ in range(1 + (rng.random() < SECOND)):
            kind = list(weights)[int(weighted(rng, list(weights.values()), 1)[0])]
            row = start + int(rng.integers(length))
            slots, slot_weights = zip(*SLOTS[kind], strict=True)
            slot = slots[int(weighted(rng, slot_weights, 1)[0])]
            if slot == PATIENT and content[row, ACTION] < 0:
                slot = AGENT  # "X is ADJ" has no patient
            if (row, slot) in taken:
                continue
            taken.add((row, slot))
            content[row, slot] = len(concepts) + int(rng.choice(by_kind[kind]))
            article[row, slot], plural[row, slot] = NO_ARTICLE, False
            if slot == AGENT:
                pronoun[row] = -1
                if content[row, ACTION] >= 0:
                    content[row, AGENT_ADJECTIVE] = -1
            elif slot == PATIENT:
                numeral[row], content[row, PATIENT_ADJECTIVE] = 0, -1
    return replace(clauses, content=content, article=article, plural=plural, pronoun=pronoun, numeral=numeral)
