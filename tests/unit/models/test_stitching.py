"""Stitching: a complete folder that the transformers pipeline runs on target-language text."""

import json

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    pipeline,
)

from xstitch.encoders.folders import save_model
from xstitch.encoders.pretraining import wrap
from xstitch.encoders.settings.pretraining import EncoderSettings
from xstitch.encoders.special_tokens import special_tokens, special_words
from xstitch.encoders.wordpiece import train_wordpiece
from xstitch.models.stitching import stitch_model, word_tokenizer
from xstitch.training.history import History
from xstitch.training.schedule import Schedule

WORDS = ["ძაღლი", "კატა", "სახლი", "ძაღლ", "[UNK]"]
SPECIAL = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Make the folder of a fine-tuned source model, with random weights."""
    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    tokenizer = train_wordpiece(["the dog runs", "a cat sleeps"] * 5, 60, False)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        id2label={0: "animal", 1: "house"},
        label2id={"animal": 0, "house": 1},
    )
    settings = EncoderSettings(Schedule(learning_rate=1.0, steps=1), max_length=32)
    save_model(folder, BertForSequenceClassification(config), wrap(tokenizer, settings), History())
    return folder


@pytest.fixture(scope="module")
def embeddings():
    return np.random.default_rng(0).normal(size=(len(WORDS), 16)).astype("f4")


@pytest.fixture(scope="module")
def stitched(model, embeddings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "stitched"
    stitch_model(model, WORDS, embeddings, folder)
    return folder


def test_the_pipeline_loads_and_runs_on_target_text(stitched):
    classify = pipeline("text-classification", model=str(stitched))
    answers = classify(["ძაღლი კატა", "სახლი"])
    assert {answer["label"] for answer in answers} <= {"animal", "house"}
    assert classify("ძაღლი")[0]["score"] != classify("სახლი")[0]["score"]


def test_the_body_comes_from_the_source_model_and_the_table_from_the_target(model, stitched, embeddings):
    before = AutoModelForSequenceClassification.from_pretrained(model)
    after = AutoModelForSequenceClassification.from_pretrained(stitched)
    tokenizer = AutoTokenizer.from_pretrained(stitched)
    old_rows = AutoTokenizer.from_pretrained(model).get_vocab()
    old_table, new_table = (m.get_input_embeddings().weight.detach().numpy() for m in (before, after))
    assert after.config.vocab_size == len(new_table) == 5 + 4  # [UNK] among the vectors is not a word
    for token in SPECIAL.values():
        np.testing.assert_array_equal(new_table[tokenizer.get_vocab()[token]], old_table[old_rows[token]])
    np.testing.assert_array_equal(new_table[tokenizer.get_vocab()["კატა"]], embeddings[1])
    for (name, old), (_, new) in zip(before.named_parameters(), after.named_parameters(), strict=True):
        if "word_embeddings" not in name:
            assert torch.equal(old, new)


def test_a_text_is_answered_like_its_embeddings(stitched):
    # The same body must give the same answer when fed the embeddings directly.
    model = AutoModelForSequenceClassification.from_pretrained(stitched).eval()
    inputs = AutoTokenizer.from_pretrained(stitched)("სახლი კატა", return_tensors="pt")
    table = model.get_input_embeddings().weight
    tokens = [2, 5 + 2, 5 + 1, 3]  # [CLS] house cat [SEP]
    assert inputs["input_ids"].tolist() == [tokens]
    with torch.inference_mode():
        direct = model(inputs_embeds=table[tokens].unsqueeze(0)).logits
        np.testing.assert_allclose(model(**inputs).logits, direct, atol=1e-6)


def test_unknown_words_split_into_the_longest_known_ones():
    tokenizer = word_tokenizer(["sun", "sunflower", "oil", "s"], SPECIAL)
    assert tokenizer.encode("Sunflower sunoil moon").tokens == [
        "[CLS]",
        "sunflower",
        "sun",
        "oil",
        "[UNK]",
        "[SEP]",
    ]


def test_words_that_corpora_keep_whole_stay_whole_if_they_have_a_vector():
    tokenizer = word_tokenizer(["don't", "3.5", "l-ktieb", "don", "'", "3", ".", "won", "the,"], SPECIAL)
    assert tokenizer.encode("(Don't) 3.5 l-ktieb.", add_special_tokens=False).tokens == [
        *("[UNK]", "don't", "[UNK]", "3.5", "l-ktieb", ".")
    ]
    # Without a vector of their own, such words are their parts; "the," is no word of a corpus.
    assert tokenizer.encode("won't 3.3 the,", add_special_tokens=False).tokens == [
        *("won", "'", "[UNK]", "3", ".", "3", "[UNK]", "[UNK]")
    ]
    # Not within longer words.
    assert "3.5" not in tokenizer.encode("13.55 x3.5", add_special_tokens=False).tokens


def test_whole_words_survive_saving_and_loading(model, tmp_path):
    words = ["rock-n-roll", "o'clock", "rock"]
    stitch_model(model, words, np.eye(3, 16, dtype="f4"), tmp_path / "out")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out")
    assert tokenizer.tokenize("Rock-n-Roll at 5 o'clock") == ["rock-n-roll", "[UNK]", "[UNK]", "o'clock"]
    assert len(tokenizer) == 5 + 3


def test_case_follows_the_vectors():
    assert word_tokenizer(["Hund", "tag"], SPECIAL).encode("Hund hund").tokens[1:3] == ["Hund", "[UNK]"]


def test_labels_and_tokenizer_are_complete(stitched):
    assert json.loads((stitched / "config.json").read_text())["id2label"] == {"0": "animal", "1": "house"}
    assert Tokenizer.from_file(str(stitched / "tokenizer.json")).token_to_id("[PAD]") == 0
    assert special_tokens(stitched) == SPECIAL


def test_special_tokens_are_found_in_any_folder(model, stitched):
    assert sorted(special_words(model)) == sorted(special_words(stitched)) == sorted(SPECIAL.values())
