"""Corpora: sentences per second by tool, in one process and in as many as the machine has cores."""

import lzma
import os
import tempfile
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import numpy as np
from bench import Bench

from xstitch.sources.corpora import sample_corpus
from xstitch.sources.segmentation import segmenter

SENTENCES = 20_000
NUMBERS = count()
LATIN = "the of and to in is that for it as was with be by on not he his but at are this have from or had"
HAN = "的 一 是 在 不 了 有 和 人 这 中 大 为 上 个 国 我 以 要 他 时 来 用 们 生 到 作 地 于 出"


def bench_sampling_by_unicode() -> Bench:
    """Sentences of 20 words, by Unicode's rules."""
    return _sampling("unicode", LATIN, " ", ". ")


def bench_sampling_by_jieba() -> Bench:
    """Sentences of 20 Chinese characters."""
    return _sampling("jieba", HAN, "", "。")


def bench_sampling_by_icu() -> Bench | None:
    """Sentences of 20 words, by ICU, where it is installed."""
    return _sampling("icu", LATIN, " ", ". ") if find_spec("icu") else None


def _sampling(tool: str, words: str, space: str, end: str) -> Bench:
    folder = Path(tempfile.mkdtemp())
    text, segment = folder / "xx.txt.xz", segmenter(tool, "zh" if tool == "jieba" else "en")
    _write_text(text, words.split(), space, end)
    settings = {"sentences": SENTENCES, "share": 1.0, "min_tokens": 1, "min_sentences": 1}

    def sample(processes: int) -> None:
        place = folder / str(next(NUMBERS))
        sample_corpus(text, segment, settings, 1, place / "parts", place / "out.parquet", processes)

    cores = os.cpu_count() or 1
    return Bench(
        lambda: sample(cores), {"one process": lambda: sample(1)}, SENTENCES, "sentences", clock="wall"
    )


def _write_text(path: Path, words: list[str], space: str, end: str) -> None:
    random = np.random.default_rng(0)
    drawn = random.choice(words, size=(SENTENCES + 100, 20))
    sentences = [space.join(row) + end for row in drawn]
    paragraphs = ["".join(sentences[start : start + 5]) for start in range(0, len(sentences), 5)]
    path.write_bytes(lzma.compress("\n".join(paragraphs).encode(), preset=1))
