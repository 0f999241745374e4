"""Lexica made from others, with scores computed by hand."""

import pytest

from xstitch.sources import combined_lexica
from xstitch.sources.combined_lexica import chain, unite
from xstitch.sources.lexica import SCHEMA, Entry, lexicon_table


def lexicon(*entries):
    return lexicon_table(Entry(*entry) for entry in entries)


def rows(table):
    return [tuple(row.values()) for row in table.to_pylist()]


def test_a_union_weights_scores_and_adds_them_up_for_common_pairs():
    first = lexicon(("dog", "hund", 1), ("cat", "katze", 1))
    second = lexicon(("run", "laufen", 8), ("dog", "hund", 6))
    united = unite([first, second], [3.0, 0.5])
    # dog: 3 * 1 + 0.5 * 6.
    assert rows(united) == [("dog", "hund", 6.0), ("cat", "katze", 3.0), ("run", "laufen", 4.0)]
    assert united.schema == SCHEMA


def test_a_union_of_nothing_is_empty():
    assert rows(unite([lexicon(), lexicon()], [1.0, 1.0])) == []


INTO = [("dog", "Hund", 4), ("dog", "Köter", 3), ("cat", "Katze", 9)]
OUT_OF = [("hund", "hundur", 6), ("köter", "hundur", 1), ("köter", "rakki", 5)]


def test_a_chain_takes_the_weaker_half_of_each_path_and_adds_up_paths():
    # hundur: min(4, 6) through Hund and min(3, 1) through Köter; rakki: min(3, 5) through Köter; both halved.
    chained = chain(lexicon(*INTO), lexicon(*OUT_OF), 0.5)
    assert rows(chained) == [("dog", "hundur", 2.5), ("dog", "rakki", 1.5)]
    assert chained.schema == SCHEMA


def test_words_that_differ_only_in_case_are_one_path():
    chained = chain(lexicon(("dog", "Hund", 4), ("dog", "hund", 2)), lexicon(*OUT_OF), 1.0)
    assert rows(chained) == [("dog", "hundur", 4.0)]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_blocks_do_not_change_the_chain(monkeypatch, size):
    into = lexicon(*((f"s{i % 7}", f"p{i}", i % 5 + 1) for i in range(40)))
    out_of = lexicon(*((f"p{i}", f"t{i % 3}", i % 4 + 1) for i in range(40)))
    paths = {}
    for i in range(40):
        key = f"s{i % 7}", f"t{i % 3}"
        paths[key] = paths.get(key, 0.0) + min(i % 5 + 1, i % 4 + 1)
    monkeypatch.setattr(combined_lexica, "SOURCE_WORDS", size)
    chained = rows(chain(into, out_of, 1.0))
    assert {(source, target): score for source, target, score in chained} == paths
    assert chained == sorted(chained, key=lambda row: (row[0], -row[2], row[1]))


def test_a_chain_without_a_common_word_is_empty():
    assert rows(chain(lexicon(("dog", "Hund", 1)), lexicon(("chien", "hundur", 1)), 0.5)) == []
    assert rows(chain(lexicon(), lexicon(), 0.5)) == []
