"""Taxi1500, and joining it to verse-aligned Bibles."""

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.tasks.taxi1500 import BOOKS, join_verses, read_labelled, verse_reference


def test_verse_numbers_become_references():
    assert len(BOOKS) == 66
    assert verse_reference("40005003") == "MAT 5:3"
    assert verse_reference("1001001") == "GEN 1:1"
    assert verse_reference("66022021") == "REV 22:21"


@pytest.mark.parametrize("wrong", ["67001001", "4000500", "x0005003", "00001001", ""])
def test_impossible_verse_numbers_are_refused(wrong):
    if wrong == "4000500":  # seven digits: book 4
        assert verse_reference(wrong) == "NUM 0:500"
    else:
        with pytest.raises(ValueError, match=r"verse number|no book"):
            verse_reference(wrong)


@pytest.fixture
def bible(tmp_path):
    (tmp_path / "vref.txt").write_text("GEN 1:1\nGEN 1:2\nMAT 5:3\nMAT 5:4\n", encoding="utf-8")
    (tmp_path / "verses.txt").write_text("im anfang\n\nselig\x0bsind\n<range>\n", encoding="utf-8")
    return tmp_path


def labelled(folder, *lines):
    path = folder / "eng_train.tsv"
    path.write_text("\n".join(lines), encoding="utf-8")  # the real files end without a newline
    return path


def test_labels_are_joined_and_missing_verses_left_out(bible):
    path = labelled(
        bible, "40005003\tFaith\tblessed", "1001002\tSin\tvoid", "40005004\tSin\tmourn", "1001001\tGrace\tx"
    )
    joined = list(join_verses(path, bible / "vref.txt", bible / "verses.txt"))
    assert joined == [("40005003", "Faith", "selig\x0bsind"), ("1001001", "Grace", "im anfang")]


def test_a_bible_that_is_not_aligned_is_refused(bible):
    (bible / "verses.txt").write_text("one\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"1 lines, but .* has 4"):
        list(join_verses(labelled(bible, "1001001\tSin\tx"), bible / "vref.txt", bible / "verses.txt"))


def test_a_verse_that_the_bible_lacks_is_named(bible):
    with pytest.raises(InputError, match=r"eng_train.tsv:1: verse '66022021'"):
        list(join_verses(labelled(bible, "66022021\tSin\tx"), bible / "vref.txt", bible / "verses.txt"))


@pytest.mark.parametrize(
    ("line", "message"), [("1001001\tSin", "not 2 fields"), ("1001001\tHope\tx", "'Hope' is not one of")]
)
def test_bad_lines_are_named(bible, line, message):
    with pytest.raises(InputError, match=rf"eng_train.tsv:2: .*{message}"):
        list(read_labelled(labelled(bible, "1001001\tSin\tx", line)))
