"""The published numbers of x2s agree with each other, except for known slips; its forty languages."""

from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest
from small_run import asked, paper_run

from xstitch.plan.settings import load_tsv
from xstitch.plan.tables import table_spec
from xstitch.plan.training_values import finetuning_values
from xstitch.results.scores import Score
from xstitch.results.tables import fill_grid, read_reference

ROOT = Path(__file__).parents[3]
SIZES = {1: 10, 2: 10, 3: 30, 5: 254, 6: 51, 7: 24, 8: 55, 9: 45, 10: 200, 11: 165, 12: 180}
TABLES = {number: read_reference(ROOT / "config/reference/x2s.tsv", str(number)) for number in SIZES}
STATIC = ["fasttext_unsup", "X2S-M", "X2S-MA", "MUSE", "RCSLS"]
CONTEXTUAL = ["XLM-R", "+MLM", "+fasttext_DCCA", "+X2S-MA_MSE", "+X2S-MA_DCCA"]
TASKS = {"XQuAD": 8, "TyDiQA": 9, "PAN-X": 10, "UD-POS": 11, "Tatoeba": 12}
# Printed means that do not follow from the tables by language, with the means that do.
WRONG_MEANS = {("X2S-M", "en-xx"): 52.05, ("X2S-MA", "en-xx"): 58.33, ("MUSE", "en-xx"): 59.06}
SWAPPED = "fa fi fr he hi hu id it ja jv".split()


def mean(number, row, columns=None):
    """Average a row over the given columns, or over all but the printed mean."""
    cells = {column: value for (name, column), value in TABLES[number].items() if name == row}
    return fmean(value for column, value in cells.items() if column in (columns or cells.keys() - {"avg"}))


def test_no_cell_is_missing():
    assert {number: len(cells) for number, cells in TABLES.items()} == SIZES
    for number, cells in TABLES.items():
        rows = CONTEXTUAL if number == 3 or number >= 8 else STATIC
        assert {row for row, _ in cells} == set(rows)


@pytest.mark.parametrize("row", STATIC)
def test_means_of_static_tables_follow_from_the_cells(row):
    shared = [pair for pair, rows in Counter(pair for _, pair in TABLES[5]).items() if rows == len(STATIC)]
    for direction, edge in [("en-xx", str.startswith), ("xx-en", str.endswith)]:
        pairs = [pair for pair in shared if edge(pair, direction.replace("xx", ""))]
        assert len(pairs) == 17
        expected = WRONG_MEANS.get((row, direction), TABLES[1][row, direction])
        assert mean(5, row, pairs) == pytest.approx(expected, abs=0.006)
    # Correlations are printed with two decimals, their means with three.
    assert TABLES[2][row, "cross-lingual"] == TABLES[6][row, "avg"] == pytest.approx(mean(6, row), abs=0.005)
    assert TABLES[2][row, "monolingual"] == pytest.approx(mean(7, row), abs=0.005)


@pytest.mark.parametrize("row", CONTEXTUAL)
def test_means_of_downstream_tables_follow_from_the_cells(row):
    for task, number in TASKS.items():
        if (task, row[:7]) != ("PAN-X", "+X2S-MA"):
            assert mean(number, row) == pytest.approx(TABLES[3][row, task], abs=0.006)
    assert TABLES[3][row, "avg"] == pytest.approx(mean(3, row), abs=0.006)


@pytest.mark.parametrize(("row", "other"), [CONTEXTUAL[3:], CONTEXTUAL[:2:-1]])
def test_a_block_of_table_10_has_two_rows_swapped(row, other):
    languages = {column for _, column in TABLES[10]}
    values = [TABLES[10][other if column in SWAPPED else row, column] for column in languages]
    assert fmean(values) == pytest.approx(TABLES[3][row, "PAN-X"], abs=0.006)
    assert abs(mean(10, row) - TABLES[3][row, "PAN-X"]) > 0.25


def test_the_forty_languages_have_their_tools():
    languages = load_tsv(ROOT / "config/languages.tsv", "language")
    forty = {column for _, column in TABLES[10]}
    tools = Counter(languages[language]["tokenizer"] for language in forty)
    assert tools == {"udpipe": 27, "icu": 11, "jieba": 1, "fugashi": 1}
    assert languages["zh"]["cc100"] == "zh-Hans"
    assert {languages[language]["family"] for language in ("bn", "hi", "mr", "ur")} == {"IE: Indo-Aryan"}


def published_scores(number, spec, task="bli", metric=None):
    """A perfect reproduction: every cell of a published table as the score of its row's recipe."""
    recipes = {row["row"]: row["recipe"] for row in spec["rows"]}
    whole, metric = spec.get("whole") or 1, metric or spec["metric"]
    for (row, column), value in TABLES[number].items():
        if column != "avg":
            src, tgt = column.split("-") if "-" in column else (column, column)
            yield Score(recipes[row], task, src, tgt, "test", metric, 0, value / whole, 1500, "paper")


def statuses(number, scores, spec):
    grid = fill_grid(spec, TABLES[number], scores, "en")
    return {key: cell.status("paper", spec.get("whole", 1.0)) for key, cell in grid.items() if cell.published}


def test_table_1_matches_if_every_pair_scores_as_in_table_5():
    spec = table_spec(paper_run(), asked(paper="x2s", table="table1"))
    scores = list(published_scores(5, spec))
    assert set(statuses(1, scores, spec).values()) == {"match"}
    # Rows of ours have all 28 languages. If the mean were over all of them, no cell would match.
    full = [score for score in scores if score.recipe == "x2s-ma"]
    complete = [score._replace(recipe=row["recipe"]) for row in spec["rows"] for score in full]
    grid = fill_grid(spec, TABLES[1], complete, "en")
    assert all(
        cell.reproduced == pytest.approx(65.60, abs=0.006)
        for (_, way), cell in grid.items()
        if way == "xx-en"
    )
    del spec["over"]
    xx_en = fmean(
        value for (row, pair), value in TABLES[5].items() if row == "X2S-MA" and pair.endswith("-en")
    )
    assert xx_en < 58
    assert fill_grid(spec, {}, complete, "en")["MUSE", "xx-en"].reproduced == pytest.approx(xx_en)


def test_table_2_matches_if_every_pair_scores_as_in_tables_6_and_7():
    spec = table_spec(paper_run(), asked(paper="x2s", table="table2"))
    scores = [*published_scores(6, spec, "similarity"), *published_scores(7, spec, "similarity")]
    assert set(statuses(2, scores, spec).values()) == {"match"}
    grid = fill_grid(spec, {}, scores, "en")
    # MUSE has no Farsi: .71 .70 .68 .71 .71 .73
    assert grid["MUSE", "cross-lingual"].reproduced == pytest.approx(4.24 / 6)
    assert grid["RCSLS", "cross-lingual"].reproduced == pytest.approx(0.715)


def test_tasks_are_trained_as_in_xtreme():
    run = paper_run()
    for task, decay, keep, batch, every in [
        ("xquad", 1e-4, "last", 32, None),
        ("tydiqa", 1e-4, "last", 32, None),
        ("panx", 0, None, 8, 1000),
        ("udpos", 0, None, 8, 500),
    ]:
        values = finetuning_values("xlmr-x2s-dcca", run.recipes["xlmr-x2s-dcca"], run.tasks[task])
        assert (values["weight_decay"], values.get("keep"), values["batch_size"]) == (decay, keep, batch)
        assert values["batch_size"] * values.get("accumulation", 1) == 32
        assert (values["batches"], values.get("evaluate_every")) == ("random", every)
    for recipe in ("xlmr", "xlmr-mlm", "xlmr-fasttext-dcca", "xlmr-x2s-mse", "xlmr-x2s-dcca"):
        assert len(run.seeds_of(recipe)) == 3


def test_the_layer_of_tatoeba_is_the_one_that_xtreme_means():
    """XTREME leaves out the embeddings and takes number 7 of the twelve layers, counted from 0."""
    states = ["embeddings", *(f"layer {number}" for number in range(1, 13))]
    assert states[-12:][7] == f"layer {paper_run().tasks['tatoeba']['layer']}"
