"""Grammar: from meanings to the words of a language, in its word order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from xstitch.core.draws import weighted
from xstitch.sources.world.lexicon import (
    ADPOSITIONS,
    CONJUNCTIONS,
    OBJECT_SINGULAR,
    PAST,
    PRESENT,
    PRONOUNS,
    SINGULAR,
    Lexicon,
)
from xstitch.sources.world.meanings import (
    ACTION,
    ADVICE,
    AGENT,
    AGENT_ADJECTIVE,
    DEFINITE,
    INDEFINITE,
    MANNER,
    PATIENT,
    PATIENT_ADJECTIVE,
    PLACE,
    QUANTITY,
    QUESTION,
    Clauses,
)
from xstitch.sources.world.phonology import capitalised

MIXED_WORDS = 0.45  # share of content words that change language in a code-switched sentence
JOINTS = (2, 1, 1)  # weights of the conjunctions
NO_ADJECTIVE = -1


@dataclass(frozen=True)
class _Row:
    """One clause as plain Python values, which are much faster to index than arrays."""

    content: list[int]
    plural: list[bool]
    article: list[int]
    chance: list[float]
    lender: list[int]  # index of the language that lends the word, -1 for none
    functions: dict[str, str]  # grammatical words of the language or of the lender


class Writer:
    """Writes clauses in one language; `lenders` lend words to code-switched sentences."""

    def __init__(self, lexicon: Lexicon, lenders: Sequence[Lexicon] = ()) -> None:
        # The lender -1 is the last entry: the language itself.
        self.sources = [*lenders, lexicon]
        self.functions = lexicon.functions
        self.style = lexicon.settings

    def sentences(
        self, clauses: Clauses, lengths: np.ndarray, rng: np.random.Generator, switching: float = 0.0
    ) -> list[str]:
        """Write sentences of `lengths[i]` clauses each, a share `switching` of them in two languages."""
        lenders = self._lenders(rng, lengths, clauses.content.shape, switching)
        joints = weighted(rng, JOINTS, len(clauses)).tolist()
        written = self._clauses(clauses, rng.random(clauses.content.shape), lenders)
        questions = (clauses.mood == QUESTION).tolist()
        sentences, start = [], 0
        for length in lengths.tolist():
            tokens = list(written[start])
            for following in range(start + 1, start + length):
                tokens += [",", self.functions[CONJUNCTIONS[joints[following]]], *written[following]]
            tokens[0] = capitalised(tokens[0])
            start += length
            sentences.append(" ".join(tokens) + (" ?" if questions[start - 1] else " ."))
        return sentences

    def _lenders(
        self, rng: np.random.Generator, lengths: np.ndarray, shape: tuple[int, ...], switching: float
    ) -> np.ndarray:
        """Choose the language that lends the word of each slot."""
        sentence = rng.integers(max(len(self.sources) - 1, 1), size=len(lengths))
        sentence[rng.random(len(lengths)) >= (switching if len(self.sources) > 1 else 0.0)] = -1
        return np.where(rng.random(shape) < MIXED_WORDS, np.repeat(sentence, lengths)[:, None], -1)

    def _clauses(self, clauses: Clauses, chance: np.ndarray, lenders: np.ndarray) -> list[list[str]]:
        rows = map(
            _Row,
            clauses.content.tolist(),
            clauses.plural.tolist(),
            clauses.article.tolist(),
            chance.tolist(),
            lenders.tolist(),
            # Whole verb phrases are switched: the lender of the action also lends the grammatical words.
            [self.sources[lender].functions for lender in lenders[:, ACTION].tolist()],
        )
        columns = zip(
            rows,
            clauses.pronoun.tolist(),
            clauses.adposition.tolist(),
            clauses.numeral.tolist(),
            clauses.mood.tolist(),
            clauses.negated.tolist(),
            clauses.past.tolist(),
            clauses.timed.tolist(),
            strict=True,
        )
        return [self._clause(*values) for values in columns]

    def _clause(
        self,
        row: _Row,
        pronoun: int,
        adposition: int,
        numeral: int,
        mood: int,
        negated: bool,
        past: bool,
        timed: bool,
    ) -> list[str]:
        """Write the phrases of a clause and put them into the language's order."""
        state = row.content[ACTION] < 0
        adjective = NO_ADJECTIVE if state else AGENT_ADJECTIVE
        agent = (
            [row.functions[PRONOUNS[pronoun]]]
            if pronoun >= 0
            else self._noun(row, AGENT, adjective, SINGULAR)
        )
        patient = self._noun(row, PATIENT, PATIENT_ADJECTIVE, OBJECT_SINGULAR)
        if numeral and patient:
            patient = [str(numeral), *patient]
        place = self._place(row, adposition)
        manner = [self._word(row, MANNER, SINGULAR)] if row.content[MANNER] >= 0 else []
        if timed:
            manner.append(row.functions["then" if past else "now"])
        verb = self._verb(row, state, mood, negated, past)
        if state:
            patient = [self._word(row, AGENT_ADJECTIVE, SINGULAR)]
        tokens = self._ordered(agent, verb, patient, place, manner)
        if mood == QUESTION:
            particle = [row.functions["whether"]]
            tokens = tokens + particle if self.style.order == "SOV" else particle + tokens
        return tokens

    def _ordered(
        self, agent: list[str], verb: list[str], patient: list[str], place: list[str], manner: list[str]
    ) -> list[str]:
        if self.style.order == "SOV":
            return agent + place + patient + manner + verb
        if self.style.order == "VSO":
            return verb + agent + patient + place + manner
        return agent + verb + patient + place + manner

    def _word(self, row: _Row, slot: int, form: int) -> str:
        lexicon = self.sources[row.lender[slot]]
        return lexicon.word(row.content[slot], form, row.chance[slot])

    def _noun(self, row: _Row, slot: int, adjective: int, form: int) -> list[str]:
        """Write a noun phrase: article, adjective, noun."""
        if row.content[slot] < 0:
            return []
        phrase = [self._word(row, slot, form + row.plural[slot])]
        if adjective != NO_ADJECTIVE and row.content[adjective] >= 0:
            described = self._word(row, adjective, SINGULAR)
            phrase = [described, *phrase] if self.style.adjective == "before" else [*phrase, described]
        return self._article(row, slot) + phrase

    def _article(self, row: _Row, slot: int) -> list[str]:
        article = row.article[slot]
        if article == QUANTITY:
            return [row.functions["many"]]
        if article == DEFINITE and self.style.articles != "none":
            return [row.functions["these" if row.plural[slot] else "the"]]
        if article == INDEFINITE and self.style.articles == "both":
            return [row.functions["a"]]
        return []

    def _place(self, row: _Row, adposition: int) -> list[str]:
        if row.content[PLACE] < 0:
            return []
        noun = self._noun(row, PLACE, NO_ADJECTIVE, SINGULAR)
        word = [row.functions[ADPOSITIONS[adposition]]]
        return word + noun if self.style.adposition == "before" else noun + word

    def _verb(self, row: _Row, state: bool, mood: int, negated: bool, past: bool) -> list[str]:
        """Write modal, negation and verb; verb-final languages put the modal last."""
        verb = row.functions["is"] if state else self._word(row, ACTION, PAST if past else PRESENT)
        group = [row.functions["not"], verb] if negated else [verb]
        if mood != ADVICE:
            return group
        modal = [row.functions["should"]]
        return group + modal if self.style.order == "SOV" else modal + group
