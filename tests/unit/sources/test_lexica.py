"""Lexicon readers on files of every kind, good and bad."""

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.lexica import Entry, lexicon_table, read_muse, read_tsv, swapped, trusted


def write(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "lexicon.txt"
    path.write_bytes(text.encode(encoding))
    return path


def test_muse_reads_spaces_and_tabs_and_several_translations(tmp_path):
    path = write(tmp_path, "dog hund\ndog köter\ncat\tkatze\n\n")
    assert list(read_muse(path)) == [("dog", "hund", 1.0), ("dog", "köter", 1.0), ("cat", "katze", 1.0)]


def test_muse_refuses_a_line_of_three_words(tmp_path):
    with pytest.raises(InputError, match=r"lexicon.txt:2: a MUSE dictionary has two words"):
        list(read_muse(write(tmp_path, "dog hund\nice cream eis\n")))


def test_a_wrong_encoding_is_refused_in_one_line(tmp_path):
    with pytest.raises(InputError, match="not UTF-8"):
        list(read_muse(write(tmp_path, "dog köter\n", "latin-1")))


def test_tsv_accepts_a_header_scores_and_spaces_within_words(tmp_path):
    path = write(tmp_path, "\ufeffsource\ttarget\tscore\nice cream\teis\t0.5\ndog\thund\n")
    assert list(read_tsv(path)) == [("ice cream", "eis", 0.5), ("dog", "hund", 1.0)]


@pytest.mark.parametrize("line", ["dog", "dog\thund\tx", "\thund", "a\tb\t1\t2", "a\tb\tnan"])
def test_tsv_names_the_bad_line(tmp_path, line):
    with pytest.raises(InputError, match=r"lexicon.txt:2: "):
        list(read_tsv(write(tmp_path, f"cat\tkatze\n{line}\n")))


def test_a_pair_listed_twice_keeps_its_best_score():
    table = lexicon_table([Entry("a", "x", 1), Entry("b", "y", 2), Entry("a", "x", 5)])
    assert table.to_pydict() == {"source": ["a", "b"], "target": ["x", "y"], "score": [5.0, 2.0]}


def test_an_empty_lexicon_is_an_empty_table():
    assert lexicon_table([]).num_rows == 0


def test_empty_translations_are_left_out_and_counted(tmp_path, caplog):
    path = write(tmp_path, "dog\tHund\r\nhound\t\r\ncat\t\t0.5\r\n")
    assert list(read_tsv(path)) == [("dog", "Hund", 1.0)]
    assert "2 words have no translation" in caplog.text


def test_a_target_source_dictionary_is_swapped():
    assert list(swapped([Entry("hund", "dog", 2.0)])) == [("dog", "hund", 2.0)]


def test_a_threshold_keeps_scores_equal_to_it():
    # 0.7 as a float32 is below 0.7 as a float64.
    table = lexicon_table([Entry("a", "x", 0.7), Entry("b", "y", 0.69)])
    assert trusted(table, 0.7)["source"].to_pylist() == ["a"]


def test_a_threshold_that_leaves_nothing_is_refused_with_the_best_score():
    with pytest.raises(InputError, match="min_score 9 leaves no pair; the best score is 5"):
        trusted(lexicon_table([Entry("a", "x", 5)]), 9)
