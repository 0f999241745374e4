"""The mini world's tasks: the readers of the real files read them, with the right signals and shares."""

from __future__ import annotations

import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from xstitch.sources.tasks import conll, squad, tatoeba, tydiqa, universal_dependencies, wikiann, xnli
from xstitch.sources.world.concepts import ADJECTIVE, NOUN, make_concepts
from xstitch.sources.world.entailment import antonyms, hypernyms
from xstitch.sources.world.labels import label_weights
from xstitch.sources.world.mirror import (
    CONLL,
    QUESTIONS,
    TREEBANKS,
    TYDIQA,
    WIKIANN,
    XNLI,
    XNLI_TRANSLATED,
    moses_address,
    tatoeba_address,
    write_world,
)
from xstitch.sources.world.settings import WorldSettings

LANGUAGES = ("qaa", "qab", "qac", "qad")
SIZES = {"train": 60, "dev": 40, "test": 400}
TINY = {
    "seed": 7,
    "concepts": 200,
    "languages": {code: {"sentences": 50, "dictionary_words": 50} for code in LANGUAGES},
    "verses": {"train": 6, "dev": 6, "test": 6, "unlabelled": 66},
    "reviews": {"train": 5, "dev": 5, "test": 5},
    **dict.fromkeys(("xnli", "squad", "tydiqa", "names", "treebanks"), SIZES),
    "similarity_pairs": 50,
    "images": 50,
    "tatoeba": 50,
    "parallel": 80,
}
SETTINGS = WorldSettings.from_config(TINY)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("world") / "mirror"
    write_world(root, SETTINGS)
    return root


@pytest.fixture(scope="module")
def unpacked(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All archives, unpacked by the standard library."""
    folder = tmp_path_factory.mktemp("unpacked")
    for address in (XNLI, XNLI_TRANSLATED, WIKIANN, *(moses_address(code) for code in LANGUAGES[1:])):
        with zipfile.ZipFile(world / address) as archive:
            archive.extractall(folder)
    for code in LANGUAGES:
        with tarfile.open(folder / f"panx_dataset/{code}.tar.gz") as archive:
            archive.extractall(folder / code, filter="data")
    with tarfile.open(world / TREEBANKS) as archive:
        archive.extractall(folder, filter="data")
    return folder


def shares(values: list[str], order: tuple[str, ...]) -> np.ndarray:
    counts = Counter(values)
    return np.array([counts[value] for value in order]) / len(values)


def label_shares(code: str) -> list[float]:
    weights = label_weights(SETTINGS, code, 3)
    return [weight / sum(weights) for weight in weights]


def test_label_weights_agree_with_hand_computed_ones() -> None:
    assert label_weights(SETTINGS, "qaa", 3) == [10**6, 10**6, 10**6]
    # The third language begins with the third label; each one is half as frequent as the previous one.
    assert label_weights(SETTINGS, "qac", 3) == [500_000, 250_000, 1_000_000]


@pytest.mark.parametrize("code", LANGUAGES)
def test_entailment_has_the_languages_label_shares(unpacked: Path, code: str) -> None:
    pairs = list(xnli.read_xnli(unpacked / "XNLI-1.0/xnli.test.tsv", code))
    measured = shares([pair.label for pair in pairs], xnli.LABELS)
    assert len(pairs) == SIZES["test"]
    assert measured == pytest.approx(label_shares(code), abs=0.12)  # five standard deviations
    training = list(xnli.read_xnli(unpacked / f"XNLI-MT-1.0/multinli/multinli.train.{code}.tsv"))
    assert len(training) == (60 if code == "qaa" else 30)


def test_antonyms_are_mutual_and_hypernyms_are_above_their_cluster() -> None:
    concepts = make_concepts(SETTINGS)
    opposite, above = antonyms(concepts), hypernyms(concepts)
    adjectives, nouns = (np.flatnonzero(concepts.pos == pos) for pos in (ADJECTIVE, NOUN))
    assert (opposite[opposite] == np.arange(len(concepts))).all()
    assert np.corrcoef(concepts.valence[adjectives], concepts.valence[opposite[adjectives]])[0, 1] < -0.5
    assert (concepts.cluster[above[nouns]] == concepts.cluster[nouns]).all()
    assert (concepts.weight[above[nouns]] >= concepts.weight[nouns]).all()
    assert (above[above] == above).all()


def test_questions_are_answered_by_names_in_their_texts(world: Path) -> None:
    addresses = [QUESTIONS["squad"].format(split=split) for split in ("train", "dev")]
    sizes = [len(list(squad.read_squad(world / address))) for address in addresses]
    assert sizes == [SIZES["train"], SIZES["dev"]]
    for code in LANGUAGES:
        questions = list(squad.read_squad(world / QUESTIONS["xquad"].format(code=code)))
        assert len(questions) == len({question.id for question in questions}) == SIZES["test"]
        for question in questions:
            (answer,) = question.answers
            assert question.context.split().count(answer.text) == 1
            assert answer.text not in question.question.split()
            assert len(question.context.split(" . ")) == 3


def test_tydiqa_has_all_languages_and_some_repeated_ids(world: Path) -> None:
    for split, size in (("train", SIZES["train"]), ("dev", SIZES["test"])):
        for code in LANGUAGES:
            ids = [question.id for question in tydiqa.read_tydiqa(world / TYDIQA.format(split=split), code)]
            assert (len(ids), len(ids) - len(set(ids))) == (size, (size - 1) // 20)


@pytest.mark.parametrize("code", LANGUAGES)
def test_wikiann_has_the_languages_shares_of_names(unpacked: Path, code: str) -> None:
    sentences = list(wikiann.read_wikiann(unpacked / code / "test", code))
    kinds = [tag[2:] for sentence in sentences for tag in sentence.tags if tag.startswith("B-")]
    assert len(sentences) == SIZES["test"]
    assert len(kinds) > SIZES["test"]
    assert shares(kinds, ("PER", "ORG", "LOC")) == pytest.approx(label_shares(code), abs=0.12)
    for sentence in sentences:  # a name begins with B-
        previous_tags = ("O", *sentence.tags)
        assert not any(
            tag.startswith("I-") and previous[2:] != tag[2:]
            for previous, tag in zip(previous_tags, sentence.tags, strict=False)
        )


@pytest.mark.parametrize(
    ("code", "edition"), [("qaa", "2003"), ("qab", "2002"), ("qac", "2002"), ("qad", "2003")]
)
def test_conll_has_the_columns_of_its_year(world: Path, code: str, edition: str) -> None:
    path = world / CONLL.format(edition=edition, code=code, ending="testb")
    rows = list(conll.read({"test": str(path)}, "test", {"edition": edition}))
    assert len(rows) == SIZES["test"]  # enough for even the rarest kind of name
    assert {tag[2:] for row in rows for tag in row.tags} == {"", "PER", "ORG", "LOC", "MISC"}
    begin = [tag for row in rows for tag in row.tags if tag.startswith("B-")]
    assert len(begin) >= len(rows)  # IOB1 was turned into IOB2


def test_treebanks_tag_every_word_and_one_has_a_second_test_set(unpacked: Path) -> None:
    folder = unpacked / "ud-treebanks-v2.5"
    for code in LANGUAGES:
        path = folder / f"UD_{code.title()}-World/{code}_world-ud-test.conllu"
        tags = Counter(tag for sentence in universal_dependencies.read_conllu(path) for tag in sentence.tags)
        assert {"NOUN", "VERB", "ADJ", "PROPN", "ADP", "PRON", "PUNCT"} <= set(tags)
        assert ("DET" in tags) and tags["PUNCT"] >= SIZES["test"]
        assert tags["NOUN"] > tags["VERB"] > tags["ADV"]
    assert [path.name for path in folder.glob("*-PUD/*")] == ["qad_pud-ud-test.conllu"]


@pytest.mark.parametrize("code", LANGUAGES[1:])
def test_translations_agree_in_punctuation_and_numbers(world: Path, unpacked: Path, code: str) -> None:
    pairs = list(tatoeba.read_tatoeba(*(world / tatoeba_address(code, side) for side in (code, "qaa"))))
    moses = list(tatoeba.read_tatoeba(*(unpacked / f"Europarl.qaa-{code}.{side}" for side in (code, "qaa"))))
    assert (len(pairs), len(moses)) == (50, 80)
    for pair in [*pairs, *moses]:
        for mark in (",", "?", ".", "7", "40"):
            assert pair.sentence.split().count(mark) == pair.english.split().count(mark)


def test_another_size_of_a_task_changes_nothing_else(world: Path, tmp_path: Path) -> None:
    write_world(tmp_path / "small", WorldSettings.from_config({**TINY, "xnli": {**SIZES, "dev": 10}}))
    files = [path for path in world.rglob("*") if path.is_file()]
    changed = [
        p.name for p in files if p.read_bytes() != (tmp_path / "small" / p.relative_to(world)).read_bytes()
    ]
    assert sorted(changed) == ["XNLI-1.0.zip", "lock.tsv"]
