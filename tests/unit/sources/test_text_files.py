"""Texts, whole and cut at every byte: plain, and in all shapes that .xz and .gz files come in."""

import gzip
import io
import lzma
from base64 import b64decode

import pytest

from xstitch.core.errors import InputError
from xstitch.core.integrity import DamageError
from xstitch.sources.text_files import DAMAGED, check_head, is_cut, open_text

TEXT = "première ligne\nzwei Wörter\n\n第三行\nлиния\n".encode()
# Made by `xz --block-size=16 --check=crc32`: Python's own module writes no blocks.
BLOCKS = b64decode(
    "/Td6WFoAAAFpIt42AgAhARYAAAB0L+WjAQAPcHJlbWnDqHJlIGxpZ25lCgC5Z4mVAgAhARYAAAB0L+WjAQAPendlaSBXw7ZydGVyCgrnrAAH"
    "GWW7AgAhARYAAAB0L+WjAQAPrOS4ieihjArQu9C40L3QuAD4L1YUAgAhARYAAAB0L+WjAQAC0Y8KAACP68QvAAQkECQQJBAXAwAAiaXNCJvj"
    "UUADAAAAAAFZWg=="
)
HALVES = TEXT[:20], TEXT[20:]
PACKED = {
    "plain": TEXT,
    "xz": lzma.compress(TEXT),
    "xz of four blocks": BLOCKS,
    "xz of two streams": b"".join(map(lzma.compress, HALVES)),
    "gz": gzip.compress(TEXT, mtime=0),
    "gz of two members": b"".join(gzip.compress(half, mtime=0) for half in HALVES),
}
ONE_STREAM = ["xz", "xz of four blocks", "gz"]


def read(path, data, head=None):
    path.write_bytes(data)
    with open_text(path, head) as stream:
        return stream.read()


def readable(data):
    """What Python's own readers get out of a file, one byte at a time, before they notice that it is cut."""
    opener = lzma.open if data[:1] == b"\xfd" else gzip.open if data[:1] == b"\x1f" else lambda file: file
    text = b""
    try:
        with opener(io.BytesIO(data)) as stream:
            while byte := stream.read(1):
                text += byte
    except (EOFError, gzip.BadGzipFile):
        pass
    return text


@pytest.mark.parametrize("kind", PACKED)
def test_a_file_cut_at_any_byte_has_its_complete_lines_whether_the_rest_is_missing_or_ignored(tmp_path, kind):
    data, path, lines = PACKED[kind], tmp_path / "t", set()
    for head in range(6, len(data) + 1):
        expected = readable(data[:head])
        expected = expected[: expected.rfind(b"\n") + 1]
        assert read(path, data[:head], head) == read(path, data, head) == expected
        assert TEXT.startswith(expected)
        lines.add(expected.count(b"\n"))
    assert lines >= {0, 5}
    if "of" in kind or kind == "plain":
        assert len(lines) > 2  # it was cut between lines, too
    assert read(path, data) == read(path, data, len(data) + 1) == TEXT


@pytest.mark.parametrize("kind", ONE_STREAM)
def test_only_a_file_with_all_bytes_of_its_head_may_end_early(tmp_path, kind):
    data = PACKED[kind]
    for size in range(6, len(data)):
        for head in (None, size + 1, len(data) + 1):
            with pytest.raises(EOFError, match="ended before"):
                read(tmp_path / "t", data[:size], head)


def test_a_file_is_cut_if_it_reaches_its_head(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(bytes(10))
    assert [is_cut(path, head) for head in (None, 9, 10, 11)] == [False, True, True, False]


@pytest.mark.parametrize("kind", ["xz of two streams", "gz of two members"])
@pytest.mark.parametrize("zeros", [4, 5000])
def test_streams_may_have_zeros_between_and_behind_them(tmp_path, kind, zeros):
    pack = lzma.compress if kind.startswith("xz") else gzip.compress
    data = b"".join(pack(half) + bytes(zeros) for half in HALVES)
    assert read(tmp_path / "t", data) == TEXT


@pytest.mark.parametrize("kind", ["xz of two streams", "gz of two members"])
def test_damage_within_the_head_is_refused(tmp_path, kind):
    data, path = bytearray(PACKED[kind]), tmp_path / "t"
    first = data.index(PACKED[kind][:6], 1)  # of the second stream
    data[first - 14] ^= 0xFF  # in a checksum, or what it covers
    head = len(data) - 10
    with pytest.raises(DAMAGED):
        read(path, bytes(data), head)
    path.write_bytes(data[:head])
    with pytest.raises(DamageError, match=r"^the head of the file is corrupt \("):
        check_head(path, f"t.{kind[:2]}")
    path.write_bytes(PACKED[kind][:head])
    check_head(path, f"t.{kind[:2]}")


def test_other_content_is_refused_by_the_name_of_the_file(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(TEXT)
    check_head(path, "t.txt")
    for name in ("t.txt.xz", "t.txt.gz"):
        with pytest.raises(DamageError, match="the head of the file is corrupt"):
            check_head(path, name)
    with pytest.raises(InputError, match=r"neither an .xz or .gz file nor plain UTF-8 text"):
        read(path, b"BZh9\0", 3)


def test_a_line_without_an_end_does_not_fill_the_memory(tmp_path):
    with open_text(_packed(tmp_path / "t", b"x" * (20 << 20)), 3000) as stream:
        assert len(stream.readline((1 << 24) + 1)) == (1 << 24) + 1


def _packed(path, text):
    path.write_bytes(lzma.compress(text))
    return path
