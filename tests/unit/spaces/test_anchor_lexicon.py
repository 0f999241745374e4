"""Anchors, on lexica small enough to do by hand."""

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.lexica import Entry, lexicon_table
from xstitch.spaces.anchors.lexicon import anchors_table, build_anchors, stop_words, whole_words
from xstitch.spaces.settings.anchors import AnchorRules

# Row order is frequency order: "the" is the most frequent source word.
SOURCE = {"the": 5, "dog": 6, "hound": 7, "cat": 9, "run": 12}
TARGET = {"der": 0, "hund": 1, "katze": 2, "kater": 3, "laufen": 4}

FREQUENT = ["the", "of", "dog", "cat"]


def lexicon(*entries):
    return lexicon_table(Entry(*entry) for entry in entries)


def pairs(anchors):
    return [(anchor.source, anchor.target) for anchor in anchors]


def test_only_pairs_of_both_vocabularies_become_anchors():
    entries = lexicon(("dog", "hund", 1), ("wolf", "hund", 1), ("cat", "miau", 1), ("run", "laufen", 1))
    assert pairs(build_anchors(entries, SOURCE, TARGET, AnchorRules())) == [
        ("dog", "hund"),
        ("run", "laufen"),
    ]


def test_rows_point_into_both_vocabularies_and_order_follows_the_source():
    anchors = build_anchors(lexicon(("run", "laufen", 2), ("the", "der", 1)), SOURCE, TARGET, AnchorRules())
    assert [tuple(anchor) for anchor in anchors] == [("the", "der", 5, 0, 1.0), ("run", "laufen", 12, 4, 2.0)]


def test_a_target_word_keeps_its_most_frequent_translation_by_default():
    entries = lexicon(("hound", "hund", 9), ("dog", "hund", 1))
    assert pairs(build_anchors(entries, SOURCE, TARGET, AnchorRules())) == [("dog", "hund")]


@pytest.mark.parametrize(("choice", "kept"), [("first-listed", "hound"), ("highest-score", "dog")])
def test_other_choices_of_translation(choice, kept):
    entries = lexicon(("hound", "hund", 1), ("dog", "hund", 9))
    assert pairs(build_anchors(entries, SOURCE, TARGET, AnchorRules(choice=choice))) == [(kept, "hund")]


def test_a_source_token_is_an_anchor_once_with_its_most_frequent_target():
    entries = lexicon(("cat", "kater", 9), ("cat", "katze", 1))
    assert pairs(build_anchors(entries, SOURCE, TARGET, AnchorRules())) == [("cat", "katze")]


def test_score_threshold_and_stop_words():
    entries = lexicon(("dog", "hund", 2), ("cat", "katze", 7), ("run", "laufen", 5), ("the", "der", 9))
    rules = AnchorRules(min_score=5, stop_words=frozenset({"the"}))
    assert pairs(build_anchors(entries, SOURCE, TARGET, rules)) == [("cat", "katze"), ("run", "laufen")]


def test_a_sample_is_seeded_and_keeps_the_order():
    source = {f"s{i}": i for i in range(100)}
    target = {f"t{i}": i for i in range(100)}
    entries = lexicon(*((f"s{i}", f"t{i}", 1) for i in range(100)))
    sample = [build_anchors(entries, source, target, AnchorRules(size=10, seed=seed)) for seed in (1, 1, 2)]
    assert sample[0] == sample[1] != sample[2]
    rows = [anchor.source_row for anchor in sample[0]]
    assert len(rows) == 10
    assert rows == sorted(rows)
    nearly_all = build_anchors(entries, source, target, AnchorRules(size=99))
    assert len({anchor.source_row for anchor in nearly_all}) == 99


def test_a_smaller_sample_of_pairs_is_part_of_a_larger_one():
    source, target = ({f"{side}{i}": i for i in range(1000)} for side in "st")
    entries = lexicon(*((f"s{i}", f"t{i}", 1) for i in range(1000)))
    few, many = (build_anchors(entries, source, target, AnchorRules(size=size, seed=3)) for size in (50, 200))
    assert len(few) == 50 and set(few) < set(many)


def test_no_anchor_at_all_is_one_clear_line():
    with pytest.raises(InputError, match="no anchors: none of 1 lexicon pairs"):
        build_anchors(lexicon(("wolf", "wolf", 1)), SOURCE, TARGET, AnchorRules())


def test_whole_words_leave_out_pieces_and_special_tokens():
    tokens = ["[PAD]", "[UNK]", "dog", "##s", "cat"]
    assert whole_words(tokens, ["[PAD]", "[UNK]"]) == {"dog": 2, "cat": 4}


def test_the_table_keeps_order_and_columns():
    anchors = build_anchors(lexicon(("run", "laufen", 2), ("the", "der", 1)), SOURCE, TARGET, AnchorRules())
    table = anchors_table(anchors).to_pydict()
    assert table["source"] == ["the", "run"]
    assert table["target_row"] == [0, 4]


def test_a_word_whose_translation_is_taken_finds_another():
    # "dog" takes hund first; hound must not be lost, because it also means koeter.
    target = {**TARGET, "koeter": 9}
    entries = lexicon(("dog", "hund", 1), ("hound", "hund", 1), ("hound", "koeter", 1))
    anchors = build_anchors(entries, SOURCE, target, AnchorRules())
    assert pairs(anchors) == [("dog", "hund"), ("hound", "koeter")]


def test_target_words_are_folded_for_lower_cased_vectors():
    entries = lexicon(("dog", "Hund", 1))
    assert pairs(build_anchors(entries, SOURCE, TARGET, AnchorRules(fold_target=True))) == [("dog", "hund")]
    with pytest.raises(InputError):
        build_anchors(entries, SOURCE, TARGET, AnchorRules())


def test_by_source_a_target_word_serves_several_source_words():
    # MUSE's "sie": you, she and they.
    entries = lexicon(("dog", "hund", 1), ("hound", "hund", 1), ("cat", "kater", 1), ("cat", "katze", 1))
    anchors = build_anchors(entries, SOURCE, TARGET, AnchorRules(pairing="by-source"))
    assert pairs(anchors) == [("dog", "hund"), ("hound", "hund"), ("cat", "katze")]


def test_pairs_are_confirmed_before_the_sample_is_drawn():
    source = {f"s{i}": i for i in range(100)}
    target = {f"t{i}": i for i in range(100)}
    entries = lexicon(*((f"s{i}", f"t{i}", 1) for i in range(100)))
    anchors = build_anchors(entries, source, target, AnchorRules(size=40), lambda pairs: pairs[:50])
    assert len(anchors) == 40
    assert all(anchor.source_row < 50 for anchor in anchors)


def test_the_package_knows_function_words_and_no_others():
    words = stop_words("package", "en", FREQUENT)
    assert {"the", "of", "and", "not", "is", "they", "because"} <= words
    # Longer lists contain words that carry sentiment, which reviews cannot do without.
    assert not words & {"", "dog", "good", "great", "best", "computer"}
    assert "nicht" in stop_words("package", "de", FREQUENT)


def test_a_language_without_a_list_is_one_clear_line():
    with pytest.raises(InputError, match=r"anchors: stop_words: the package has no list for 'qaa'"):
        stop_words("package", "qaa", FREQUENT)


def test_a_number_takes_the_most_frequent_words():
    assert stop_words(2, "qaa", iter(FREQUENT)) == {"the", "of"}
    assert stop_words(0, "qaa", iter(FREQUENT)) == frozenset()


def test_words_are_taken_as_they_are():
    assert stop_words(["dog"], "qaa", FREQUENT) == {"dog"}
    assert stop_words([], "qaa", FREQUENT) == frozenset()
