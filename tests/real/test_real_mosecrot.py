"""The lead paper on real files: reviews, stop words among anchors, and its tables as it prints them."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from xstitch.plan import overlays
from xstitch.plan.addresses import lexicon_file
from xstitch.plan.run import load_run
from xstitch.plan.source_inputs import lexicon_input
from xstitch.results.tables import read_reference
from xstitch.sources.lexica import lexicon_table, read_muse, swapped
from xstitch.sources.tasks import marc
from xstitch.spaces.anchors.lexicon import build_anchors, stop_words, whole_words
from xstitch.spaces.settings.anchors import AnchorRules

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "config/reference/mosecrot.tsv"
REVIEWS = "samples/amazon_reviews_multi/all_languages/dummy_data"
TASK = {"classes": 3, "fields": ["review_title", "review_body"]}


@pytest.fixture(scope="module")
def paper(data):
    """The text of the paper."""
    file = data.parent / "papers/000_640516b5540057fe.txt"
    if not file.is_file():
        pytest.skip(f"no text of the paper at {file}")
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "ja", "zh"])
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_reviews_in_the_original_layout_are_read(data, language, split):
    file = data / REVIEWS / f"dataset_{language}_{split}.json"
    examples = list(marc.read({split: str(file)}, split, TASK))
    assert len(examples) == 5
    assert {example.label for example in examples} <= set(marc.labels(TASK))
    assert all(example.id.startswith(f"{language}_") and example.text for example in examples)


def test_a_known_review(data):
    file = data / REVIEWS / "dataset_de_train.json"
    first = next(marc.read({"train": str(file)}, "train", TASK))
    assert first == (
        "de_0203609",
        "negative",
        "Leider nach 1 Jahr kaputt Armband ist leider nach 1 Jahr kaputt gegangen",
    )


@pytest.fixture(scope="module")
def paper_run():
    """A run at scale paper, as configured."""
    config = ROOT / "config"
    return load_run(overlays.lay(config / "config.yaml", [], {"scale": "paper"}, config), ROOT)


@pytest.mark.parametrize("language", ["de", "es", "zh"])
def test_the_paper_configuration_gives_the_printed_numbers_of_anchors(mirror, data, paper_run, language):
    recipes = ("ls", "rr-standard", "rr-softmax", "rr-sparsemax", "rr-kall")
    (name,) = {paper_run.recipes[recipe]["anchors"] for recipe in recipes}
    settings = paper_run.config["anchors"][name]
    lexicon_name = Path(lexicon_file(paper_run, name, "en", language)).parent.name
    job = SimpleNamespace(lexicon=lexicon_name, src="en", tgt=language)
    file = Path(lexicon_input(paper_run, job)["file"]).name
    entries = read_muse(mirror / "dl.fbaipublicfiles.com/arrival/dictionaries" / file)
    reverse = paper_run.config["lexica"][lexicon_name].get("reverse")
    lexicon = lexicon_table(swapped(entries) if reverse else entries)
    vocabulary = (data / "tokenizers/bert_base_cased_vocab.txt").read_text(encoding="utf-8").splitlines()
    source = whole_words(vocabulary, [token for token in vocabulary if token.startswith("[")])
    # As if the vectors had every word: they are not among the files, and seem to have cost the paper none.
    target = {word: row for row, word in enumerate(dict.fromkeys(lexicon.column("target").to_pylist()))}
    rules = AnchorRules(
        settings["choice"],
        settings["min_score"],
        settings["size"],
        stop_words=stop_words(settings["stop_words"], "en", ()),
        pairing=settings["pairing"],
    )
    published = {column: value for (_, column), value in read_reference(REFERENCE, "anchors").items()}
    assert len(build_anchors(lexicon, source, target, rules)) == published[language]


def test_stop_words_are_few_of_the_real_anchors(mirror, data):
    dictionary = mirror / "dl.fbaipublicfiles.com/arrival/dictionaries/en-de.txt"
    vocabulary = (data / "tokenizers/bert_base_cased_vocab.txt").read_text(encoding="utf-8").splitlines()
    lexicon = lexicon_table(read_muse(dictionary))
    source = whole_words(vocabulary, [token for token in vocabulary if token.startswith("[")])
    target = {word: row for row, word in enumerate(dict.fromkeys(lexicon.column("target").to_pylist()))}
    listed = stop_words("package", "en", ())
    full, content = (
        build_anchors(lexicon, source, target, AnchorRules(stop_words=words)) for words in ((), listed)
    )
    assert not {anchor.source for anchor in content} & listed
    assert 50 < len({anchor.source for anchor in full} & listed) < 130
    assert len(content) > 10_500


@pytest.mark.parametrize("table", ["1", "2", "3", "4"])
def test_every_cell_is_the_printed_one(paper, table):
    before = paper.split(f"\nTable {table}: ")[0]
    printed = (
        re.search(r"\n[^\n]*\tde\t[^\n]*\n(?:[^\n]*\t0\.\d\d\n)+\s*$", before)[0].strip("\n").splitlines()
    )
    header, *rows = (line.split("\t") for line in printed if line)
    cells = {
        (row[0], column): float(cell)
        for row in rows
        for column, cell in zip(header[1:], row[1:], strict=True)
    }
    assert read_reference(REFERENCE, table) == cells


def test_every_number_of_anchors_is_the_printed_one(paper):
    section = paper.split("for each target language: ")[1].split(".")[0]
    printed = {
        language: float(number) for number, language in re.findall(r"(\d+) \((?:en-)?(\w+)\)", section)
    }
    assert {column: value for (_, column), value in read_reference(REFERENCE, "anchors").items()} == printed
