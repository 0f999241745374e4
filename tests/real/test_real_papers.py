"""Lists of languages, as the papers' own tables have them: their texts are beside the project."""

import re
from pathlib import Path

import pytest

from xstitch.results.ledger import read_ledger

CONFIG = Path(__file__).parents[2] / "config"
GAP = "-"


@pytest.fixture(scope="module")
def papers(data):
    folder = data.parent / "papers"
    if not folder.is_dir():
        pytest.skip(f"no texts of papers at {folder}")
    return folder


def tables(text):
    """Return the lines of every table, as cells, by its number; captions come last."""
    found, lines = {}, []
    for line in text.splitlines():
        if "\t" in line:
            lines.append(line.split("\t"))
        elif caption := re.match(r"Table ([0-9]+):", line):
            found[int(caption[1])], lines = lines, []
    return found


@pytest.fixture(scope="module")
def x2s(papers):
    return tables(next(papers.glob("001_*.txt")).read_text(encoding="utf-8"))


def columns(lines):
    """Return the codes in the headers of a table that is printed in several parts."""
    return [cell for head, *cells in lines if head == "Model" for cell in cells if cell]


def scores(lines, row):
    """Return what a row of such a table has, by column."""
    found, header = {}, []
    for head, *cells in lines:
        if head == "Model":
            header = cells
        elif head.split(" (")[0] == row:
            found |= dict(zip(header, cells, strict=False))
    return {column: cell for column, cell in found.items() if column}


def ledger(paper, key):
    (setting,) = [row for row in read_ledger(CONFIG / f"reference/{paper}.settings.tsv") if row.key == key]
    return setting.value


@pytest.mark.parametrize(
    ("table", "task"), [(8, "xquad"), (9, "tydiqa"), (10, "panx"), (11, "udpos"), (12, "tatoeba")]
)
def test_targets_are_the_columns_of_their_table(x2s, table, task):
    assert ledger("x2s", f"tasks.{task}.targets") == [code for code in columns(x2s[table]) if code != "en"]


def targets_of(pairs):
    """Return the languages that have both directions with English."""
    codes = [pair.removesuffix("-en") for pair in pairs if pair.endswith("-en")]
    assert sorted(f"en-{code}" for code in codes) == sorted(pair for pair in pairs if pair.startswith("en-"))
    return codes


def test_words_are_translated_in_the_languages_of_table_5(x2s):
    assert ledger("x2s", "tasks.bli.targets") == targets_of(columns(x2s[5]))
    assert len(ledger("x2s", "tasks.bli.targets")) == 28  # section 3.2


@pytest.mark.parametrize(("row", "entry", "number"), [("MUSE", "muse", 17), ("RCSLS", "rcsls", 26)])
def test_released_vectors_are_those_of_their_row(x2s, row, entry, number):
    measured = [pair for pair, cell in scores(x2s[5], row).items() if cell != GAP]
    assert ledger("x2s", f"alignments.{entry}-released.targets") == targets_of(measured)
    assert len(measured) == 2 * number


def test_encoders_are_continued_on_the_languages_of_table_4(x2s):
    codes = [code for _, code, _ in x2s[4] if code != "Code"]
    assert len(codes) == 40  # section 3.1
    assert sorted(ledger("x2s", "encoders.multi-*.languages")) == sorted(codes)


def test_similarity_is_measured_in_the_languages_of_table_7(x2s):
    assert sorted(ledger("x2s", "tasks.similarity.targets")) == [
        code for code in columns(x2s[7]) if code != "en"
    ]


def test_mosecrots_targets_are_the_columns_of_its_tables(papers):
    found = tables(next(papers.glob("000_*.txt")).read_text(encoding="utf-8"))
    assert ledger("mosecrot", "tasks.taxi1500.targets") == found[2][0][1:]
    assert ledger("mosecrot", "tasks.marc3.targets") == found[1][0][1:]
    for table, recipes in ((3, "rr-k*"), (4, "rr-sample-*")):
        assert ledger("mosecrot", f"recipes.{recipes}.targets") == found[table][0][1:]
