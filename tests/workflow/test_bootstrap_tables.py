"""Bootstrapped anchors: every table on the tiny world."""

import csv

import pytest
import yaml
from conftest import ROOT

pytestmark = pytest.mark.workflow
TABLE = "results/tables/bootstrap/table{}.tsv"
FIGURE = "results/figures/bootstrap/figure1.svg"
CLAIMS = "results/claims/bootstrap.tsv"
OURS = ["AO, nearest words", "AO, seeds move", "alternating"]
HEADS = ["AO, nearest texts", "alternating"]


def read(path):
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream, delimiter="\t")
    return header, {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows}


@pytest.fixture(scope="module")
def tables(tmp_path_factory, seeded):
    """All tables and a figure of the tiny world."""
    project = seeded(tmp_path_factory.mktemp("bootstrap"))
    overlays = ["tests/workflow/tiny.yaml", str(ROOT / "tests/workflow/bootstrap.yaml")]
    targets = [*map(TABLE.format, range(1, 8)), FIGURE, CLAIMS]
    project.snakemake(*targets, "--configfile", *overlays)
    return project.folder


@pytest.mark.parametrize(
    ("number", "pairs", "measures", "ours"),
    [
        (1, ["FT-W2V", "W2V-FT"], ["Jaccard", "MRR", "Cosine"], OURS),
        (2, ["qaa-qab", "qab-qaa"], ["Fscore", "MAE"], HEADS),
        (4, ["FT-FT", "FT-W2V", "W2V-FT", "W2V-W2V"], ["Jaccard", "MRR", "Cosine"], OURS),
        (5, ["FT-FT", "FT-W2V", "W2V-FT", "W2V-W2V"], ["Jaccard", "MRR", "Cosine"], OURS),
        (6, ["qaa-qaa", "qaa-qab", "qab-qaa", "qab-qab"], ["Fscore", "MAE"], HEADS),
    ],
)
def test_all_recipes_and_both_bounds_fill_every_cell(tables, number, pairs, measures, ours):
    header, rows = read(tables / TABLE.format(number))
    assert header[1:] == [f"{measure} {pair}" for pair in pairs for measure in measures]
    assert list(rows) == ["GT", "Seed", "AO", *ours]
    assert all(cell for row in rows.values() for cell in row.values())


def test_a_space_retrieves_itself(tables):
    for number in (4, 5, 7):
        for row in read(tables / TABLE.format(number))[1].values():
            within = [value for column, value in row.items() if len(set(column.split()[1].split("-"))) == 1]
            assert set(within) == {"1.00"}


def test_known_anchors_do_not_depend_on_the_side_that_is_searched(tables):
    there, back = (read(tables / TABLE.format(number))[1] for number in (4, 5))
    assert all(there[row] == back[row] for row in ("GT", "Seed"))


def test_published_numbers_stand_beside_ours(tables):
    with (tables / "results/tables/bootstrap/table1.compare.tsv").open(encoding="utf-8") as stream:
        cells = {(row["row"], row["column"]): row for row in csv.DictReader(stream, delimiter="\t")}
    assert cells["AO", "MRR FT-W2V"]["published"] == "0.9900"
    assert cells["AO", "MRR FT-W2V"]["status"] == "scale"
    assert cells["alternating", "MRR FT-W2V"]["published"] == ""


def test_hyper_parameters_are_those_of_the_configuration(tables):
    rows = read(tables / TABLE.format(3))[1]
    column = {row: float(cells["Zero-shot stitching"]) for row, cells in rows.items()}
    assert column["Number of optimization steps"] == 3  # the tiny world's
    assert column["Number of anchors to approximate"] == 30
    assert column["Learning rate"] == 0.05
    assert column["Sinkhorn eps"] == 1e-4
    assert float(rows["Learning rate"]["Retrieval"]) == 0.02


def test_absolute_vectors_of_two_models_have_nothing_in_common(tables):
    rows = read(tables / TABLE.format(7))[1]
    assert list(rows)[-1] == "alternating relative"
    for mode in ("GT", "Seed", "AO"):
        absolute = rows[f"{mode} absolute"]
        assert {absolute[f"{name} base-small"] for name in ("Jaccard", "MRR", "Cosine")} == {""}
        assert rows[f"{mode} relative"]["MRR base-small"]


def test_all_claims_of_the_paper_are_judged(tables):
    with (tables / CLAIMS).open(encoding="utf-8", newline="") as stream:
        claims = list(csv.DictReader(stream, delimiter="\t"))
    written = yaml.safe_load((ROOT / "config/papers/bootstrap.yaml").read_text(encoding="utf-8"))["claims"]
    assert [claim["claim"] for claim in claims] == list(written)
    verdicts = {claim["claim"]: claim["verdict"] for claim in claims}
    assert set(verdicts.values()) <= {"holds", "fails", "open"}  # every table was made
    settings = {row: float(cells["Retrieval"]) for row, cells in read(tables / TABLE.format(3))[1].items()}
    tenfold = settings["Number of anchors to approximate"] >= 10 * settings["Number of seeds"]
    assert verdicts["tenfold-fewer-anchors"] == ("holds" if tenfold else "fails")


def test_the_figure_has_its_points_beside_it(tables):
    drawing = (tables / FIGURE).read_text(encoding="utf-8")
    assert all(f">{label}<" in drawing for label in ("FT", "W2V", "absolute", "GT", "Seed", "AO"))
    with (tables / FIGURE).with_suffix(".tsv").open(encoding="utf-8") as stream:
        points = list(csv.DictReader(stream, delimiter="\t"))
    assert {point["row"] for point in points} == {"absolute", "GT", "Seed", "AO", "alternating"}


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (1, "vectors.google-news.files.en: models/GoogleNews-vectors-negative300.bin: no such file"),
        (7, "encoders.vit-small.folder: models/vit-small-patch16-224 is not a folder"),
    ],
)
def test_the_papers_own_models_must_be_brought(clone, number, message):
    output = clone.snakemake("-n", TABLE.format(number), "--configfile", "config/paper.yaml", check=False)
    assert f"error: table {number} of bootstrap cannot be made yet: config: {message}" in output
