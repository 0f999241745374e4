"""Links between words as a file: every pair of the corpus has its own row, left out or not."""

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.core.files import save_npz
from xstitch.encoders.linked_pairs import NO_LINKS, load_links, save_links, short_pairs
from xstitch.encoders.word_links import link_pairs


def test_pairs_with_long_or_empty_sentences_are_left_out():
    pairs = ["a b", "a b c", "a", " "], ["x", "x y", "x y z", "x"]
    assert short_pairs(*pairs, 2).tolist() == [True, False, False, False]
    assert short_pairs(*pairs, 3).tolist() == short_pairs(*pairs, None).tolist() == [True, True, True, False]


def test_links_come_back_pair_by_pair(tmp_path):
    links = [NO_LINKS, np.array([[0, 1], [2, 0]]), NO_LINKS, np.array([[3, 3]]), NO_LINKS]
    save_links(links, tmp_path / "links.npz")
    assert [found.tolist() for found in load_links(tmp_path / "links.npz", 5)] == [
        found.tolist() for found in links
    ]


def test_links_of_another_corpus_are_refused(tmp_path):
    save_links([NO_LINKS] * 3, tmp_path / "links.npz")
    with pytest.raises(InputError, match=r"links of 3 sentence pairs, not of 4; make it again"):
        load_links(tmp_path / "links.npz", 4)
    save_npz(tmp_path / "other.npz", links=NO_LINKS)
    with pytest.raises(InputError, match=r"other\.npz: has no offsets; make it again"):
        load_links(tmp_path / "other.npz", 4)


def test_pairs_left_out_have_no_links_and_teach_nothing():
    source, target = ["ka lo", "ka mi", "lo mi"] * 4, ["x y", "x z", "y z"] * 4
    alone = link_pairs(source, target, 2)
    assert [found.tolist() for found in alone] == [[[0, 0], [1, 1]]] * 12
    # Longer pairs between them say the opposite.
    longer = ["ka ka ka", *source, "lo lo lo"], ["y y y", *target, "x x x"]
    found = link_pairs(*longer, 2)
    assert [len(found[0]), len(found[-1])] == [0, 0]
    assert [links.tolist() for links in found[1:-1]] == [links.tolist() for links in alone]
    with pytest.raises(InputError, match="no sentence pair is short enough"):
        link_pairs(source, target, 1)
