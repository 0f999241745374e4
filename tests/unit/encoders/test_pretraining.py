"""Pre-training: tokenizers, masks, the masked-only head, skip-gram start, and whole folders."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from killing import run_child
from safetensors.torch import load_file

from xstitch.core.errors import InputError
from xstitch.encoders import pretraining
from xstitch.encoders.pretraining import (
    language_sampler,
    mask_tokens,
    masked_loss,
    pretrain_encoder,
    smoothed_shares,
)
from xstitch.encoders.settings.pretraining import EncoderSettings
from xstitch.encoders.skipgram import train_skipgram
from xstitch.encoders.wordpiece import SPECIAL, train_wordpiece
from xstitch.training.batches import Ragged
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import Schedule

SETTINGS = EncoderSettings(
    Schedule(learning_rate=1e-3, batch_size=32, steps=20, evaluate_every=7, seed=5),
    vocabulary_size=300,
    width=16,
    max_length=16,
    dropout=0.1,
    skipgram_epochs=2,
    held_out=40,
)


def sentences(number: int, seed: int = 0) -> list[str]:
    """Draw sentences over 400 words of Zipfian frequency."""
    draw = random.Random(seed)
    syllables = [a + b for a in "bdkmnst" for b in "aeiou"]
    words = ["".join(draw.choices(syllables, k=2 + number % 3)) for number in range(400)]
    weights = [1 / (rank + 2) for rank in range(400)]
    return [" ".join(draw.choices(words, weights, k=draw.randint(4, 10))) + " ." for _ in range(number)]


def write_corpora(folder: Path) -> dict[str, Path]:
    corpora = {"qaa": folder / "qaa.parquet", "qab": folder / "qab.parquet"}
    pq.write_table(pa.table({"text": sentences(600, 0)}), corpora["qaa"], row_group_size=100)
    pq.write_table(pa.table({"text": sentences(150, 1)}), corpora["qab"])
    return corpora


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder")
    pretrain_encoder(write_corpora(folder), SETTINGS, folder / "encoder")
    return folder / "encoder"


DIGEST = """
import hashlib, sys
from xstitch.training.batches import Ragged
from xstitch.encoders.skipgram import train_skipgram
from xstitch.encoders.wordpiece import train_wordpiece
text = sys.stdin.read().splitlines()
tokenizer = train_wordpiece(text, 300, lowercase=False)
ids = Ragged.from_lists([entry.ids for entry in tokenizer.encode_batch_fast(text[:300])])
rows, vectors = train_skipgram(ids, 16, 5, 2, 1)
print(hashlib.sha256(tokenizer.to_str().encode() + rows.tobytes() + vectors.tobytes()).hexdigest())
"""


def test_tokenizer_and_vectors_are_the_same_in_every_process() -> None:
    digests = set()
    for number in ("1", "2"):
        environment = os.environ | {
            "PYTHONHASHSEED": number,
            "RAYON_NUM_THREADS": number,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        command, text = [sys.executable, "-c", DIGEST], "\n".join(sentences(2000))
        digests.add(subprocess.check_output(command, env=environment, input=text, text=True))
    assert len(digests) == 1


def test_frequent_words_are_whole_in_the_vocabulary_and_others_are_split() -> None:
    text = [*sentences(3000), "katanabo katanabos katanabot"]
    tokenizer = train_wordpiece(text, 300, lowercase=False)
    counts: dict[str, int] = {}
    for word in " ".join(text).split():
        counts[word] = counts.get(word, 0) + 1
    frequent = sorted(counts, key=lambda word: -counts[word])[:150]
    assert all(tokenizer.encode(word, add_special_tokens=False).tokens == [word] for word in frequent)
    assert tokenizer.get_vocab_size() == 300
    rare = tokenizer.encode("katanabos", add_special_tokens=False).tokens
    assert len(rare) > 1
    assert SPECIAL["unk"] not in rare
    assert tokenizer.decode(tokenizer.encode("katanabos").ids) == "katanabos"


def test_tokens_are_framed_and_split_as_bert_does() -> None:
    tokenizer = train_wordpiece(["Das Öl , das fehlt."] * 3, 100, lowercase=True)
    assert tokenizer.encode("DAS ÖL, fehlt").tokens == ["[CLS]", "das", "öl", ",", "fehlt", "[SEP]"]
    assert tokenizer.encode("das", "öl").type_ids == [0, 0, 0, 1, 1]
    assert tokenizer.encode("das 字").tokens == ["[CLS]", "das", "[UNK]", "[SEP]"]
    assert [tokenizer.token_to_id(token) for token in SPECIAL.values()] == [0, 1, 2, 3, 4]


def test_endings_are_pieces() -> None:
    stems = ["".join(letters) for letters in itertools.product("bl", repeat=4)]
    counted = [" ".join(stems)] * 50 + [" ".join(f"{stem}heit" for stem in stems)]
    size = 5 + 2 * len(set("blheit")) + 20  # room for the sixteen stems and four endings
    tokenizer = train_wordpiece(counted, size, lowercase=False)
    assert tokenizer.encode("bllbheit", add_special_tokens=False).tokens == ["bllb", "##heit"]


def test_vocabulary_too_small_for_letters_is_refused() -> None:
    with pytest.raises(InputError, match="vocabulary size 8: too small for 2 letters"):
        train_wordpiece(["abcdefgh"], 8, lowercase=False)


def test_masks_have_berts_shares() -> None:
    special = torch.zeros(1000, dtype=torch.bool)
    special[:5] = True
    ids = torch.randint(0, 1000, (400, 500), generator=torch.Generator().manual_seed(0))
    ids[:, 0], ids[:, -1] = 2, 0
    hidden, positions, targets = mask_tokens(ids, special, 4, 0.15, torch.Generator().manual_seed(1))
    assert torch.equal(ids.flatten()[positions], targets)
    assert not special[targets].any()
    untouched = torch.ones(ids.numel(), dtype=torch.bool)
    untouched[positions] = False
    assert torch.equal(hidden.flatten()[untouched], ids.flatten()[untouched])
    assert len(positions) / (~special[ids]).sum() == pytest.approx(0.15, abs=0.005)
    new = hidden.flatten()[positions]
    assert (new == 4).float().mean() == pytest.approx(0.8, abs=0.01)
    assert (new == targets).float().mean() == pytest.approx(0.1, abs=0.01)
    assert not special[new[new != 4]].any()


def test_masked_only_head_gives_the_loss_of_the_full_head(encoder: Path) -> None:
    model = pretraining.AutoModelForMaskedLM.from_pretrained(encoder).eval()
    ids = torch.randint(5, 300, (4, 9), generator=torch.Generator().manual_seed(0))
    attention = torch.ones_like(ids)
    attention[0, 5:] = 0
    special = torch.arange(300) < 5
    hidden, positions, targets = mask_tokens(ids, special, 4, 0.3, torch.Generator().manual_seed(1))
    labels = torch.full((36,), -100)
    labels[positions] = targets
    full = model(input_ids=hidden, attention_mask=attention, labels=labels.view(4, 9)).loss
    batch = {"input_ids": hidden, "attention_mask": attention, "positions": positions, "targets": targets}
    assert torch.allclose(masked_loss(model, batch), full, atol=1e-6)
    nothing = batch | {"positions": positions[:0], "targets": targets[:0]}
    assert masked_loss(model, nothing).item() == 0.0


def test_the_folder_loads_like_any_transformers_model(encoder: Path) -> None:
    from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

    names = {path.name for path in encoder.iterdir()}
    assert names >= {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    tokenizer = AutoTokenizer.from_pretrained(encoder, local_files_only=True)
    model = AutoModelForMaskedLM.from_pretrained(encoder, local_files_only=True)
    assert tokenizer.mask_token_id == 4
    assert tokenizer.model_max_length == 16
    assert len(tokenizer) == model.config.vocab_size
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight
    batch = tokenizer([sentences(1)[0], "."], padding=True, return_tensors="pt")
    assert model(**batch).logits.shape == (*batch["input_ids"].shape, len(tokenizer))
    assert AutoModel.from_pretrained(encoder, local_files_only=True).config.hidden_size == 16


def test_notes_name_the_embedding_tensor_and_the_history(encoder: Path) -> None:
    notes = json.loads((encoder / "xstitch.json").read_text())
    weights = load_file(encoder / "model.safetensors")
    assert weights[notes["input_embeddings"]].shape[1] == 16
    assert [record["step"] for record in notes["history"]["records"]] == [7, 14, 20]
    metrics = [record["metric"] for record in notes["history"]["records"]]
    assert metrics[-1] < metrics[0] < np.log(300) + 0.5


def pretrain_and_die(folder: Path, die_at: int | None) -> None:
    """Pre-train; die in the loss of an update, or survive and write the folder."""
    calls, original = 0, pretraining.masked_loss

    def loss(model: torch.nn.Module, batch: dict, reduction: str = "mean") -> torch.Tensor:
        nonlocal calls
        calls += reduction == "mean"
        if calls == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(model, batch, reduction)

    pretraining.masked_loss = loss
    checkpoint = Checkpoint(folder / "checkpoint", "x", steps=5)
    pretrain_encoder(write_corpora(folder), SETTINGS, folder / "encoder", checkpoint)


def test_killed_pretraining_ends_with_the_same_folder(encoder: Path, tmp_path: Path) -> None:
    """With dropout, masks, language sampling and skip-gram all in play."""
    for die_at in (9, 8):
        assert run_child(pretrain_and_die, tmp_path, die_at) == -signal.SIGKILL
    assert (tmp_path / "checkpoint" / "step-000000010").exists()
    assert run_child(pretrain_and_die, tmp_path, None) == 0
    assert not (tmp_path / "checkpoint").exists()
    for file in encoder.iterdir():
        assert file.read_bytes() == (tmp_path / "encoder" / file.name).read_bytes(), file.name


def test_embeddings_start_from_skipgram_vectors(tmp_path: Path) -> None:
    corpora = write_corpora(tmp_path)
    tokenizer = train_wordpiece(sentences(600), 300, lowercase=False)
    corpus = pretraining.read_corpus(corpora, tokenizer, SETTINGS)
    model = pretraining.new_model(tokenizer, SETTINGS)
    before = model.get_input_embeddings().weight.detach().clone()
    pretraining.start_from_skipgram(model, corpus.ids, SETTINGS)
    after = model.get_input_embeddings().weight.detach()
    rows, vectors = train_skipgram(corpus.ids, 16, 5, 2, 5)
    assert torch.equal(after[:5][[0, 2, 3, 4]], before[:5][[0, 2, 3, 4]])
    assert after[rows].std().item() == pytest.approx(1 / 4, rel=0.02)
    centred = vectors - vectors.mean(axis=0)
    ratio = after[rows].numpy() / centred
    assert np.allclose(ratio, ratio.flat[0], rtol=1e-3)
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight


def test_text_is_cut_into_blocks_across_sentences(tmp_path: Path) -> None:
    tokenizer = train_wordpiece(sentences(600), 300, lowercase=False)
    start, end = tokenizer.encode("").ids
    running = [
        token for text in sentences(600) for token in tokenizer.encode(text, add_special_tokens=False).ids
    ]
    expected = [[start, *running[at : at + 14], end] for at in range(0, len(running) - 13, 14)]
    for size in (600, 7):  # texts tokenised at once; a block may begin in one lot and end in the next
        lots = [sentences(600)[at : at + size] for at in range(0, 600, size)]
        made = [*pretraining.text_blocks(lots, tokenizer, 16)]
        assert Ragged.join(made).values.reshape(-1, 16).tolist() == expected
    corpus = pretraining.read_corpus(write_corpora(tmp_path), tokenizer, replace(SETTINGS, blocks=True))
    assert set(corpus.ids.lengths) == {16}
    assert len(corpus.ids) > len(expected)


def test_corpus_is_split_by_language_without_loss(tmp_path: Path) -> None:
    tokenizer = train_wordpiece(sentences(600), 300, lowercase=False)
    corpus = pretraining.read_corpus(write_corpora(tmp_path), tokenizer, SETTINGS)
    assert [len(rows) for rows in corpus.training] == [560, 135]
    assert len(corpus.held_out) == 40 + 15
    assert sorted(np.concatenate([*corpus.training, corpus.held_out])) == list(range(750))
    assert corpus.ids.lengths.max() == 16
    first = corpus.ids.values[: corpus.ids.offsets[1]].tolist()
    assert first == tokenizer.encode(sentences(600)[0]).ids


def used(
    corpora: dict[str, Path], monkeypatch: pytest.MonkeyPatch, **keys: object
) -> tuple[pretraining.Corpus, int]:
    """Read what a training of 10 updates of 4 rows uses; return it with the number of texts tokenised."""
    tokenizer = train_wordpiece(sentences(600), 300, lowercase=False)
    schedule = Schedule(learning_rate=1e-3, steps=10, batch_size=4, seed=5)
    monkeypatch.setattr(pretraining, "WINDOW", 10)
    texts = []
    counted = SimpleNamespace(
        encode=tokenizer.encode,
        enable_truncation=tokenizer.enable_truncation,
        no_truncation=tokenizer.no_truncation,
        encode_batch_fast=lambda block, **more: (
            texts.extend(block) or tokenizer.encode_batch_fast(block, **more)
        ),
    )
    settings = replace(SETTINGS, training=schedule, held_out=2, language_exponent=1.0, **keys)
    return pretraining.read_used(corpora, counted, settings), len(texts)


def test_no_more_text_is_tokenised_than_a_training_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 600 and 150 sentences: of 40 rows, 32 and 8, and 2 held out of each: four windows of ten, and one.
    corpora = write_corpora(tmp_path)
    corpus, texts = used(corpora, monkeypatch)
    assert texts == 40 + 10
    assert corpus.shares.tolist() == [0.8, 0.2]
    assert [len(rows) for rows in corpus.training] == [38, 9]
    everything = token_lists(
        pretraining.read_corpus(corpora, train_wordpiece(sentences(600), 300, False), SETTINGS)
    )
    drawn = token_lists(corpus)
    places = [everything.index(row) for row in drawn[:40:10]]
    assert [row for place in places for row in everything[place : place + 10]] == drawn[:40]
    assert places != [0, 10, 20, 30]  # windows from everywhere, not the head of the text


def token_lists(corpus: pretraining.Corpus) -> list[list[int]]:
    ids = corpus.ids
    return [ids.values[start:end].tolist() for start, end in itertools.pairwise(ids.offsets)]


def test_a_languages_share_counts_blocks_where_text_is_cut_into_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As many sentences of both, one language's twice as long: it makes twice as many blocks.
    short, long = tmp_path / "short.parquet", tmp_path / "long.parquet"
    text = sentences(1)[0]
    pq.write_table(pa.table({"text": [text] * 400}), short)
    pq.write_table(pa.table({"text": [f"{text} {text}"] * 400}), long)
    corpus, texts = used({"qaa": short, "qab": long}, monkeypatch, blocks=True)
    np.testing.assert_allclose(corpus.shares, [1 / 3, 2 / 3], atol=0.06)
    assert texts < 400


def test_a_text_smaller_than_a_training_is_used_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"text": sentences(20)}), path)
    corpus, texts = used({"qaa": path}, monkeypatch)
    assert texts == 20
    assert len(corpus.training[0]) + len(corpus.held_out) == 20


def test_small_languages_are_sampled_more_often_than_their_share() -> None:
    groups = [np.arange(900), np.arange(900, 1000)]
    select = language_sampler(groups, smoothed_shares(np.array([900, 100]), 0.7), seed=1)
    rows = select(0)
    share = 100**0.7 / (100**0.7 + 900**0.7)
    assert (rows >= 900).sum() == round(1000 * share)
    assert np.bincount(rows[rows >= 900])[900:].min() >= 1
    assert np.array_equal(rows, select(0))
    assert not np.array_equal(rows, select(1))
    as_they_are = language_sampler(groups, np.array([0.9, 0.1]), 1)
    assert np.array_equal(np.sort(as_they_are(0)), np.arange(1000))


def test_empty_corpora_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": pa.array(["a b"], pa.string())}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="the corpus of qaa has 1 sentences"):
        pretrain_encoder({"qaa": tmp_path / "x.parquet"}, SETTINGS, tmp_path / "out")
    assert not (tmp_path / "out").exists()
