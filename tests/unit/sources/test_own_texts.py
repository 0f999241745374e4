"""The user's own labelled texts."""

import re

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.tasks import tsv
from xstitch.sources.tasks.rows import Example

TASK = {"labels": ["good", "bad"]}


def texts(path, content, split="test"):
    path.write_bytes(content.encode())
    return list(tsv.read({"test": str(path)}, split, TASK))


def test_texts_are_read_with_or_without_a_header(tmp_path):
    rows = "1\tgood\tso  be it\n\n2\tbad\tნუ\r\n"
    expected = [Example("1", "good", "so  be it"), Example("2", "bad", "ნუ")]
    assert texts(tmp_path / "a", rows) == expected
    assert texts(tmp_path / "a", "ID\tLabel\tText\n" + rows) == expected
    assert texts(tmp_path / "a", "\ufeff" + rows.removesuffix("\r\n")) == expected


def test_a_split_without_a_file_is_empty(tmp_path):
    assert texts(tmp_path / "a", "1\tgood\tx\n", split="train") == []


def test_labels_are_in_the_order_of_the_configuration():
    assert tsv.labels(TASK) == ("good", "bad")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\tgood\tx\n2\tbad\n", ":2: 'id TAB label TAB text' expected, not '2\\tbad'"),
        ("1\tgood\tx\ty\n", ":1: 'id TAB label TAB text' expected"),
        ("1\tgood\t \n", ":1: 'id TAB label TAB text' expected"),
        ("1\tgood\tx\n2\tugly\tx\n", ":2: label 'ugly' is not one of good, bad"),
        ("1\tgood\tx\n\n1\tbad\ty\n", ":3: id '1' is already on line 1"),
        ("id\tlabel\ttext\n", ": holds no text"),
    ],
)
def test_a_mistake_is_refused_in_one_line_that_names_it(tmp_path, content, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        texts(tmp_path / "a.tsv", content)
    assert "\n" not in str(caught.value)
    assert "a.tsv" in str(caught.value)
