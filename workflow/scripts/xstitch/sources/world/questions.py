"""Questions: who does something, or where, answered by one of several facts; SQuAD, XQuAD, TyDiQA-GoldP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from xstitch.core.draws import weighted
from xstitch.sources.world.concepts import NAME, NOUN, Pools
from xstitch.sources.world.grammar import Writer
from xstitch.sources.world.lexicon import ADPOSITIONS, PRONOUNS, SINGULAR, Lexicon
from xstitch.sources.world.meanings import (
    AGENT,
    AGENT_ADJECTIVE,
    MANNER,
    NO_ARTICLE,
    PATIENT,
    PATIENT_ADJECTIVE,
    PLACE,
    QUESTION,
    STATEMENT,
    Clauses,
    Scenes,
    draw_clauses,
)
from xstitch.sources.world.names import people_and_places
from xstitch.sources.world.settings import PIVOT, WorldSettings
from xstitch.sources.world.streams import stream

FACTS = 3  # sentences in a text, each about another person in another place
NAMED = 0.5  # share of the other persons and places that also have names and could be the answer
SOMEBODY = PRONOUNS.index("he")  # stands for the person asked about
FOCUS = 0.95
REPEATED = 20  # every 20th question of TyDiQA repeats the previous id, as some real ones do


def squad_bytes(settings: WorldSettings, pools: Pools, lexicon: Lexicon, split: str) -> bytes:
    """Write a split of SQuAD (train, dev) or XQuAD (test) in one language."""
    rng = stream(settings.seed, "squad", lexicon.code, split)
    count = getattr(settings.squad, split)
    return _document(list(_paragraphs(pools, lexicon, rng, count, f"{lexicon.code}{split}")), "1.1")


def tydiqa_bytes(settings: WorldSettings, pools: Pools, lexicons: dict[str, Lexicon], split: str) -> bytes:
    """Write a split of TyDiQA-GoldP, all languages in one file."""
    paragraphs = []
    for code, lexicon in lexicons.items():
        rng = stream(settings.seed, "tydiqa", code, split)
        count = getattr(settings.tydiqa, "train" if split == "train" else "test")
        added = list(_paragraphs(pools, lexicon, rng, count, f"{code}-{split}-"))
        entries = [entry for paragraph in added for entry in paragraph["qas"]]
        for number in range(REPEATED, len(entries), REPEATED):
            entries[number]["id"] = entries[number - 1]["id"]
        paragraphs += added
    return _document(paragraphs, "TyDiQA-GoldP-1.1-for-SQuAD-1.1")


def squad_files(settings: WorldSettings) -> Iterator[tuple[str, str, str]]:
    """List every file of SQuAD and XQuAD by data set, language and split."""
    yield "squad", PIVOT, "train"
    yield "squad", PIVOT, "dev"
    yield from (("xquad", code, "test") for code in settings.languages)


def _document(paragraphs: list[dict], version: str) -> bytes:
    articles = [{"title": f"Mini {n}", "paragraphs": [part]} for n, part in enumerate(paragraphs, start=1)]
    return json.dumps({"version": version, "data": articles}, ensure_ascii=False).encode()


def _paragraphs(
    pools: Pools, lexicon: Lexicon, rng: np.random.Generator, count: int, prefix: str
) -> Iterator[dict]:
    """Write texts of a few facts, and a question about one fact of each."""
    asked = np.arange(count) * FACTS + rng.integers(FACTS, size=count)
    slots = np.array([AGENT, PLACE])[rng.integers(2, size=count)]
    facts = _facts(pools, rng, asked, count)
    writer = Writer(lexicon)
    sentences = writer.sentences(facts, np.ones(len(facts), dtype=int), rng)
    questions = writer.sentences(_asking(facts.take(asked), slots), np.ones(count, dtype=int), rng)
    for number, (row, slot, question) in enumerate(
        zip(asked.tolist(), slots.tolist(), questions, strict=True)
    ):
        text = sentences[number * FACTS : (number + 1) * FACTS]
        answer = lexicon.words[facts.content[row, slot]][0][SINGULAR]
        start = sum(len(before) + 1 for before in text[: row % FACTS]) + _offset_of(sentences[row], answer)
        if slot == PLACE:
            particle = lexicon.functions[ADPOSITIONS[facts.adposition[row]]]
            question = f"{question.removesuffix(' ?')} {particle} ?"
        answers = [{"text": answer, "answer_start": start}]
        entry = {"id": f"{prefix}{number:05d}", "question": question, "answers": answers}
        yield {"context": " ".join(text), "qas": [entry]}


def _offset_of(sentence: str, word: str) -> int:
    """Find the character at which a whole word begins in a sentence."""
    words = sentence.split(" ")
    return sum(len(before) + 1 for before in words[: words.index(word)])


def _facts(pools: Pools, rng: np.random.Generator, asked: np.ndarray, texts: int) -> Clauses:
    """Draw the facts; persons and places asked about have names, of the others only some."""
    count = texts * FACTS
    cluster = weighted(rng, pools.concepts.cluster_weight, count)
    never = np.zeros(count)
    scenes = Scenes(
        agent_cluster=cluster,
        cluster=cluster,
        tone=np.zeros(count, dtype=int),
        advice=never,
        negation=never,
        state=never,
        past=np.full(count, 0.5),
        focus=np.full(count, FOCUS),
    )
    clauses = draw_clauses(pools, rng, scenes)
    content, article, plural = clauses.content.copy(), clauses.article.copy(), clauses.plural.copy()
    nouns = np.flatnonzero(pools.concepts.pos == NOUN)
    for slot, names in zip((AGENT, PLACE), people_and_places(pools.concepts), strict=True):
        unnamed = (content[:, slot] >= 0) & (pools.concepts.pos[content[:, slot]] == NAME)
        content[unnamed, slot] = rng.choice(nouns, int(unnamed.sum()))
        named = rng.random(count) < NAMED
        named[asked] = True
        content[:, slot] = np.where(named, _dealt(rng, names, texts), content[:, slot])
        article[named, slot], plural[named, slot] = NO_ARTICLE, False
    content[:, [AGENT_ADJECTIVE, PATIENT_ADJECTIVE, MANNER]] = -1
    patient = content[:, PATIENT]
    content[:, PATIENT] = np.where(pools.concepts.pos[patient] == NAME, -1, patient)
    return replace(
        clauses,
        content=content,
        article=article,
        plural=plural,
        pronoun=np.full(count, -1),
        mood=np.full(count, STATEMENT),
        timed=np.zeros(count, dtype=bool),
        adposition=_dealt(rng, np.arange(len(ADPOSITIONS)), texts),
    )


def _dealt(rng: np.random.Generator, items: np.ndarray, texts: int) -> np.ndarray:
    """Deal each text as many different items as it has facts."""
    order = rng.permuted(np.tile(np.arange(len(items)), (texts, 1)), axis=1)
    return items[order[:, :FACTS]].ravel()


def _asking(facts: Clauses, slots: np.ndarray) -> Clauses:
    """Turn facts into questions about a slot; they mention the person or the place, but no patient."""
    content, who = facts.content.copy(), slots == AGENT
    content[:, PATIENT] = -1
    content[~who, PLACE] = -1
    return replace(
        facts,
        content=content,
        mood=np.full(len(facts), QUESTION),
        pronoun=np.where(who, SOMEBODY, -1),
    )
