"""Questions: who does something where, answered by one of several facts; SQuAD, XQuAD and TyDiQA-GoldP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from xstitch.world.concepts import Pools
from xstitch.world.grammar import Writer
from xstitch.world.lexicon import ADPOSITIONS, PRONOUNS, SINGULAR, Lexicon
from xstitch.world.meanings import (
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
from xstitch.world.names import people_and_places
from xstitch.world.settings import PIVOT, WorldSettings
from xstitch.world.streams import stream

FACTS = 3  # sentences in a text, each of another person in another place
ASKED = 2  # questions on a text
SOMEBODY = PRONOUNS.index("he")  # stands for the person who is asked for
FOCUS = 0.95
REPEATED = 20  # every so many questions of TyDiQA's carry the id of the one before, as some real ones do


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
        own = list(_paragraphs(pools, lexicon, rng, count, f"{code}-{split}-"))
        entries = [entry for paragraph in own for entry in paragraph["qas"]]
        for number in range(REPEATED, len(entries), REPEATED):
            entries[number]["id"] = entries[number - 1]["id"]
        paragraphs += own
    return _document(paragraphs, "TyDiQA-GoldP-1.1-for-SQuAD-1.1")


def squad_files(settings: WorldSettings) -> Iterator[tuple[str, str, str]]:
    """Name every file of SQuAD and XQuAD by data set, with its language and split."""
    yield "squad", PIVOT, "train"
    yield "squad", PIVOT, "dev"
    yield from (("xquad", code, "test") for code in settings.languages)


def _document(paragraphs: list[dict], version: str) -> bytes:
    articles = [{"title": f"Mini {n}", "paragraphs": [part]} for n, part in enumerate(paragraphs, start=1)]
    return json.dumps({"version": version, "data": articles}, ensure_ascii=False).encode()


def _paragraphs(
    pools: Pools, lexicon: Lexicon, rng: np.random.Generator, questions: int, prefix: str
) -> Iterator[dict]:
    """Write texts of a few facts, and questions on them."""
    count = -(-questions // ASKED)
    facts = _facts(pools, rng, count)
    ones = np.ones(len(facts), dtype=int)
    writer = Writer(lexicon)
    told = writer.sentences(facts, ones, rng)
    asked = {slot: writer.sentences(_asking(facts, slot), ones, rng) for slot in (AGENT, PLACE)}
    left = questions
    for text in range(count):
        rows = range(text * FACTS, (text + 1) * FACTS)
        entries = []
        for row in rng.permutation(rows)[: min(ASKED, left)].tolist():
            slot = (AGENT, PLACE)[int(rng.integers(2))]
            answer = lexicon.words[facts.content[row, slot]][0][SINGULAR]
            start = sum(len(told[before]) + 1 for before in range(rows[0], row))
            start += _place_of(told[row], answer)
            question = asked[slot][row]
            if slot == PLACE:
                particle = lexicon.functions[ADPOSITIONS[facts.adposition[row]]]
                question = f"{question.removesuffix(' ?')} {particle} ?"
            name = f"{prefix}{text:05d}{len(entries)}"
            answers = [{"text": answer, "answer_start": start}]
            entries.append({"id": name, "question": question, "answers": answers})
        left -= len(entries)
        yield {"context": " ".join(told[row] for row in rows), "qas": entries}


def _place_of(sentence: str, word: str) -> int:
    """Find the letter at which a word begins in a sentence, looking at whole words only."""
    words = sentence.split(" ")
    return sum(len(before) + 1 for before in words[: words.index(word)])


def _facts(pools: Pools, rng: np.random.Generator, texts: int) -> Clauses:
    """Draw what is told: within a text, persons, places and adpositions differ from fact to fact."""
    count = texts * FACTS
    cluster = rng.choice(len(pools.concepts.cluster_prior), count, p=pools.concepts.cluster_prior)
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
    people, places = people_and_places(pools.concepts)
    for slot, names in ((AGENT, people), (PLACE, places)):
        content[:, slot] = _dealt(rng, names, texts)
        article[:, slot], plural[:, slot] = NO_ARTICLE, False
    content[:, [AGENT_ADJECTIVE, PATIENT_ADJECTIVE, MANNER]] = -1
    # Nobody else is named: the answer would be a guess.
    content[np.isin(content[:, PATIENT], [*people, *places]), PATIENT] = -1
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
    return np.concatenate([rng.choice(items, FACTS, replace=False) for _ in range(texts)])


def _asking(facts: Clauses, slot: int) -> Clauses:
    """Turn facts into questions for who is in a slot, which tell the person or the place, but no patient."""
    content, mood = facts.content.copy(), np.full(len(facts), QUESTION)
    content[:, PATIENT] = -1
    if slot == AGENT:
        return replace(facts, mood=mood, content=content, pronoun=np.full(len(facts), SOMEBODY))
    content[:, slot] = -1
    return replace(facts, mood=mood, content=content)
