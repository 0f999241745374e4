"""Generated files: readable by our own readers, as large as the real ones, the same on every run."""

import json
from itertools import pairwise

import numpy as np
import pytest
from data_sets import marc, muse, squad
from model_folders import ENCODERS, Encoder, write_encoder, write_tokenizer
from transformers import AutoModelForMaskedLM, AutoTokenizer
from vector_files import vectors, write_fasttext, write_text, write_word2vec
from words import FREQUENT, sentences, texts, words

from xstitch.sources.tasks import marc as marc_reader
from xstitch.vectors.formats.read import read_vectors

FEW = 300  # words


def test_words_of_all_languages_differ_and_are_alphabetic():
    known = [name for lang in ("en", "de", "es", "nds") for name in words(lang)]
    assert len(known) == len(set(known)) == 4 * 200_000
    assert all(name.isalpha() and name.isascii() and len(name) > 4 for name in known[:1000])


def test_texts_have_their_length_and_differ_by_name():
    first, second = (list(texts("en", name, 3, 50)) for name in ("one", "two"))
    assert [len(text.split()) for text in first] == [50, 50, 50]
    assert first == list(texts("en", "one", 3, 50)) and not set(first) & set(second)
    assert next(sentences("en", "one", 1, 50)) == f"{first[0]} ."


def test_frequent_words_are_frequent():
    counts = np.unique(" ".join(texts("en", "counts", 200, 200)).split(), return_counts=True)
    by_word = dict(zip(*counts, strict=True))
    ranks = [sum(by_word.get(name, 0) for name in words("en", size)) for size in (141, FREQUENT)]
    assert 0.45 < ranks[0] / ranks[1] < 0.55  # half of the tokens are of the first sqrt(20,000) words


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("v.vec", write_text),
        ("v.vec.gz", write_text),
        ("v.bin", write_word2vec),
        ("model.bin", write_fasttext),
    ],
)
def test_vectors_are_read_as_written(tmp_path, name, write):
    options = {"buckets": 1000} if write is write_fasttext else {}
    write(tmp_path / name, "de", 20, FEW, **options)
    table = read_vectors(tmp_path / name, 200)
    assert list(table.words) == words("de", 200)
    expected = vectors("de", 20, FEW)[:200]
    if (
        write is write_fasttext
    ):  # the mean with the zero vectors of n-grams: shorter, but of the same direction
        cosines = np.einsum("ij,ij->i", table.matrix, expected)
        cosines /= np.linalg.norm(table.matrix, axis=1) * np.linalg.norm(expected, axis=1)
        np.testing.assert_allclose(cosines, 1, atol=1e-5)
    else:
        np.testing.assert_allclose(table.matrix, expected, atol=6e-5)


def test_languages_are_rotations_of_each_other():
    first, second = (vectors(lang, 20, 2000) for lang in ("en", "de"))
    u, _, v = np.linalg.svd(first.T @ second)
    rest = np.linalg.norm(first @ (u @ v) - second) / np.linalg.norm(second)
    assert rest < 0.3 < np.linalg.norm(first - second) / np.linalg.norm(second)


@pytest.mark.parametrize("name", [name for name, encoder in ENCODERS.items() if encoder.vocabulary])
def test_tokenizers_have_the_real_size_and_know_frequent_words(tmp_path, name):
    encoder = ENCODERS[name]
    write_tokenizer(tmp_path, encoder)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    assert len(tokenizer) == encoder.vocabulary
    pieces = tokenizer.tokenize(words("en", 7)[6])
    assert len(pieces) == 1 or encoder.kind == "roberta"
    ids = tokenizer(next(sentences("en", "ids", 1, 30)))["input_ids"]
    assert max(ids) < encoder.vocabulary and tokenizer.unk_token_id not in ids


def test_an_encoder_is_a_folder_that_transformers_loads(tmp_path):
    size = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64}
    write_encoder(tmp_path, Encoder("xlm-roberta", 2000, size, ("en", "de")), layers=1)
    model = AutoModelForMaskedLM.from_pretrained(tmp_path)
    assert tuple(model.get_input_embeddings().weight.shape) == (2000, 32)


def test_reviews_fill_what_a_model_reads(tmp_path):
    file = tmp_path / "dataset_de_test.json"
    file.write_bytes(marc("test/dataset_de_test.json"))
    task = {"classes": 5, "fields": ["review_title", "review_body"], "language": "de"}
    rows = list(marc_reader.read({"test": str(file)}, "test", task))
    assert len(rows) == 8 and {row.label for row in rows} == set("12345")
    assert min(len(row.text.split()) for row in rows) > 512


def test_a_dictionary_has_as_many_known_words_as_the_paper_has_anchors():
    pairs = [line.split() for line in muse("de-en.txt").decode().splitlines()]
    known = set(words("en", 28_000))
    assert sum(english in known for _, english in pairs) == 6731
    assert len(pairs) == 60_000


def test_answers_are_where_they_are_said_to_be():
    (article,) = json.loads(squad("train-v1.1.json"))["data"]
    for paragraph in article["paragraphs"]:
        answer = paragraph["qas"][0]["answers"][0]
        assert paragraph["context"][answer["answer_start"] :].startswith(answer["text"])
    assert all(one != two for one, two in pairwise(p["context"] for p in article["paragraphs"]))
