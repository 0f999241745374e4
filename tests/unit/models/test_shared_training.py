"""Two processes train real models to the weights that one process gives, but for rounding.

Shares differ in what their means are over: rows, labelled words, masked tokens. The encoders have no dropout,
and the updates are clipped and, for classification, accumulated.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from teams import largest_difference, run_team
from tiny import write_corpus, write_trainable

from xstitch.encoders.continued import continue_encoder
from xstitch.encoders.pretraining import BY_MASKED
from xstitch.encoders.settings.continued import ContinuationSettings
from xstitch.encoders.settings.wordot import WordotSettings
from xstitch.encoders.wordot import align_encoder
from xstitch.models.tagging import BY_LABELS, finetune_tagger
from xstitch.sources.tasks.rows import Sentence
from xstitch.training.schedule import Schedule, with_schedule
from xstitch.vectors.table import Vectors

WORDS = [a + b for a in "bdkmnst" for b in "aeiou"]
WEIGHTS = "model.safetensors"
# In exact arithmetic their gradient is 0: Adam makes whole steps out of what rounding leaves of it.
NOISE = ("key.bias",)
SCRIPT = Path(__file__).with_name("shared_script.py")
LIBRARY = Path(__file__).parents[3] / "workflow/scripts"


def texts(number: int, seed: int) -> list[str]:
    """Make sentences of 1 to 9 words."""
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(1, 10))) for _ in range(number)]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trainable(tmp_path_factory.mktemp("encoder"), texts(300, 0))


def differences(tmp_path: Path, target, *arguments) -> float:
    """Train in one process and in two; compare the weights."""
    outputs = []
    for size in (1, 2):
        outputs.append(tmp_path / f"by{size}")
        assert run_team(size, tmp_path / "store", target, outputs[-1], *arguments) == [0] * size
    return largest_difference(*(output / WEIGHTS for output in outputs), NOISE)


def test_the_part_of_a_share_is_that_of_its_masked_tokens() -> None:
    batch = {
        "input_ids": torch.arange(12).reshape(3, 4),
        "attention_mask": torch.ones(3, 4),
        "positions": torch.tensor([1, 2, 6, 8]),  # two in the first row, one in each of the others
        "targets": torch.tensor([101, 102, 106, 108]),
    }
    first, part = BY_MASKED.share(batch, 0, 2)
    assert first["input_ids"].tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]
    assert first["attention_mask"].shape == (2, 4)
    assert first["positions"].tolist() == [1, 2, 4]  # where the third row is now the second
    assert first["targets"].tolist() == [101, 102, 108]
    assert part == 0.75
    second, part = BY_MASKED.share(batch, 1, 2)
    assert (second["positions"].tolist(), second["targets"].tolist(), part) == ([2], [106], 0.25)


def test_the_part_of_a_share_is_that_of_its_labelled_words() -> None:
    batch = {"input_ids": torch.zeros(2, 3), "labels": torch.tensor([[1, 0, 2], [-100, 1, -100]])}
    assert [BY_LABELS.share(batch, rank, 2)[1] for rank in (0, 1)] == [0.75, 0.25]


def write_job(folder: Path, encoder: Path) -> None:
    """Write what the script of finetune_model gets: texts of two classes, in batches of 5, 5, 5 and 1."""
    rows = texts(16, 1)
    labels = ["long" if len(text) > 12 else "short" for text in rows]
    pq.write_table(pa.table({"text": rows, "label": labels}), folder / "texts.parquet")
    files = [str(folder / "texts.parquet")]
    training = {"learning_rate": 1e-3, "batch_size": 5, "accumulation": 2, "epochs": 3}
    params = {
        "settings": {"labels": ["long", "short"], "max_length": 16},
        "rows": "texts",
        "training": training,
        "task_adapter": {},
        "skew": None,
        "freeze_embeddings": False,
        "checkpoint": str(folder / "checkpoint"),
    }
    inputs = {"encoder": str(encoder), "train": files, "dev": files}
    (folder / "job.json").write_text(json.dumps({"input": inputs, "params": params}))


def test_the_script_of_a_rule_shares_its_training_among_gpus(encoder: Path, tmp_path: Path) -> None:
    write_job(tmp_path, encoder)
    for gpus in (1, 2):
        command = [sys.executable, SCRIPT, str(tmp_path), str(gpus)]
        environment = {**os.environ, "PYTHONPATH": str(LIBRARY)}
        assert subprocess.run(command, env=environment, check=False).returncode == 0
    assert "shared" not in (tmp_path / "log1").read_text()
    assert (tmp_path / "log2").read_text().count("training is shared by 2 processes") == 1
    assert largest_difference(tmp_path / "model1" / WEIGHTS, tmp_path / "model2" / WEIGHTS, NOISE) < 1e-5
    notes = [json.loads((tmp_path / name / "xstitch.json").read_text()) for name in ("model1", "model2")]
    losses, metrics = (
        [[entry[key] for entry in note["history"]["records"]] for note in notes] for key in ("loss", "metric")
    )
    assert losses[1] == pytest.approx(losses[0], abs=1e-5)
    assert metrics[1] == pytest.approx(metrics[0])


def tag(output: Path, encoder: Path) -> None:
    """Fine-tune a tagger on words by whether they begin with a certain letter."""
    sentences = [tuple(text.split()) for text in texts(22, 2)]
    tagged = [Sentence(words, tuple("B-X" if w[0] in "bd" else "O" for w in words)) for words in sentences]
    schedule = Schedule(learning_rate=1e-3, batch_size=5, steps=8, batches="random")
    finetune_tagger(encoder, tagged, tagged, ["O", "B-X"], schedule, 16, output)


def test_taggers(encoder: Path, tmp_path: Path) -> None:
    assert differences(tmp_path, tag, encoder) < 1e-5


def continue_training(output: Path, encoder: Path, corpus: Path, loss: str) -> None:
    """Continue pre-training in batches of 5 sentences, with a loss on 2 batches of words an update."""
    training = {"learning_rate": 1e-3, "batch_size": 5, "steps": 8, "evaluate_every": 4}
    words = {"words_batch": 18, "words_part": 9, "correlations": 4, "weight": 2.0}
    keys = {"training": training, "max_length": 16, "held_out": 10, **words}
    vectors = np.random.default_rng(3).normal(size=(len(WORDS), 32)).astype("f4")
    continue_encoder(
        encoder,
        {"qaa": corpus},
        ContinuationSettings(loss=loss, **with_schedule(keys, seed=2)),
        output,
        [("qaa", Vectors(WORDS, vectors))],
    )


@pytest.mark.parametrize("loss", ["none", "mse", "dcca"])
def test_masked_language_modelling_alone_and_with_a_loss_on_words(
    encoder: Path, tmp_path: Path, loss: str
) -> None:
    corpus = write_corpus(tmp_path / "qaa.parquet", texts(60, 4))
    assert differences(tmp_path, continue_training, encoder, corpus, loss) < 1e-5


def align(output: Path, encoder: Path, parallel: dict[str, Path]) -> None:
    """Align three languages: in two processes, the first has two of them."""
    training = {"learning_rate": 1e-3, "batch_size": 4, "steps": 5}
    keys = {"training": training, "pairs": 20, "max_length": 16, "problem": "sentence"}
    align_encoder(encoder, parallel, WordotSettings(**with_schedule(keys, seed=1)), output)


def test_alignment_of_several_languages(encoder: Path, tmp_path: Path) -> None:
    parallel = {}
    for seed, language in enumerate(("qab", "qac", "qad")):
        parallel[language] = tmp_path / f"{language}.parquet"
        sides = {"source": texts(20, seed), "target": texts(20, 10 + seed)}
        pq.write_table(pa.table(sides), parallel[language])
    assert differences(tmp_path, align, encoder, parallel) < 1e-5
