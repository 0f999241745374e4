"""Tables: means and statuses, and a row and a column for every published cell."""

import csv
from pathlib import Path

import numpy as np
import pytest
import yaml

from xstitch.core.errors import InputError
from xstitch.results.scores import Score
from xstitch.results.side_by_side import side_by_side, what_it_is
from xstitch.results.tables import (
    Cell,
    fill_grid,
    read_reference,
    row_label,
    shown_columns,
    table_path,
    write_comparison,
    write_table,
)

ROOT = Path(__file__).parents[3]
PAPERS = sorted((ROOT / "config/papers").glob("*.yaml"))
SPEC = {
    "metric": "macro_f1",
    "split": "test",
    "decimals": 2,
    "corner": "method",
    "column": "target",
    "columns": ["de", "es"],
    "rows": [{"row": "LR", "recipe": "lr"}, {"row": "LS", "recipe": "ls"}],
}
PUBLISHED = {("LR", "de"): 0.30, ("LR", "es"): 0.32, ("LS", "de"): 0.14}


def score(recipe, tgt, seed, value, metric="macro_f1", split="test"):
    return Score(recipe, "taxi1500", "en", tgt, split, metric, seed, value, 111, "paper")


SCORES = [
    score("lr", "de", 0, 0.305),
    score("ls", "de", 1, 0.20),
    score("ls", "de", 2, 0.30),
    score("ls", "es", 1, 0.5),
    score("ls", "es", 1, 0.9, metric="accuracy"),
    score("ls", "es", 1, 0.9, split="dev"),
    score("ls", "fr", 1, 0.9),
]


def cell(published, *values):
    return Cell(published, {("1", seed): np.array([value]) for seed, value in enumerate(values)})


def read(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream, delimiter="\t"))


def test_a_row_may_be_the_difference_between_two_others():
    rows = [
        {"row": "A", "recipe": "a"},
        {"row": "B", "recipe": "b"},
        {"row": "B above A", "recipe": "b", "minus": "A"},
    ]
    values = {("a", "de"): (0.5, 0.7), ("b", "de"): (0.6, 0.75), ("b", "es"): (0.9, 0.9), ("a", "fr"): (0.1,)}
    scores = [
        score(recipe, target, seed, value)
        for (recipe, target), seeds in values.items()
        for seed, value in enumerate(seeds, start=1)
    ]
    scores.append(score("b", "de", 3, 0.0))  # a seed that A does not have
    spec = {**SPEC, "rows": rows, "whole": 100, "columns": ["de", "es", "fr"]}
    grid = fill_grid(spec, {("B above A", "de"): 8.0}, scores, "en")
    assert grid["B above A", "de"].values == pytest.approx((10, 5))
    assert grid["B above A", "de"].difference == pytest.approx(-0.5)
    assert grid["B", "de"].values == pytest.approx((60, 75, 0))
    assert ("B above A", "es") not in grid
    assert ("B above A", "fr") not in grid


@pytest.mark.parametrize(("values", "shown"), [({0: 0.5}, (0.1, 0.4)), ({1: 0.5, 2: 0.6}, (0.1, 0.3))])
def test_a_row_without_seeds_is_subtracted_from_every_seed(values, shown):
    rows = [{"row": "A", "recipe": "a"}, {"row": "B above A", "recipe": "b", "minus": "A"}]
    scores = [score("a", "de", seed, value) for seed, value in values.items()]
    scores += [score("b", "de", seed, value) for seed, value in ((1, 0.6), (2, 0.9))]
    grid = fill_grid({**SPEC, "rows": rows}, {}, scores, "en")
    assert grid["B above A", "de"].values == pytest.approx(shown)


def test_an_average_over_less_than_the_papers_is_not_judged():
    spec = {**SPEC, "average": "avg", "rows": SPEC["rows"][:1], "columns": ["de"]}
    published = {("LR", "de"): 0.3, ("LR", "es"): 0.5, ("LR", "avg"): 0.4}
    grid = fill_grid(spec, published, [score("lr", "de", 1, 0.3)], "en")
    assert (grid["LR", "de"].status("paper"), grid["LR", "avg"].status("paper")) == ("match", "partial")
    both = [score("lr", "de", 1, 0.3), score("lr", "es", 1, 0.5)]
    whole = fill_grid({**spec, "columns": ["de", "es"]}, published, both, "en")
    assert whole["LR", "avg"].status("paper") == "match"


def test_the_table_has_the_papers_shape_and_means_over_seeds(tmp_path):
    write_table(SPEC, fill_grid(SPEC, PUBLISHED, SCORES, "en"), tmp_path / "t.tsv")
    assert read(tmp_path / "t.tsv") == [["method", "de", "es"], ["LR", "0.30", ""], ["LS", "0.25", "0.50"]]


def test_the_comparison_has_every_published_and_every_reproduced_cell(tmp_path):
    write_comparison(SPEC, fill_grid(SPEC, PUBLISHED, SCORES, "en"), "paper", tmp_path / "c.tsv")
    assert read(tmp_path / "c.tsv") == [
        [*"row column published reproduced low high covers sd seeds chains difference scale status".split()],
        ["LR", "de", "0.3000", "0.3050", "", "", "", "", "1", "1", "0.0050", "paper", "match"],
        ["LR", "es", "0.3200", "", "", "", "", "", "0", "0", "", "paper", "absent"],
        ["LS", "de", "0.1400", "0.2500", "", "", "", "0.0707", "2", "1", "0.1100", "paper", "differs"],
        ["LS", "es", "", "0.5000", "", "", "", "", "1", "1", "", "paper", "unpublished"],
    ]


def pair_score(recipe, src, tgt, value, seed=0):
    return Score(recipe, "bli", src, tgt, "test", "macro_f1", seed, value, 10, "mini")


def test_columns_by_pair_keep_the_direction():
    spec = {**SPEC, "column": "pair", "columns": ["de-en", "en-de"]}
    scores = [pair_score("lr", "de", "en", 0.5), pair_score("lr", "en", "de", 0.3)]
    grid = fill_grid(spec, {}, scores, "en")
    assert {key: cell.reproduced for key, cell in grid.items()} == {
        ("LR", "de-en"): 0.5,
        ("LR", "en-de"): 0.3,
    }


def test_columns_by_direction_average_the_pairs_that_every_row_has():
    spec = {**SPEC, "column": "direction", "columns": ["en-xx", "xx-en"]}
    scores = [
        pair_score("lr", "en", "de", 0.2),
        pair_score("lr", "en", "es", 0.4),
        pair_score("lr", "de", "en", 0.6),
        pair_score("ls", "en", "de", 0.1),
        pair_score("ls", "de", "en", 0.3),
    ]
    grid = fill_grid(spec, {}, scores, "en")
    assert grid["LR", "en-xx"].reproduced == pytest.approx(0.2)  # es is left out: LS has no es
    assert grid["LS", "xx-en"].reproduced == pytest.approx(0.3)


def test_couples_ignore_the_direction_and_are_averaged():
    spec = {
        **SPEC,
        "column": "couple",
        "columns": ["de-en", "de-es"],
        "average": "avg",
        "rows": SPEC["rows"][:1],
    }
    scores = [
        pair_score("lr", "en", "de", 0.2),
        pair_score("lr", "de", "es", 0.4),
        pair_score("lr", "de", "de", 1.0),
    ]
    grid = fill_grid(spec, {}, scores, "en")
    assert {column: cell.reproduced for (_, column), cell in grid.items()} == {
        "de-en": 0.2,
        "de-es": 0.4,
        "avg": pytest.approx(0.3),
    }


def test_a_language_column_takes_scores_within_one_language():
    spec = {**SPEC, "column": "language", "columns": ["de"], "rows": SPEC["rows"][:1]}
    grid = fill_grid(spec, {}, [pair_score("lr", "de", "de", 0.7), pair_score("lr", "en", "de", 0.1)], "en")
    assert grid["LR", "de"].values == (0.7,)


def test_a_column_may_be_a_measure_and_a_pair():
    spec = {
        **SPEC,
        "column": "measure",
        "measures": {
            "F": {"task": "bli", "metric": "macro_f1"},
            "Acc": {"task": "bli", "metric": "accuracy"},
        },
        "place": "pair",
        "columns": ["F en-de", "Acc en-de"],
    }
    scores = [
        pair_score("lr", "en", "de", 0.2),
        pair_score("lr", "de", "de", 0.9),
        pair_score("lr", "en", "de", 0.6)._replace(metric="accuracy"),
        pair_score("lr", "en", "de", 0.7)._replace(task="similarity"),
    ]
    grid = fill_grid(spec, {}, scores, "en")
    assert {key: cell.values for key, cell in grid.items()} == {
        ("LR", "F en-de"): (0.2,),
        ("LR", "Acc en-de"): (0.6,),
    }
    by_target = {**spec, "columns": ["F de"]}
    del by_target["place"]
    assert list(fill_grid(by_target, {}, scores[:1], "en")) == [("LR", "F de")]


def test_rows_may_share_a_recipe_and_have_their_own_metrics():
    rows = [
        {"row": "F1", "recipe": "lr"},
        {"row": "again", "recipe": "lr"},
        {"row": "steps", "recipe": "lr", "metric": "steps"},
    ]
    scores = [score("lr", "de", 0, 0.3), score("lr", "de", 0, 250.0, metric="steps")]
    grid = fill_grid({**SPEC, "rows": rows}, {}, scores, "en")
    assert {row: cell.reproduced for (row, _), cell in grid.items()} == {
        "F1": 0.3,
        "again": 0.3,
        "steps": 250,
    }


def test_the_deviation_is_over_seeds_not_over_pairs():
    spec = {**SPEC, "column": "crossing", "columns": ["across", "within"], "rows": SPEC["rows"][:1]}
    scores = [
        pair_score("lr", "en", tgt, value, seed) for tgt, value, seed in [("de", 0.1, 1), ("es", 0.5, 1)]
    ]
    scores += [
        pair_score("lr", "en", tgt, value, seed) for tgt, value, seed in [("de", 0.2, 2), ("es", 0.6, 2)]
    ]
    scores += [pair_score("lr", "en", "en", 0.9, 1)]
    grid = fill_grid(spec, {}, scores, "en")
    assert grid["LR", "across"].values == (pytest.approx(0.3), pytest.approx(0.4))
    assert grid["LR", "within"].values == (0.9,)


@pytest.mark.parametrize(("value", "status"), [(0.31, "match"), (0.34, "close"), (0.36, "differs")])
def test_the_status_at_paper_scale_depends_on_the_difference(value, status):
    assert cell(0.30, value).status("paper") == status


def test_percentages_are_judged_like_fractions():
    assert cell(30.0, 30.9).status("paper", 100) == "match"
    assert cell(30.0, 36.0).status("paper", 100) == "differs"


def test_counts_are_judged_relative_to_the_published_one():
    assert cell(11836.0, 11750.0).status("paper", None) == "match"
    assert cell(11836.0, 10995.0).status("paper", None) == "differs"
    assert cell(0.0, 0.0).status("paper", None) == "match"
    assert cell(0.0, 3.0).status("paper", None) == "differs"


def test_a_row_label_names_this_runs_value_if_it_differs():
    assert row_label("500", 500) == "500"
    assert row_label("500", 50) == "500 (here 50)"
    assert row_label("6731", None) == "6731 (here all)"


def test_table_and_comparison_show_the_same_label_and_find_the_published_cell(tmp_path):
    rows = [{"row": "500", "recipe": "ls", "shown": "500 (here 50)"}]
    spec, published = {**SPEC, "rows": rows}, {("500", "de"): 0.39}
    grid = fill_grid(spec, published, [score for score in SCORES if score.recipe == "ls"], "en")
    write_table(spec, grid, tmp_path / "t.tsv")
    write_comparison(spec, grid, "mini", tmp_path / "c.tsv")
    assert read(tmp_path / "t.tsv")[1] == ["500 (here 50)", "0.25", "0.50"]
    assert read(tmp_path / "c.tsv")[1][:4] == ["500 (here 50)", "de", "0.3900", "0.2500"]
    shown = side_by_side(tmp_path / "t.tsv", tmp_path / "c.tsv").splitlines()[1]
    assert shown.split() == ["500", "(here", "50)", "0.25", "0.50", "|", "0.39"]


def test_tables_are_named_by_number_or_name():
    assert table_path("p", "12") == "results/tables/p/table12.tsv"
    assert table_path("p", "anchors") == "results/tables/p/anchors.tsv"


@pytest.mark.parametrize("scale", ["mini", "real"])
def test_a_smaller_run_never_claims_a_match(scale):
    assert cell(0.30, 0.30).status(scale) == "scale"
    assert cell(0.30).status(scale) == "absent"


def test_side_by_side_shows_ours_and_theirs(tmp_path):
    grid = fill_grid(SPEC, PUBLISHED, SCORES, "en")
    write_table(SPEC, grid, tmp_path / "t.tsv")
    write_comparison(SPEC, grid, "mini", tmp_path / "c.tsv")
    lines = side_by_side(tmp_path / "t.tsv", tmp_path / "c.tsv").splitlines()
    assert [line.split() for line in lines] == [
        ["method", "de", "es", "|", "de", "es"],
        ["LR", "0.30", "|", "0.30", "0.32"],
        ["LS", "0.25", "0.50", "|", "0.14"],
    ]


def test_side_by_side_shows_the_intervals_of_ours(tmp_path):
    (tmp_path / "t.tsv").write_text("method\tqab\tqac\nLS\t0.54\t0.48\n")
    columns = "row column published reproduced low high".split()
    rows = [
        "LS qab - 0.5412 0.4449 0.6351".split(),
        "LS qac - 0.4800 - -".split(),
        "LS de 0.14 - - -".split(),
    ]
    lines = ["\t".join("" if field == "-" else field for field in row) for row in [columns, *rows]]
    (tmp_path / "c.tsv").write_text("\n".join(lines) + "\n")
    shown = side_by_side(tmp_path / "t.tsv", tmp_path / "c.tsv").splitlines()
    assert shown == ["method  qab                qac   |  de", "LS      0.54 [0.44, 0.64]  0.48  |  0.14"]


@pytest.mark.parametrize(
    ("chains", "seeds", "covers", "expected"),
    [
        (
            3,
            1,
            "chains items",
            "3 chains with 1 seed of fine-tuning; in brackets, 95 % intervals over chains and items.",
        ),
        (
            1,
            2,
            "items seeds",
            "1 chain with 2 seeds of fine-tuning; in brackets, 95 % intervals over seeds and items.",
        ),
    ],
)
def test_a_sentence_says_what_numbers_are_means_of(tmp_path, chains, seeds, covers, expected):
    fields = ["LS", "qab", "", "0.5", covers, str(seeds), str(chains)]
    header = ["row", "column", "published", "reproduced", "covers", "seeds", "chains"]
    (tmp_path / "c.tsv").write_text("\t".join(header) + "\n" + "\t".join(fields) + "\n")
    assert what_it_is(tmp_path / "c.tsv") == f"Means of {expected}"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.stem)
def test_published_cells_fit_the_rows_and_columns_of_their_table(paper):
    tables = yaml.safe_load(paper.read_text(encoding="utf-8"))["tables"]
    tables = {number: spec for number, spec in tables.items() if "rows" in spec}  # the others list languages
    reference = ROOT / "config/reference" / f"{paper.stem}.tsv"
    for number, spec in tables.items():
        cells = {(row["row"], column) for row in spec["rows"] for column in shown_columns(spec)}
        published = set(read_reference(reference, number))
        assert published <= cells
        # Some cells are printed as a dash, but no row and no column is empty.
        assert {row for row, _ in published} == {row for row, _ in cells}
        assert {column for _, column in published} == {column for _, column in cells}
    assert {row["table"] for row in csv.DictReader(reference.open(encoding="utf-8"), delimiter="\t")} == set(
        tables
    )


def test_known_cells_of_the_lead_paper():
    reference = ROOT / "config/reference/mosecrot.tsv"
    table2 = read_reference(reference, "2")
    assert table2["mBERT", "zh"] == 0.62
    assert table2["RRs sparsemax top50", "tt"] == 0.21
    # Section 5.3: RRs beat mBERT on all five unseen languages, by 0.12 for sah and 0.01 for nds.
    best = {
        c: max(v for (r, col), v in table2.items() if col == c and r.startswith("RRs"))
        for c in ("sah", "nds")
    }
    assert best["sah"] - table2["mBERT", "sah"] == pytest.approx(0.12)
    assert best["nds"] - table2["mBERT", "nds"] == pytest.approx(0.01)
    assert sum(len(read_reference(reference, number)) for number in "1234") == 18 + 48 + 10 + 6
    # Appendix B with all anchors has the same numbers as appendix A's last row: it is the same experiment.
    table3, table4 = read_reference(reference, "3"), read_reference(reference, "4")
    for column in ("de", "zh"):
        assert table3["6731", column] == table4["6731", column]
    assert sum(read_reference(reference, "anchors").values()) == 48_896


def test_a_cell_typed_twice_is_refused(tmp_path):
    path = tmp_path / "reference.tsv"
    header = "table\trow\tcolumn\tmetric\tvalue\tspread\tnote\n"
    path.write_text(header + "1\tLR\tde\tf\t0.1\t\t\n" * 2, encoding="utf-8")
    with pytest.raises(InputError, match=r"reference.tsv:3: "):
        read_reference(path, "1")
