"""Parallel sentences: zips and plain files, samples, and one clear line for every kind of bad file."""

import zipfile

import numpy as np
import pyarrow.parquet as pq
import pytest

from xstitch.core.errors import InputError
from xstitch.sources.parallel import draw_sample, read_moses, sample_parallel

GERMAN, ENGLISH = "Das Haus .\n\nEin Buch\u2028hier .\n", "The house .\nEmpty .\nA book here .\n"
PAIRS = [("Das Haus .", "The house ."), ("Ein Buch\u2028hier .", "A book here .")]


def write_zip(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(f"Europarl.{name}".replace("_", "-", 1).replace("_", "."), text)
    return path


def test_members_of_a_zip_are_paired_in_either_direction(tmp_path):
    # OPUS has one zip for both directions, with licence and notes next to the text.
    path = write_zip(tmp_path / "de-en.txt.zip", README="notes", de_en_de=GERMAN, de_en_en=ENGLISH)
    assert list(read_moses([path], "de", "en")) == PAIRS
    assert list(read_moses([path], "en", "de")) == [(b, a) for a, b in PAIRS]


def test_plain_files_are_paired(tmp_path):
    for name, text in (("x.de", "\ufeff" + GERMAN), ("x.en", ENGLISH.replace("\n", "\r\n"))):
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    assert list(read_moses([tmp_path / "x.de", tmp_path / "x.en"], "de", "en")) == PAIRS


def test_bad_files_are_refused_in_one_line(tmp_path):
    source, target = tmp_path / "x.de", tmp_path / "x.en"
    source.write_text(GERMAN, encoding="utf-8")
    target.write_text(ENGLISH + "More .\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.de:4: no such line, but .*x\.en has one; not aligned"):
        list(read_moses([source, target], "de", "en"))
    target.write_bytes(ENGLISH.encode() + b"caf\xe9\n")
    source.write_text(GERMAN + "Kaffee\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.en:4: not UTF-8 text .*; convert the file"):
        list(read_moses([source, target], "de", "en"))
    with pytest.raises(InputError, match=r"x\.de: not a zip archive"):
        list(read_moses([source], "de", "en"))
    with pytest.raises(InputError, match=r"no\.de: cannot be read \(No such file or directory\)"):
        list(read_moses([tmp_path / "no.de", target], "de", "en"))
    archive = write_zip(tmp_path / "de-en.txt.zip", de_en_de=GERMAN)
    with pytest.raises(InputError, match=r"one member \*\.en expected, not 0; it has Europarl\.de-en\.de"):
        list(read_moses([archive], "de", "en"))


def test_every_pair_is_equally_likely():
    pairs = [(str(n), str(-n)) for n in range(50)]
    counts = np.zeros(50)
    for seed in range(400):
        chosen = draw_sample(iter(pairs), 10, np.random.default_rng(seed))
        assert len({pair[0] for pair in chosen}) == 10
        counts[[int(pair[0]) for pair in chosen]] += 1
    # Each is expected 80 times, with a standard deviation of 8.
    assert counts.min() > 50
    assert counts.max() < 110


def test_a_sample_is_shuffled_and_its_words_are_separated_by_spaces(tmp_path):
    pairs = [(f"a{n}, b.", f"c{n}!") for n in range(100)]
    split = (lambda text: text.replace(",", " ,").replace(".", " .").split(), lambda text: [text[:-1], "!"])
    corpora = {"one": iter(pairs[:40]), "two": iter(pairs[40:])}
    assert sample_parallel(corpora, 1000, 1, split, tmp_path / "x.parquet") == {"one": 40, "two": 60}
    table = pq.read_table(tmp_path / "x.parquet").to_pydict()
    written = list(zip(table["source"], table["target"], strict=True))
    expected = [(f"a{n} , b .", f"c{n} !") for n in range(100)]
    assert sorted(written) == sorted(expected)
    assert written != expected
    with pytest.raises(InputError, match="hold no pair of sentences"):
        sample_parallel({"one": []}, 10, 1, split, tmp_path / "y.parquet")
