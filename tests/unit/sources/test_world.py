"""The mini world: the same bytes every time, real formats, and the properties that later steps rely on."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import sqlite3
import subprocess
import sys
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from xstitch.sources.moses import moses_splitter
from xstitch.sources.words import unicode_words
from xstitch.sources.world.addresses import world_addresses
from xstitch.sources.world.mirror import write_world
from xstitch.sources.world.settings import WorldSettings

LANGUAGES = ("qaa", "qab", "qac", "qad")
TARGETS = LANGUAGES[1:]
TINY = {
    "seed": 7,
    "concepts": 250,
    "languages": {
        code: {"sentences": 1500, "dictionary_words": 300, "names": 0.7, "code_switch": 0.05}
        for code in LANGUAGES
    },
    "verses": {"train": 60, "dev": 12, "test": 12, "unlabelled": 120},
    "reviews": {"train": 40, "dev": 10, "test": 10},
    **{task: {"train": 60, "dev": 12, "test": 30} for task in ("xnli", "squad", "tydiqa")},
    **{task: {"train": 60, "dev": 12, "test": 30} for task in ("names", "treebanks")},
    "similarity_pairs": 100,
    "images": 50,
    "tatoeba": 20,
    "parallel": 30,
    "panlex": {"sources": 12},
}
CORPORA = "data.statmt.org/cc-100"
DICTIONARIES = "dl.fbaipublicfiles.com/arrival/dictionaries"
TAXI1500 = "raw.githubusercontent.com/cisnlp/Taxi1500/main/eng_data"
EBIBLE = "raw.githubusercontent.com/BibleNLP/ebible/main"
SIMILARITY = "alt.qcri.org/semeval2017/task2/data/uploads/semeval2017-task2.zip"
REVIEWS = "amazon-reviews-ml.s3-us-west-2.amazonaws.com/json"
LABELS = {"Recommendation", "Faith", "Description", "Sin", "Grace", "Violence"}
SPLITS = ("train", "dev", "test")


def digests(root: Path) -> dict[str, str]:
    """Return the SHA-256 of every file by its path under `root`."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def corpus(root: Path, language: str) -> str:
    """Return the unpacked corpus of a language."""
    return lzma.decompress((root / CORPORA / f"{language}.txt.xz").read_bytes()).decode()


def pairs(root: Path, name: str) -> list[tuple[str, ...]]:
    """Return the lines of a dictionary as tuples."""
    lines = (root / DICTIONARIES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split(" ")) for line in lines]


def ebible(root: Path, language: str) -> list[str]:
    """Return the lines of a Bible."""
    path = root / EBIBLE / "corpus" / f"{language}-{language}world.txt"
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def taxi1500(root: Path, split: str) -> list[list[str]]:
    """Return the rows of a Taxi1500 split."""
    return [line.split("\t") for line in (root / TAXI1500 / f"eng_{split}.tsv").read_text().split("\n")]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the tiny world once."""
    root = tmp_path_factory.mktemp("world") / "mirror"
    write_world(root, WorldSettings.from_config(TINY))
    return root


@pytest.fixture(scope="module")
def panlex(world: Path, tmp_path_factory: pytest.TempPathFactory) -> sqlite3.Connection:
    """Open the PanLex database of the tiny world."""
    folder = tmp_path_factory.mktemp("panlex")
    with zipfile.ZipFile(world / "db.panlex.org/panlex_lite.zip") as archive:
        assert archive.namelist() == ["panlex_lite/db.sqlite"]
        archive.extractall(folder)
    return sqlite3.connect(folder / "panlex_lite/db.sqlite")


def test_a_second_write_is_identical(world: Path, tmp_path: Path) -> None:
    write_world(tmp_path / "again", WorldSettings.from_config(TINY))
    assert digests(tmp_path / "again") == digests(world)


def test_another_process_and_hash_seed_give_the_same_bytes(world: Path, tmp_path: Path) -> None:
    code = (
        "import json, sys; from pathlib import Path; "
        "from xstitch.sources.world.settings import WorldSettings; "
        "from xstitch.sources.world.mirror import write_world; "
        "write_world(Path(sys.argv[1]), WorldSettings.from_config(json.loads(sys.argv[2])))"
    )
    path = os.pathsep.join(entry for entry in sys.path if entry)
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": path}
    command = [sys.executable, "-c", code, str(tmp_path / "other"), json.dumps(TINY)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert digests(tmp_path / "other") == digests(world)


def test_the_seed_changes_every_text(world: Path, tmp_path: Path) -> None:
    write_world(tmp_path / "seed", WorldSettings.from_config({**TINY, "seed": 8}))
    before, after = digests(world), digests(tmp_path / "seed")
    same = {name for name in before if before[name] == after[name]}
    assert before.keys() == after.keys()
    assert same == {f"{EBIBLE}/metadata/vref.txt"}


def test_resizing_one_corpus_changes_nothing_else(world: Path, tmp_path: Path) -> None:
    languages = {**TINY["languages"], "qab": {**TINY["languages"]["qab"], "sentences": 200}}
    write_world(tmp_path / "small", WorldSettings.from_config({**TINY, "languages": languages}))
    before, after = digests(world), digests(tmp_path / "small")
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {f"{CORPORA}/qab.txt.xz", "lock.tsv"}


def test_the_lock_names_every_file(world: Path) -> None:
    header, *rows = [line.split("\t") for line in (world / "lock.tsv").read_text().splitlines()]
    assert header == ["url", "sha256", "size"]
    assert rows == sorted(rows)
    expected = digests(world)
    del expected["lock.tsv"]
    assert {url.split("://")[1]: sha256 for url, sha256, _ in rows} == expected
    assert all((world / url.split("://")[1]).stat().st_size == int(size) for url, _, size in rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_corpus_has_documents_paragraphs_and_sentences(world: Path, language: str) -> None:
    text = corpus(world, language)
    documents = text.removesuffix("\n\n").split("\n\n")
    assert text.endswith("\n\n") and len(documents) > 20
    paragraphs = [line for document in documents for line in document.split("\n")]
    assert all(line.endswith((" .", " ?")) for line in paragraphs)
    tokens = [line.split(" ") for line in paragraphs]
    sentences = [sum(token in {".", "?"} for token in line) for line in tokens]
    assert sum(sentences) == 1500
    assert set(sentences) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("language", LANGUAGES)
def test_frequencies_follow_zipfs_law(world: Path, language: str) -> None:
    counts = [count for _, count in Counter(corpus(world, language).lower().split()).most_common()]
    assert counts[0] > 20 * counts[99]
    assert counts[9] > 2 * counts[99]


def test_one_language_is_mostly_in_georgian_letters(world: Path) -> None:
    letters = [letter for letter in corpus(world, "qad") if letter.isalpha()]
    georgian = sum("ა" <= letter <= "ჰ" for letter in letters)
    assert 0.7 < georgian / len(letters) < 1.0  # loans, some names and code-switched words are Latin
    assert all(letter.isascii() for letter in corpus(world, "qac") if letter.isalpha())


def test_names_are_capitalised_and_shared(world: Path) -> None:
    names = {}
    for language in LANGUAGES:
        tokens = corpus(world, language).split()
        following = [token for before, token in pairwise(tokens) if before not in ".?"]
        names[language] = {token for token in following if token[0].isascii() and token.istitle()}
    for language in TARGETS:
        assert len(names["qaa"] & names[language]) >= 5


def test_code_switched_sentences_mix_scripts(world: Path) -> None:
    plain = WorldSettings.from_config(TINY).languages["qad"]
    sentences = corpus(world, "qad").replace("\n", " ").replace(" ?", " .").split(" .")
    latin = [sum("a" <= token[0] <= "z" for token in sentence.split()) for sentence in sentences]
    assert sum(count >= 2 for count in latin) > 0.3 * plain.code_switch * len(sentences)


@pytest.mark.parametrize("target", TARGETS)
def test_parts_of_a_dictionary_are_its_most_frequent_words(world: Path, target: str) -> None:
    for name in (f"qaa-{target}", f"{target}-qaa"):
        full, train, test = (pairs(world, name + part) for part in ("", ".0-5000", ".5000-6500"))
        assert all(len(pair) == 2 and pair == tuple(word.lower() for word in pair) for pair in full)
        sources = list(dict.fromkeys(source for source, _ in full))
        train_words = list(dict.fromkeys(source for source, _ in train))
        test_words = list(dict.fromkeys(source for source, _ in test))
        assert len(sources) == 300 and len(full) > 300
        assert full[: len(train) + len(test)] == train + test
        assert sources[: len(train_words) + len(test_words)] == train_words + test_words
        assert len(train_words) > len(test_words) > 30


def test_a_dictionary_is_sorted_by_frequency(world: Path) -> None:
    counts = Counter(corpus(world, "qaa").lower().split())
    words = list(dict.fromkeys(source for source, _ in pairs(world, "qaa-qab")))
    head, middle, tail = (sum(counts[word] for word in words[k : k + 50]) for k in (0, 100, 250))
    assert head > 2 * middle > 2 * tail


def test_labelled_verses_are_verses_of_the_bible(world: Path) -> None:
    references = (world / EBIBLE / "metadata/vref.txt").read_text().splitlines()
    books = list(dict.fromkeys(reference.split(" ")[0] for reference in references))
    assert (books[0], books[39], books[65], len(books)) == ("GEN", "MAT", "REV", 66)
    lines = {}
    for number, reference in enumerate(references):
        book, numbers = reference.split(" ")
        chapter, verse = map(int, numbers.split(":"))
        lines[f"{books.index(book) + 1:02d}{chapter:03d}{verse:03d}"] = number
    text = ebible(world, "qaa")
    seen = set()
    for split in SPLITS:
        rows = taxi1500(world, split)
        assert len(rows) == TINY["verses"][split]
        assert {label for _, label, _ in rows} <= LABELS
        assert all(text[lines[identifier]] == verse for identifier, _, verse in rows)
        seen |= {identifier for identifier, _, _ in rows}
    assert {label for _, label, _ in taxi1500(world, "train")} == LABELS
    assert len(seen) == 84 < len(references) == 84 + 120


def test_verses_are_parallel(world: Path) -> None:
    verses = {language: ebible(world, language) for language in LANGUAGES}
    assert len({len(lines) for lines in verses.values()}) == 1
    assert all(verses["qaa"])
    assert "" in verses["qac"]
    commas = [line.count(" , ") for line in verses["qaa"]]
    for language in TARGETS:
        present = [k for k, line in enumerate(verses[language]) if line not in {"", "<range>"}]
        same = [verses[language][k].count(" , ") == commas[k] for k in present]
        assert sum(same) > 0.95 * len(same)


def test_merged_verses_follow_the_verse_that_contains_them(tmp_path: Path) -> None:
    languages = {"qaa": {"sentences": 50}, "qab": {"sentences": 50, "merged_verses": 0.5}}
    write_world(tmp_path / "merged", WorldSettings.from_config({**TINY, "languages": languages}))
    lines = ebible(tmp_path / "merged", "qab")
    merged = [k for k, line in enumerate(lines) if line == "<range>"]
    assert len(merged) > 20
    assert all(
        lines[k - 1] == "<range>" or lines[k - 1].count(" .") + lines[k - 1].count(" ?") > 1 for k in merged
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_reviews_have_the_original_keys_and_balanced_stars(world: Path, language: str) -> None:
    keys = [
        "review_id", "product_id", "reviewer_id", "stars",
        "review_body", "review_title", "language", "product_category",
    ]  # fmt: skip
    identifiers = set()
    for split in SPLITS:
        path = world / REVIEWS / split / f"dataset_{language}_{split}.json"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert all(
            list(row) == keys and all(isinstance(value, str) for value in row.values()) for row in rows
        )
        stars = Counter(row["stars"] for row in rows)
        assert stars == dict.fromkeys("12345", TINY["reviews"][split] // 5)
        assert all(row["language"] == language and row["review_body"] for row in rows)
        identifiers |= {row["review_id"] for row in rows}
    assert len(identifiers) == 60


def test_panlex_has_sources_of_all_qualities_in_groups(panlex: sqlite3.Connection) -> None:
    assert panlex.execute("SELECT uid FROM lv ORDER BY lv").fetchall() == [(f"{c}-000",) for c in LANGUAGES]
    low, high, groups, sources = panlex.execute(
        "SELECT min(uq), max(uq), count(DISTINCT ui), count(DISTINCT ap) FROM dnx"
    ).fetchone()
    # Of twelve sources, the fourth, eighth and twelfth copy the previous one: nine groups.
    assert (low, high, groups, sources) == (0, 9, 9, 12)
    assert panlex.execute("SELECT count(*) FROM ex WHERE tt LIKE '% %'").fetchone()[0] > 5
    single = "SELECT mn FROM dnx JOIN ex USING (ex) GROUP BY mn HAVING count(DISTINCT lv) < 2"
    assert panlex.execute(single).fetchall() == []


def test_panlex_meanings_agree_with_the_dictionary(world: Path, panlex: sqlite3.Connection) -> None:
    query = """
        SELECT DISTINCT lower(a.tt), lower(b.tt), max(da.uq) FROM dnx da JOIN dnx db ON da.mn = db.mn
        JOIN ex a ON a.ex = da.ex JOIN ex b ON b.ex = db.ex WHERE a.lv = 1 AND b.lv = ?
        GROUP BY a.tt, b.tt
    """
    judged = []
    for number, target in enumerate(TARGETS, start=2):  # a source may lack some languages, but not all
        known = set(pairs(world, f"qaa-{target}"))
        sources, targets = {pair[0] for pair in known}, {pair[1] for pair in known}
        judged += [
            ((a, b) in known, quality)
            for a, b, quality in panlex.execute(query, [number])
            if a in sources and b in targets
        ]
    good = [right for right, quality in judged if quality >= 7]
    assert len(good) > 30 and sum(good) > 0.7 * len(good)
    assert not all(right for right, _ in judged)


def test_a_world_may_have_fewer_and_new_languages(tmp_path: Path) -> None:
    settings = WorldSettings.from_config(
        {**TINY, "languages": {"qaa": {"sentences": 50}, "qax": {"sentences": 50, "order": "SOV"}}}
    )
    write_world(tmp_path / "two", settings)
    assert (tmp_path / "two" / DICTIONARIES / "qax-qaa.txt").exists()
    assert not (tmp_path / "two" / CORPORA / "qab.txt.xz").exists()


def test_exactly_the_announced_addresses_are_written(world):
    written = {str(path.relative_to(world)) for path in world.rglob("*") if path.is_file()}
    assert written == {*world_addresses(WorldSettings.from_config(TINY)), "lock.tsv"}


def test_similarity_scores_cover_the_whole_scale(world):
    with zipfile.ZipFile(world / SIMILARITY) as archive:
        names = archive.namelist()
        folder = "SemEval17-Task2/test/subtask2-crosslingual"
        pairs = archive.read(f"{folder}/data/qaa-qab.test.data.txt").decode().splitlines()
        scores = [
            float(x) for x in archive.read(f"{folder}/keys/qaa-qab.test.gold.txt").decode().splitlines()
        ]
    assert len(names) == 2 * (4 + 6)
    assert len(pairs) == len(scores) > 0
    assert all(len(pair.split("\t")) == 2 for pair in pairs)
    assert min(scores) < 1 < 3 < max(scores)
    assert 0 <= min(scores) <= max(scores) <= 4
    assert any(" " in pair for pair in pairs)  # multi-word terms, as in the real files


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_those_between_spaces(world, language):
    text = corpus(world, language)
    assert unicode_words(text) == text.split()
    assert all(moses_splitter(language)(line) == line.split() for line in text.splitlines())
