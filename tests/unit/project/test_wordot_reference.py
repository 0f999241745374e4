"""The published numbers of wordot agree with each other and with the paper's text, except for known slips."""

from pathlib import Path
from statistics import fmean

import pytest
import yaml

from xstitch.results.tables import read_reference, shown_columns

ROOT = Path(__file__).parents[3]
SPECS = yaml.safe_load((ROOT / "config/papers/wordot.yaml").read_text(encoding="utf-8"))["tables"]
SIZES = {"1": 18, "2": 215, "3": 12, "4": 35, "5": 9, "6": 14, "7": 139, "8": 50}
SIZES |= {"subwords": 8, "shuffled": 8}
TABLES = {number: read_reference(ROOT / "config/reference/wordot.tsv", number) for number in SIZES}
AVERAGES = SPECS["2"]["averages"]
# Printed means that do not follow from the printed cells, with the means that do.
WRONG_MEANS = {("4", "1k", "avg"): 73.6, ("7", "XLMR", "XNLI F1 seen"): 83.483}
# Cells that two tables print differently: L2's French, and LargeWordOT's German in XQuAD.
DIFFERENT = {
    ("7", "L2†", "XNLI F1 fr"): (74.3, 74.4),
    ("8", "250k", "XQuAD F1 de"): (71.9, 71.8),
    ("8", "250k", "XQuAD EM de"): (56.5, 56.4),
}
# Rows with a dash for a whole task, or printed under one task only.
XNLI_ALONE, XQUAD_ALONE = {"AMBER"}, {"MAD-X^base", "MAD-X^base†", "MAD-X^mBERT†"}


def split_column(column):
    """Return the measure and the language (or average) of a column."""
    return tuple(column.rsplit(" ", 1))


def recomputed(number, row, column):
    """Average the cells of the languages in an average."""
    measure, average = split_column(column)
    cells = [TABLES[number].get((row, f"{measure} {language}")) for language in AVERAGES[average]]
    return fmean(cell for cell in cells if cell is not None)


def test_no_cell_is_missing():
    assert {number: len(cells) for number, cells in TABLES.items()} == SIZES
    assert {number for number, spec in SPECS.items() if "matches" not in spec and "rows" in spec} == set(
        SIZES
    )
    assert {number for number, spec in SPECS.items() if spec.keys() & {"rows", "ours"} == {"ours"}} == {
        "states"
    }
    assert {number for number, spec in SPECS.items() if "matches" in spec} == {"9", "10", "11"}


@pytest.mark.parametrize(
    ("number", "row", "column", "value"),
    [
        ("1", "mBERT", "XNLI F1 seen", 71.9),
        ("1", "AMBER", "XNLI F1 seen", 76.4),
        ("1", "MAD-X^mBERT†", "XQuAD F1 seen", 70.2),
        ("1", "WordOT", "XQuAD EM seen", 59.0),
        ("2", "mBERT", "XNLI F1 en", 82.6),
        ("2", "L2", "XNLI F1 sw", 42.8),
        ("2", "LargeWordOT", "XNLI F1 zh", 70.4),
        ("2", "LargeWordOT", "XNLI F1 all", 69.7),
        ("2", "mBERT", "XQuAD F1 en", 83.7),
        ("2", "WordOT*", "XQuAD F1 th", 42.0),
        ("2", "LargeWordOT", "XQuAD F1 all", 63.3),
        ("2", "mBERT", "XQuAD EM ar", 45.5),
        ("2", "WordOT*", "XQuAD EM th", 33.4),
        ("2", "LargeWordOT", "XQuAD EM zh", 43.1),
        ("3", "WordOT", "XNLI F1 all", 67.8),
        ("3", "SubOT", "XQuAD EM all", 48.5),
        ("4", "mBERT", "en", 82.6),
        ("4", "10k", "el", 68.5),
        ("4", "250k", "avg", 74.8),
        ("5", "XLMR", "XNLI F1 seen", 84.1),
        ("5", "WordOT^base", "XQuAD EM seen", 60.8),
        ("6", "Europarl", "el-en", 157_000),
        ("6", "OpenSubtitles", "tr-en", 9_000_000),
        ("6", "Tanzil and GlobalVoices", "sw-en", 128_000),
        ("7", "mBERT", "XNLI F1 en", 80.8),
        ("7", "XLM", "XQuAD EM el", 39.1),
        ("7", "MAD-X^base", "XQuAD EM de", 56.0),
        ("7", "MAD-X^base†", "XQuAD F1 seen", 75.0),
        ("7", "WordOT", "XQuAD EM seen", 59.0),
        ("8", "1k", "XQuAD F1 en", 84.4),
        ("8", "50k", "XQuAD EM de", 57.1),
        ("8", "250k", "XQuAD EM seen", 57.6),
        ("subwords", "SubOT above WordOT", "XNLI F1 el", 0.65),
        ("subwords", "SubOT above WordOT", "XNLI F1 de", 0.47),
        ("subwords", "SubOT above WordOT", "XQuAD F1 th", 2.4),
        ("subwords", "SubOT above WordOT", "XQuAD EM th", 1.6),
        ("shuffled", "together above WordOT", "de", -5.1),
        ("shuffled", "together above WordOT", "es", -3.8),
        ("shuffled", "together above WordOT", "fr", -5.1),
        ("shuffled", "together above WordOT", "bg", -9.1),
    ],
)
def test_sampled_cells_are_typed_correctly(number, row, column, value):
    assert TABLES[number][row, column] == value


@pytest.mark.parametrize("number", ["2", "7", "8"])
def test_means_over_languages_follow_from_the_cells(number):
    means = [cell for cell in TABLES[number] if split_column(cell[1])[1] in AVERAGES]
    assert len(means) == {"2": 5 * 6, "7": 7 + 9 * 2, "8": 5 * 2}[number]
    for row, column in means:
        expected = WRONG_MEANS.get((number, row, column), TABLES[number][row, column])
        # Cells and means are both rounded to one decimal: twice half a tenth.
        assert recomputed(number, row, column) == pytest.approx(expected, abs=0.1)


def test_means_of_table_4_follow_from_the_cells():
    for row in SPECS["4"]["rows"]:
        cells = [TABLES["4"][row["row"], language] for language in AVERAGES["seen"]]
        expected = WRONG_MEANS.get(("4", row["row"], "avg"), TABLES["4"][row["row"], "avg"])
        assert fmean(cells) == pytest.approx(expected, abs=0.1)


def test_wrong_means_cannot_be_explained_by_rounding():
    for (number, row, column), value in WRONG_MEANS.items():
        assert abs(TABLES[number][row, column] - value) > 0.8


@pytest.mark.parametrize(
    ("number", "other", "rows"),
    [
        ("1", "7", {row["row"]: row["row"] for row in SPECS["1"]["rows"]}),
        ("3", "2", {"WordOT": "WordOT"}),
        ("4", "2", {"mBERT": "mBERT", "250k": "LargeWordOT"}),
        ("7", "2", {"mBERT†": "mBERT", "L2†": "L2", "WordOT": "WordOT"}),
        ("8", "2", {"mBERT": "mBERT", "250k": "LargeWordOT"}),
        ("subwords", "2", {"WordOT": "WordOT"}),
        ("shuffled", "2", {"WordOT": "WordOT"}),
    ],
)
def test_numbers_in_two_tables_agree_except_for_known_slips(number, other, rows):
    for (row, column), value in TABLES[number].items():
        if row in rows:
            there = f"XNLI F1 {column.replace('avg', 'seen')}" if number in ("4", "shuffled") else column
            pair = (value, TABLES[other][rows[row], there])
            assert pair == DIFFERENT.get((number, row, column), (value, value))


def test_the_best_cells_of_table_2_are_in_bold():
    winners = {
        "XNLI F1": "mBERT WordOT WordOT L2 WordOT WordOT"
        " LargeWordOT LargeWordOT LargeWordOT LargeWordOT LargeWordOT LargeWordOT LargeWordOT LargeWordOT"
        " WordOT* WordOT LargeWordOT",
        "XQuAD F1": "WordOT WordOT WordOT mBERT mBERT LargeWordOT mBERT mBERT LargeWordOT LargeWordOT"
        " mBERT WordOT mBERT",
        "XQuAD EM": "mBERT+WordOT WordOT WordOT mBERT mBERT LargeWordOT mBERT WordOT* LargeWordOT mBERT"
        " mBERT WordOT mBERT",
    }
    for measure, bold in winners.items():
        columns = [column for column in SPECS["2"]["columns"] if split_column(column)[0] == measure]
        for column, rows in zip(columns, bold.split(), strict=True):
            cells = {row: value for (row, other), value in TABLES["2"].items() if other == column}
            assert [row for row in cells if cells[row] == max(cells.values())] == rows.split("+")


def test_differences_stated_in_the_text_are_right():
    xnli = {row: value for (row, column), value in TABLES["1"].items() if column == "XNLI F1 seen"}
    xquad = {row: value for (row, column), value in TABLES["1"].items() if column == "XQuAD F1 seen"}
    gains = [xnli["WordOT"] - xnli[row] for row in ("mBERT†", "L2†", "AMBER")]
    gains += [xquad["WordOT"] - xquad[row] for row in ("mBERT†", "L2†", "MAD-X^mBERT†")]
    gains += [TABLES["2"]["LargeWordOT", "XNLI F1 all"] - TABLES["2"]["mBERT", "XNLI F1 all"]]
    gains += [TABLES["4"]["50k", "avg"] - TABLES["4"]["250k", "avg"]]
    assert gains == pytest.approx([1.9, 0.8, -1.0, 1.3, 6.7, 4.5, 2.6, -0.4])


def test_parallel_sentences_add_up():
    # "Overall 32M"; a number printed in millions may be almost half a million larger.
    total = sum(TABLES["6"].values())
    in_millions = sum(value % 1_000_000 == 0 for value in TABLES["6"].values())
    assert total < 31_500_000 <= total + in_millions * 500_000
    assert {column for _, column in TABLES["6"]} == {
        f"{language}-en" for language in AVERAGES["all"] if language != "en"
    }


@pytest.mark.parametrize("number", SIZES)
def test_only_tasks_that_a_row_lacks_have_no_number(number):
    spec = SPECS[number]
    cells = {(row["row"], column) for row in spec["rows"] for column in shown_columns(spec)}
    absent = cells - set(TABLES[number])
    assert set(TABLES[number]) <= cells
    if number == "6":
        assert len({column for _, column in TABLES["6"]}) == len(TABLES["6"])
    else:
        unmeasured = {(row, column) for row, column in cells if row in XNLI_ALONE and "XQuAD" in column}
        unmeasured |= {(row, column) for row, column in cells if row in XQUAD_ALONE and "XNLI" in column}
        assert absent == unmeasured


@pytest.mark.parametrize("number", SIZES)
def test_columns_are_measures_of_languages_and_each_row_has_its_own_recipe(number):
    spec = SPECS[number]
    recipes = [row["recipe"] for row in spec["rows"] if "minus" not in row]
    assert len(set(recipes)) == len(recipes)
    if spec["column"] == "measure":
        for column in spec["columns"]:
            measure, languages = split_column(column)
            assert measure in spec["measures"]
            assert languages in {*spec["averages"], *AVERAGES["all"]}
