"""Dictionaries: word pairs in MUSE's format and order."""

from __future__ import annotations

import numpy as np

from xstitch.sources.world.concepts import WEIGHT, Pools
from xstitch.sources.world.lexicon import FORMS_USED, FUNCTIONS, SYNONYM_USE, Lexicon
from xstitch.sources.world.settings import PIVOT, WorldSettings
from xstitch.sources.world.streams import stream

TRAIN_SHARE, TEST_SHARE = 0.45, 0.15  # of the source words, most frequent first; the rest are in neither part
KEPT = 0.9  # probability that a correct pair is in the dictionary
# Rates are integers, so that words come in the same order everywhere; these shares are percentages.
FORM_SHARES = (45, 15, 30, 10)  # how often a word appears in each of its forms
POS_RATES = (22, 11, 8, 2, 5)  # of running text, by part of speech
FUNCTION_RATE = 9  # of the most frequent function word; the others follow Zipf's law


Pairs = dict[str, dict[str, int]]  # source word -> target word -> expected rate of use


def dictionary_files(
    settings: WorldSettings, pools: Pools, source: Lexicon, target: Lexicon
) -> dict[str, bytes]:
    """Return the three files of a language pair by the endings of their names."""
    other = target if source.code == PIVOT else source
    rng = stream(settings.seed, "dictionary", source.code, target.code)
    pairs = _spoil(_pairs(pools, source, target), rng, other.settings.dictionary_noise)
    rates = {word: sum(translations.values()) for word, translations in pairs.items()}
    words = sorted(pairs, key=lambda word: (-rates[word], word))[: other.settings.dictionary_words]
    train, test = round(len(words) * TRAIN_SHARE), round(len(words) * TEST_SHARE)
    return {
        ".txt": _lines(words, pairs),
        ".0-5000.txt": _lines(words[:train], pairs),
        ".5000-6500.txt": _lines(words[train : train + test], pairs),
    }


def _pairs(pools: Pools, source: Lexicon, target: Lexicon) -> Pairs:
    """Pair all words of two languages with the same meaning, form by form, with their expected rates."""
    pairs: Pairs = {}
    for rank, function in enumerate(FUNCTIONS, start=1):
        rate = FUNCTION_RATE * WEIGHT**2 * 100**3 // rank
        pairs.setdefault(source.functions[function], {})[target.functions[function]] = rate
    pos = pools.concepts.pos.tolist()
    rates = (POS_RATES[kind] * drawn for kind, drawn in zip(pos, pools.marginal.tolist(), strict=True))
    for concept, rate in enumerate(rates):
        for share, forms in _with_shares(source.words[concept]):
            for other_share, translations in _with_shares(target.words[concept]):
                for form in range(FORMS_USED[pos[concept]]):
                    row = pairs.setdefault(forms[form].lower(), {})
                    word = translations[form].lower()
                    row[word] = row.get(word, 0) + rate * share * other_share * FORM_SHARES[form]
    return pairs


def _with_shares(words: list[tuple[str, ...]]) -> list[tuple[int, tuple[str, ...]]]:
    """Give each word of a concept its share of use, in percent."""
    second = round(100 * SYNONYM_USE)
    shares = (100,) if len(words) == 1 else (100 - second, second)
    return list(zip(shares, words, strict=True))


def _spoil(pairs: Pairs, rng: np.random.Generator, noise: float) -> Pairs:
    """Drop some translations and replace others by wrong words, as in real dictionaries."""
    targets = list(dict.fromkeys(word for translations in pairs.values() for word in translations))
    spoiled: Pairs = {}
    for source, translations in pairs.items():
        for target, rate in translations.items():
            lost, wrong, pick = rng.random(3).tolist()
            if lost < KEPT:
                word = targets[int(pick * len(targets))] if wrong < noise else target
                spoiled.setdefault(source, {})[word] = rate
    return spoiled


def _lines(words: list[str], pairs: Pairs) -> bytes:
    """Write `source target` lines, the most common translation of a word first."""
    rows = []
    for word in words:
        translations = sorted(pairs[word], key=lambda target: (-pairs[word][target], target))
        rows += [f"{word} {translation}\n" for translation in translations]
    return "".join(rows).encode()
