"""`xstitch check`: what files are, how much they hold, what is wrong; by hand-made files."""

import gzip
import lzma

import numpy as np
import pytest
from click.testing import CliRunner

from xstitch.command.check import check
from xstitch.command.file_kinds import kind_of

VECTORS = "3 10\n" + "".join(f"{word} {' '.join(['0.5'] * 10)}\n" for word in ("el", "perro", "gato"))
DICTIONARY = "dog\tperro\ncat\tgato\ndog\tperro\nhot dog\tperrito\n"
TASK = "id\tlabel\ttext\n1\tgood\tel perro\n2\tbad\tel gato\n3\tgood\tla casa\n"
LITTLE = "little text: vectors trained on it will be poor; a few hundred thousand words are a start"
TEXTS = "El perro corre.\nEl gato duerme.\n\nOtro documento.\n"


def checked(*arguments):
    result = CliRunner().invoke(check, list(map(str, arguments)), standalone_mode=False)
    return result.return_value, result.stdout.splitlines(), result.stderr.splitlines()


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.vec", VECTORS, "vectors"),
        ("a.txt", VECTORS, "vectors"),
        ("a.txt", VECTORS.partition("\n")[2], "vectors"),
        ("a.tsv", DICTIONARY, "dictionary"),
        ("a.tsv", "source\ttarget\tscore\ndog\tperro\t3\n", "dictionary"),
        ("a.txt", "dog perro\ncat gato\n", "dictionary"),
        ("a.tsv", TASK, "task"),
        ("a.tsv", "1\tgood\t3.5\n2\tbad\tel gato\n", "task"),
        ("a.txt", TEXTS, "texts"),
        ("a.txt", "Uno\n", "texts"),
    ],
)
def test_a_file_is_known_by_its_content(tmp_path, name, content, kind):
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert kind_of(tmp_path / name) == kind


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_compressed_file_is_known_too(tmp_path, pack):
    (tmp_path / "packed").write_bytes(pack(TASK.encode()))
    # Only texts may be compressed without a suffix that says so: a run refuses compressed task files.
    assert kind_of(tmp_path / "packed") in ("task", "vectors")
    (tmp_path / "text.txt.gz").write_bytes(gzip.compress(TEXTS.encode()))
    assert kind_of(tmp_path / "text.txt.gz") == "texts"


def test_rows_are_counted(tmp_path):
    files = {"v.vec": VECTORS, "d.tsv": DICTIONARY, "t.tsv": TASK, "x.txt": TEXTS}
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    code, lines, errors = checked(*(tmp_path / name for name in files))
    assert (code, errors) == (0, [])
    assert lines == [
        f"{tmp_path}/v.vec: vectors, 3 words of 10 dimensions, lower case",
        f"{tmp_path}/d.tsv: dictionary, 4 pairs of 3 and 3 words",
        "  warning: 1 pairs have several words on a side; only single words become anchors",
        "  warning: 1 pairs are there more than once",
        f"{tmp_path}/t.tsv: labelled texts, 3 texts of 2 labels: good 2, bad 1",
        "  warning: labels with one text only: bad; are they spelled correctly?",
        f"{tmp_path}/x.txt: texts, 11 words and marks on 3 lines, documents: 2",
        f"  warning: {LITTLE}",
    ]


@pytest.mark.parametrize(
    ("name", "content", "kind", "message"),
    [
        ("d.tsv", b"dog\tperro\ncat\n", "dictionary", "d.tsv:2: 'source TAB target [TAB score]' expected"),
        ("d.tsv", b"dog\tperro\tmuch\n", "dictionary", "d.tsv:1: the score 'much' is not a finite number"),
        ("t.tsv", b"1\ta\tb\n1\ta\tc\n", "task", "t.tsv:2: id '1' is already on line 1"),
        ("t.tsv", b"1\ta\tb\n2\ta\n", "task", "t.tsv:2: 'id TAB label TAB text' expected"),
        ("x.txt", b"a\n\xff\n", "texts", "x.txt: neither an .xz or .gz file nor plain UTF-8 text"),
        ("x.txt", b"\n \n", "texts", "x.txt: the file is empty"),
        ("v.vec", b"2 3\na 1 2 3\nb 1 2\n", "vectors", "v.vec:3: "),
        ("v.vec", b"", "vectors", "v.vec: the file is empty"),
    ],
)
def test_what_a_run_would_refuse_is_one_line(tmp_path, name, content, kind, message):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "fine.txt").write_text(TEXTS, encoding="utf-8")
    code, lines, errors = checked("--as", kind, tmp_path / name)
    assert (code, lines) == (1, [])
    (line,) = errors
    assert line.startswith(f"error: {tmp_path}/{message}")
    # The other files are checked nevertheless.
    code, lines, _ = checked(tmp_path / "no.txt", tmp_path / "fine.txt")
    assert code == 1
    assert lines[0].startswith(f"{tmp_path}/fine.txt: texts, ")


def test_text_is_not_held_in_memory(tmp_path, monkeypatch):
    held = []

    class Line(str):
        def __del__(self):
            held.append(-1)

    def lines(_):
        for number in range(1000):
            held.append(1)
            assert sum(held) < 5
            yield number, Line("a few words")

    monkeypatch.setattr("xstitch.command.file_kinds.text_lines", lines)
    (tmp_path / "x.txt").touch()
    _, (first, *_), _ = checked("--as", "texts", tmp_path / "x.txt")
    assert "3,000 words and marks on 1,000 lines" in first


def test_binary_vectors_are_read(tmp_path):
    row = np.ones(4, dtype="f4").tobytes()
    (tmp_path / "v.bin").write_bytes(b"2 4\nperro " + row + b"\ngato " + row + b"\n")
    assert checked(tmp_path / "v.bin")[1] == [
        f"{tmp_path}/v.bin: vectors, 2 words of 4 dimensions, lower case"
    ]
