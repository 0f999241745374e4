"""The published numbers of bootstrap agree with each other where its tables repeat cells."""

from pathlib import Path

import pytest
import yaml

from xstitch.results.tables import read_reference, shown_columns
from xstitch.spaces.settings.search import OptimisationSettings

ROOT = Path(__file__).parents[3]
FILE = ROOT / "config/reference/bootstrap.tsv"
SPECS = yaml.safe_load((ROOT / "config/papers/bootstrap.yaml").read_text(encoding="utf-8"))["tables"]
SIZES = {"1": 18, "2": 12, "3": 20, "4": 36, "5": 36, "6": 24, "7": 54}
TABLES = {number: read_reference(FILE, number) for number in SIZES}


def cells(number, *, within):
    """Return the cells of a table whose pair is within one space, or those whose pair is not."""
    sides = {cell: cell[1].split()[-1].split("-") for cell in TABLES[number]}
    return {cell: TABLES[number][cell] for cell, (one, other) in sides.items() if (one == other) == within}


def test_no_cell_is_missing():
    assert {number: len(published) for number, published in TABLES.items()} == SIZES
    assert set(SPECS) == set(SIZES)
    for number, spec in SPECS.items():
        assert {row["row"] for row in spec["rows"]} == {row for row, _ in TABLES[number]}
        printed = {(row["row"], column) for row in spec["rows"] for column in shown_columns(spec)}
        # Absolute vectors of different dimensions have a dash: three measures, two directions, three rows.
        assert len(printed - set(TABLES[number])) == (18 if number == "7" else 0)


@pytest.mark.parametrize(
    ("number", "row", "column", "value"),
    [
        ("1", "GT", "Jaccard FT-W2V", 0.34),
        ("1", "Seed", "MRR W2V-FT", 0.15),
        ("1", "AO", "Cosine W2V-FT", 0.94),
        ("2", "GT", "MAE en-es", 0.67),
        ("2", "Seed", "MAE es-en", 0.92),
        ("2", "AO", "Fscore es-en", 0.46),
        ("3", "Learning rate", "Zero-shot stitching", 0.05),
        ("3", "Sinkhorn eps", "Retrieval", 1e-4),
        ("4", "AO", "Jaccard FT-W2V", 0.52),
        ("5", "AO", "MRR FT-W2V", 0.98),
        ("6", "Seed", "Fscore es-es", 0.48),
        ("6", "AO", "MAE en-en", 0.44),
        ("7", "GT relative", "MRR small-base", 0.28),
        ("7", "Seed relative", "Cosine small-base", 0.96),
        ("7", "AO relative", "MRR base-small", 0.23),
    ],
)
def test_known_cells_are_typed_correctly(number, row, column, value):
    assert TABLES[number][row, column] == value


def test_selected_results_equal_those_of_the_complete_tables():
    assert TABLES["1"] == cells("4", within=False)
    assert TABLES["2"] == cells("6", within=False)


def test_only_optimised_anchors_depend_on_the_side_that_is_optimised():
    given = {cell: value for cell, value in TABLES["4"].items() if cell[0] != "AO"}
    assert given == {cell: value for cell, value in TABLES["5"].items() if cell[0] != "AO"}
    assert TABLES["4"] != TABLES["5"]


@pytest.mark.parametrize("number", ["4", "5", "7"])
def test_a_space_retrieves_its_own_words(number):
    assert set(cells(number, within=True).values()) == {1.0}


def test_the_claims_of_section_3_hold():
    for number, row in (("4", "{}"), ("5", "{}"), ("7", "{} relative")):
        for (name, column), value in cells(number, within=False).items():
            mode = name.split()[0]
            if mode == "AO" and column.startswith(("Jaccard", "MRR")):
                assert value > TABLES[number][row.format("Seed"), column]
                # At least as good as all parallel anchors for words, and nearly so for images.
                assert value >= TABLES[number][row.format("GT"), column] - (0.04 if number == "7" else 0)
    for column in SPECS["6"]["columns"]:
        seed, ao = (TABLES["6"][mode, column] for mode in ("Seed", "AO"))
        assert ao < seed if column.startswith("MAE") else ao > seed


def test_every_table_but_the_third_has_spreads():
    with FILE.open(encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream][1:]
    assert all(bool(row[5]) == (row[0] != "3") for row in rows)
    spreads = {(row[0], row[1], row[2]): float(row[5]) for row in rows if row[5]}
    assert spreads["6", "GT", "MAE es-en"] == 0.04
    assert spreads["7", "AO relative", "MRR base-small"] == 0.03


def test_defaults_are_the_papers_hyper_parameters():
    settings, published = OptimisationSettings(), TABLES["3"]
    assert settings.steps == published["Number of optimization steps", "Retrieval"]
    assert settings.learning_rate == published["Learning rate", "Retrieval"]
    assert settings.sinkhorn.eps == published["Sinkhorn eps", "Retrieval"]
    assert settings.sinkhorn.stop == published["Sinkhorn stop error", "Retrieval"]
    assert settings.sinkhorn.iterations == published["Number of Sinkhorn steps", "Retrieval"]
