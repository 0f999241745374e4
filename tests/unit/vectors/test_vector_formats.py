"""Word vectors in every format: what is read, what is left out, what is refused in one line."""

import bz2
import gzip
import lzma
import pickle
import zipfile

import fasttext
import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors

from xstitch.core.errors import InputError
from xstitch.vectors.formats import stream, text
from xstitch.vectors.formats.gensim import to_keyed_vectors, write_keyed_vectors
from xstitch.vectors.formats.read import read_vectors
from xstitch.vectors.formats.text import write_text_vectors
from xstitch.vectors.table import Vectors

WORDS = ["the", "ქართული", "語", "'", "42", "</s>"]
MATRIX = np.random.default_rng(1).normal(size=(6, 4)).astype("f4")
TEXT = b"3 2\nthe 1 2\nnew york 3 4\n. -5 6.5\n"


def written(folder, content, name="v.vec"):
    path = folder / name
    path.write_bytes(content)
    return path


def word2vec_bytes(words, matrix, header=None, row_end=b"\n"):
    rows = zip(words, matrix.astype("<f4"), strict=True)
    body = b"".join(word + b" " + row.tobytes() + row_end for word, row in rows)
    return b"%d %d\n" % (header or matrix.shape) + body


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def check_refused(path, message, limit=None):
    with pytest.raises(InputError, match=message) as caught:
        read_vectors(path, limit)
    assert "\n" not in str(caught.value)
    assert path.name in str(caught.value)


# What is read.


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", ["v.vec", "v.vec.gz", "v"])
def test_compression_is_recognised_by_content_not_by_name(tmp_path, pack, name):
    vectors = read_vectors(written(tmp_path, pack(TEXT), name))
    assert vectors.words == ["the", "new york", "."]
    np.testing.assert_array_equal(vectors.matrix, np.float32([[1, 2], [3, 4], [-5, 6.5]]))


@pytest.mark.parametrize(
    ("content", "words", "matrix"),
    [
        (b"a 1 2\nb 3 4\n", "a|b", [[1, 2], [3, 4]]),  # GloVe
        (b". . . 1 2\nb 3 4\nc 5 6", ". . .|b|c", [[1, 2], [3, 4], [5, 6]]),  # also without a final line end
        (b"2 2 \na 1 2 \nb 3 4 \n", "a|b", [[1, 2], [3, 4]]),
        (b"2 2\r\na 1 2\r\nb 3 4 \r\n", "a|b", [[1, 2], [3, 4]]),
        (b"\xef\xbb\xbf2 2\na 1 2\nb 3 4\n", "a|b", [[1, 2], [3, 4]]),
        (b"2 2\na\t1\t2\nb\t3\t4\n", "a|b", [[1, 2], [3, 4]]),
        (b"2 2\na\t1 2\nb\t3 4\n", "a|b", [[1, 2], [3, 4]]),
        (b"2 2\na  1   2  \n\nb 3 4\n\n", "a|b", [[1, 2], [3, 4]]),
        (b"2 2\n1 0.5 2\n2 3 4e-1\n", "1|2", [[0.5, 2], [3, 0.4]]),
        (b"2 1\na 0.5\nwindows 95 0.25\n", "a|windows 95", [[0.5], [0.25]]),
        (b"2 1\na 0.5\nweb 2.0 0.125\n", "a|web 2.0", [[0.5], [0.125]]),
        ("1 2\na\u00a0b\u2028c\rd 1 2\n".encode(), "a\u00a0b\u2028c\rd", [[1, 2]]),
        (b"2 1\na +1\nb .5\n", "a|b", [[1], [0.5]]),
    ],
)
def test_dialects_of_text_are_read(tmp_path, content, words, matrix):
    vectors = read_vectors(written(tmp_path, content))
    assert vectors.words == words.split("|")
    np.testing.assert_array_equal(vectors.matrix, np.float32(matrix))
    assert vectors.matrix.dtype == np.float32


def test_rows_across_blocks_are_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK", 37)
    lines = [f"w{i} {i} {i / 8}" for i in range(200)]
    vectors = read_vectors(written(tmp_path, "\n".join(["200 2", *lines]).encode()))
    assert vectors.words == [f"w{i}" for i in range(200)]
    np.testing.assert_array_equal(vectors.matrix[:, 1], np.arange(200, dtype="f4") / 8)
    binary = word2vec_bytes([word.encode() for word in vectors.words], vectors.matrix)
    again = read_vectors(written(tmp_path, binary, "v.bin"))
    assert again.words == vectors.words
    np.testing.assert_array_equal(again.matrix, vectors.matrix)


def test_decimals_are_rounded_to_float32_once(tmp_path):
    # As float64 halfway between two float32, in truth above: rounding twice would give 1.
    vectors = read_vectors(written(tmp_path, b"1 1\na 1.00000005960464478\n"))
    assert vectors.matrix[0, 0] == np.float32(1) + np.finfo("f4").eps


@pytest.mark.parametrize("row_end", [b"\n", b""])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_word2vec_binary_is_read(tmp_path, row_end, pack):
    content = word2vec_bytes([word.encode() for word in WORDS], MATRIX, row_end=row_end)
    vectors = read_vectors(written(tmp_path, pack(content), "v.bin"))
    assert vectors.words == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)


def test_word2vec_binary_of_gensim_is_read(tmp_path):
    to_keyed_vectors(Vectors(WORDS, MATRIX)).save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    vectors = read_vectors(tmp_path / "v.bin")
    assert vectors.words == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)


@pytest.mark.parametrize("limit", [1 << 30, 1])
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_keyed_vectors_of_gensim_are_read(tmp_path, limit, protocol):
    path = tmp_path / "v.kv"
    to_keyed_vectors(Vectors(WORDS, MATRIX)).save(str(path), sep_limit=limit, pickle_protocol=protocol)
    vectors = read_vectors(path)
    assert vectors.words == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)
    assert read_vectors(path, 2).words == WORDS[:2]


def test_a_zip_with_one_file_or_one_vec_is_read(tmp_path):
    one = zipped(tmp_path / "one.zip", [("folder/v.txt", TEXT), ("__MACOSX/v.txt", b"junk")])
    wiki = zipped(tmp_path / "wiki.zip", [("wiki.bin", b"model"), ("wiki.vec", TEXT)])
    assert read_vectors(one).words == read_vectors(wiki).words == ["the", "new york", "."]


# fastText models.


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fasttext")
    text = folder / "text.txt"
    text.write_text("der Bär läßt 語言 ქართული x\n" * 30, encoding="utf-8")
    trained = fasttext.train_unsupervised(
        str(text), dim=5, minn=1, maxn=4, bucket=50, minCount=1, epoch=1, thread=1, verbose=0
    )
    trained.save_model(str(folder / "m.bin"))
    return trained, folder / "m.bin"


def test_vectors_of_a_model_are_those_of_fasttext(model):
    trained, path = model
    vectors = read_vectors(path)
    assert vectors.words == trained.words
    assert {"</s>", "x"} <= set(vectors.words)
    expected = [trained.get_word_vector(word) for word in trained.words]
    np.testing.assert_allclose(vectors.matrix, expected, rtol=1e-5, atol=1e-7)


def test_a_limit_holds_for_a_compressed_fasttext_model(model, tmp_path):
    trained, path = model
    packed = written(tmp_path, gzip.compress(path.read_bytes()), "m.bin.gz")
    vectors = read_vectors(packed, limit=3)
    assert vectors.words == trained.words[:3]
    np.testing.assert_array_equal(vectors.matrix, read_vectors(path).matrix[:3])


def test_an_undecodable_word_of_a_fasttext_model_is_left_out(model, tmp_path, caplog):
    trained, path = model
    content = path.read_bytes().replace("Bär".encode(), b"B\xe4\xe4r")
    vectors = read_vectors(written(tmp_path, content, "m.bin"))
    assert vectors.words == [word for word in trained.words if word != "Bär"]
    assert f"1 of {len(trained.words)} rows left out: not UTF-8" in caplog.text


def test_a_fasttext_model_without_ngrams_is_read(tmp_path):
    (tmp_path / "t.txt").write_text("a b c\n" * 30)
    trained = fasttext.train_unsupervised(
        str(tmp_path / "t.txt"), dim=3, maxn=0, minCount=1, epoch=1, thread=1, verbose=0
    )
    trained.save_model(str(tmp_path / "m.bin"))
    vectors = read_vectors(tmp_path / "m.bin")
    np.testing.assert_allclose(vectors.matrix, [trained[word] for word in vectors.words], rtol=1e-6)


def test_a_supervised_fasttext_model_gives_words_and_no_labels(tmp_path):
    (tmp_path / "t.txt").write_text("__label__x good\n__label__y bad\n" * 30)
    trained = fasttext.train_supervised(str(tmp_path / "t.txt"), dim=3, epoch=1, thread=1, verbose=0)
    trained.save_model(str(tmp_path / "m.bin"))
    vectors = read_vectors(tmp_path / "m.bin")
    assert set(vectors.words) == {"good", "bad", "</s>"}
    np.testing.assert_allclose(vectors.matrix, [trained[word] for word in vectors.words], rtol=1e-6)


def test_fasttext_vectors_of_gensim_are_read(tmp_path):
    trained = FastText([["ära", "bb", "語言"]] * 5, vector_size=4, min_count=1, bucket=30, epochs=1)
    trained.wv.save(str(tmp_path / "v.kv"))
    vectors = read_vectors(tmp_path / "v.kv")
    assert vectors.words == trained.wv.index_to_key
    np.testing.assert_allclose(vectors.matrix, trained.wv.vectors, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("share", [0.03, 0.3, 0.6])
def test_a_truncated_fasttext_model_is_refused(model, tmp_path, share):
    content = model[1].read_bytes()
    # The last part of a model is the output matrix, which is not needed here.
    check_refused(written(tmp_path, content[: int(share * len(content))], "m.bin"), "m.bin: ")


def test_a_quantised_fasttext_model_is_refused(tmp_path):
    (tmp_path / "t.txt").write_text("".join(f"__label__x w{i}\n" for i in range(400)))
    trained = fasttext.train_supervised(str(tmp_path / "t.txt"), dim=4, epoch=1, thread=1, verbose=0)
    trained.quantize()
    trained.save_model(str(tmp_path / "m.ftz"))
    check_refused(tmp_path / "m.ftz", "quantised")


# What is left out, with a warning.


def test_a_wrong_header_is_reported_and_all_rows_are_read(tmp_path, caplog):
    for count in (1, 5):
        assert len(read_vectors(written(tmp_path, b"%d 1\na 1\nb 2\nc 3\n" % count)).words) == 3
        assert f"promises {count} rows, the file has 3" in caplog.text
        binary = word2vec_bytes([b"a", b"b", b"c"], MATRIX[:3], header=(count, 4))
        assert read_vectors(written(tmp_path, binary, "v.bin")).words == ["a", "b", "c"]


def test_reading_stops_at_the_limit_without_checking_the_header(tmp_path, caplog):
    vectors = read_vectors(written(tmp_path, b"9 1\na 1\na 7\nb 2\nbad line here\n"), limit=2)
    assert vectors.words == ["a", "b"]
    assert "promises" not in caplog.text


def test_the_first_of_repeated_words_wins(tmp_path, caplog):
    vectors = read_vectors(written(tmp_path, b"4 1\na 1\nb 2\na 3\na 4\n"))
    assert vectors.words == ["a", "b"]
    np.testing.assert_array_equal(vectors.matrix, [[1], [2]])
    assert "2 of 4 rows left out: repeated" in caplog.text


def test_letters_and_their_accents_are_composed(tmp_path):
    decomposed = "ti\u0065\u0302\u0301ng"
    vectors = read_vectors(written(tmp_path, f"3 1\n{decomposed} 1\nb 2\ntiếng 3\n".encode()))
    assert vectors.words == ["tiếng", "b"]
    np.testing.assert_array_equal(vectors.matrix, [[1], [2]])


def test_undecodable_and_empty_words_are_left_out(tmp_path, caplog):
    vectors = read_vectors(written(tmp_path, b"4 2\na 1 2\nk\xec\x9f 3 4\nb 5 6\n 7 8\n"))
    assert vectors.words == ["a", "b"]
    np.testing.assert_array_equal(vectors.matrix, [[1, 2], [5, 6]])
    assert "1 of 4 rows left out: not UTF-8" in caplog.text
    assert "1 of 4 rows left out: without a usable word" in caplog.text


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "NaN", "1e99"])
def test_few_rows_that_are_not_finite_are_left_out_and_many_are_refused(tmp_path, value, caplog):
    rows = [f"w{i} {i} 1" for i in range(99)]
    path = written(tmp_path, "\n".join([*rows, f"x 1 {value}"]).encode())
    assert len(read_vectors(path).words) == 99
    assert "1 of 100 rows left out: not finite" in caplog.text
    path = written(tmp_path, "\n".join([*rows[1:], f"x 1 {value}", f"y {value} 1"]).encode())
    check_refused(path, "2 of 100 rows are not finite")


# What is refused.


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", ":1: not word vectors"),
        (b"hello\n", ":1: not word vectors"),
        (b"some words of prose\nand more\n", ":1: not word vectors"),
        (b"0 2\n", "no word vectors"),
        (b"3 2", "no word vectors"),
        (b"1 0\na 1\n", ":1: a header of 0 dimensions"),
        (b"1 999999999999\na 1\n", ":1: a header of 999999999999 dimensions"),
        (b"2 2\nthe 1\n", ":2: 2 numbers expected after the word, not 1"),
        (b"2 2\na 1 2\nb 0.1 0.2 0.3\n", ":3: 2 numbers expected after the word, not 3"),
        (b"a 1 2\nb 1 2\nc 1\n", ":3: 2 numbers expected"),
        (b"1 2\nthe 1 x\n", ":2: not a number: 'x'"),
        (b"a 0.1 0.2\nb 0,1 0,2\n", ":2: not a number: '0,1'"),
        (b"2 2\na 1 2 3 4\nb 1 2 3 4\n", ":1: the header says 2 dimensions, the rows have 4"),
        (b"2 4\na 1 2\nb 1 2\n", ":1: the header says 4 dimensions, the rows have 2; correct the header"),
        (b"2 4\na 1 2\nb 1 2 3 4\n", ":2: 4 numbers expected after the word, not 2"),
        (b"1 4\na 1 2\n", ":2: 4 numbers expected after the word, not 2"),
        (b"4 1\n\xe4 1\n\xf6 2\n\xfc 3\na 4\n", "3 of 4 rows are not UTF-8; convert"),
        ("2 1\na 1\n".encode("utf-16"), "UTF-16"),
        (b"<!DOCTYPE html>\n<html>", "a web page"),
        (b"\x93NUMPY\x01\x00v\x00", "a binary file"),
        (gzip.compress(TEXT, mtime=0)[:-12], "cut short"),
        (b"\x1f\x8b broken", "damaged"),
        (b"PK\x03\x04 broken", "damaged"),
        (word2vec_bytes([b"a", b"b"], MATRIX[:2])[:-3], "cut short in row 2"),
        (word2vec_bytes([b"a", b"b"], MATRIX[:2], header=(2, 200_000)), "no usable number of dimensions"),
        (word2vec_bytes([b"a", b"b"], MATRIX[:2], header=(2, 8)), "header names the wrong number of dim"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path, content, message):
    check_refused(written(tmp_path, content), message)


def test_a_missing_file_a_folder_and_a_limit_of_zero_are_refused(tmp_path):
    check_refused(tmp_path / "none.vec", "No such file")
    check_refused(tmp_path, "Is a directory")
    check_refused(written(tmp_path, TEXT), "a limit of 0", limit=0)


def test_an_endless_line_is_refused_before_memory_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "LONGEST_LINE", 1 << 20)
    check_refused(written(tmp_path, gzip.compress(b"a" * (1 << 24)), "v.gz"), "a line of more than 1 MB")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a.50d.txt", "a.100d.txt"], "has a.50d.txt, a.100d.txt; unpack it"),
        (["../evil.vec"], "leads outside"),
        (["/etc/evil.vec"], "leads outside"),
        (["v.vec", "..\\evil"], "leads outside"),
        ([], "has none"),
    ],
)
def test_bad_zips_are_refused(tmp_path, names, message):
    check_refused(zipped(tmp_path / "v.zip", [(name, TEXT) for name in names]), message)


class Evil:
    """Makes a file when gensim unpickles it."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_a_pickle_cannot_run_anything(tmp_path, protocol):
    keyed = to_keyed_vectors(Vectors(WORDS, MATRIX))
    keyed.extra = Evil(tmp_path / "made")
    path = written(tmp_path, pickle.dumps(keyed, protocol=protocol), "v.kv")
    check_refused(path, r"asks for (_io|io)\.open")
    assert not (tmp_path / "made").exists()


def test_a_pickle_cannot_change_our_classes(tmp_path):
    # The class itself on the stack, then BUILD with slot state: setattr(class, "x", 1).
    content = b"\x80\x02cgensim.models.keyedvectors\nKeyedVectors\nN}X\x01\x00\x00\x00xK\x01s\x86b."
    check_refused(written(tmp_path, content, "v.kv"), "sets 'x' of a class")


@pytest.mark.parametrize("thing", [{"a": 1}, ["a"], KeyedVectors(3)])
def test_other_pickles_are_refused(tmp_path, thing):
    check_refused(written(tmp_path, pickle.dumps(thing), "v.kv"), "v.kv: ")


def test_a_whole_model_of_gensim_is_refused_with_the_remedy(tmp_path):
    FastText([["a", "b"]] * 5, vector_size=4, min_count=1, bucket=30, epochs=1).save(str(tmp_path / "m.kv"))
    check_refused(tmp_path / "m.kv", "model.wv.save_word2vec_format")


def test_truncated_keyed_vectors_and_a_missing_matrix_are_refused(tmp_path):
    path = tmp_path / "v.kv"
    to_keyed_vectors(Vectors(WORDS, MATRIX)).save(str(path))
    check_refused(written(tmp_path, path.read_bytes()[:-30], "cut.kv"), "not a pickle of vectors")
    to_keyed_vectors(Vectors(WORDS, MATRIX)).save(str(path), sep_limit=1)
    (tmp_path / "v.kv.vectors.npy").unlink()
    check_refused(path, "v.kv.vectors.npy; put that file there")


# Round trips.

HARD = np.float32([[1e-45, 3.4028235e38, -0.0, 0.1], [1 / 3, 16777217, 1e-7, -123456.789]])


@pytest.mark.parametrize("name", ["v.vec", "v.vec.gz"])
@pytest.mark.parametrize(
    ("words", "matrix"),
    [
        (WORDS, MATRIX),
        (["a b", " c "], HARD),
        (["\u00a0", "tab\tword"], HARD),
        (["one"], HARD[:1, :1]),
        ([f"w{i}" for i in range(12_000)], np.random.default_rng(0).normal(size=(12_000, 3)).astype("f4")),
    ],
)
def test_a_round_trip_as_text_is_exact(tmp_path, name, words, matrix):
    write_text_vectors(Vectors(words, matrix), tmp_path / name)
    again = read_vectors(tmp_path / name)
    assert again.words == words
    assert again.matrix.tobytes() == matrix.tobytes()


def test_gensim_reads_written_text(tmp_path):
    write_text_vectors(Vectors(WORDS, MATRIX), tmp_path / "v.vec")
    keyed = KeyedVectors.load_word2vec_format(str(tmp_path / "v.vec"))
    assert keyed.index_to_key == WORDS
    np.testing.assert_array_equal(keyed.vectors, MATRIX)


def test_keyed_vectors_are_written_to_one_file_that_gensim_and_we_read(tmp_path):
    large = np.random.default_rng(0).normal(size=(3000, 1000)).astype("f4")  # 12 MB: gensim splits from 10 MB
    vectors = Vectors([f"w{i}" for i in range(len(large))], large)
    path = tmp_path / "v.kv"
    write_keyed_vectors(vectors, path)
    assert [file.name for file in tmp_path.iterdir()] == ["v.kv"]
    for words, matrix in (
        (KeyedVectors.load(str(path)).index_to_key, KeyedVectors.load(str(path)).vectors),
        (read_vectors(path).words, read_vectors(path).matrix),
    ):
        assert words == vectors.words
        np.testing.assert_array_equal(matrix, large)


def test_equal_vectors_make_equal_files_for_gensim(tmp_path):
    contents = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_keyed_vectors(Vectors(WORDS, MATRIX), tmp_path / folder / "v.kv")
        contents.append((tmp_path / folder / "v.kv").read_bytes())
    assert contents[0] == contents[1]
    assert b"lifecycle_events" in contents[0] and b"saving" not in contents[0]


def test_keyed_vectors_have_the_same_rows():
    keyed = to_keyed_vectors(Vectors(WORDS, MATRIX))
    assert keyed.index_to_key == WORDS
    np.testing.assert_array_equal(keyed["語"], MATRIX[2])


@pytest.mark.parametrize("word", ["", "a\nb"])
def test_words_that_text_cannot_represent_are_refused(tmp_path, word):
    with pytest.raises(InputError, match="cannot be written as text"):
        write_text_vectors(Vectors([word], HARD[:1]), tmp_path / "v.vec")
    assert not (tmp_path / "v.vec").exists()
