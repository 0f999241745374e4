"""Rows that a run leaves out, and rows that a paper quotes from other work, stay empty."""

import csv

import pytest
import yaml
from conftest import planned_jobs

pytestmark = pytest.mark.workflow
TABLE = "results/tables/mosecrot/table2.tsv"
WITHOUT = "without: [mbert, ls, rr-standard, rr-softmax, rr-sparsemax, frozen-rr-own]\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory, seeded):
    """A copy whose table has a row of other work."""
    project = seeded(tmp_path_factory.mktemp("without"))
    papers = project.folder / "config/papers/mosecrot.yaml"
    content = yaml.safe_load(papers.read_text(encoding="utf-8"))
    content["tables"]["2"]["rows"].append({"row": "Others", "recipe": "published-others"})
    papers.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    with (project.folder / "config/reference/mosecrot.tsv").open("a", encoding="utf-8") as stream:
        stream.write("2\tOthers\tde\tmacro_f1\t0.50\t\t\n")
    (project.folder / "without.yaml").write_text(WITHOUT, encoding="utf-8")
    return project


def rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream, delimiter="\t"))


def test_only_the_other_rows_are_computed_and_the_table_shows_all(project):
    project.tiny("without.yaml", target=TABLE)
    header, *table = rows(project.folder / TABLE)
    assert header == ["method", "qab", "qac", "qad"]
    assert [row[0] for row in table][:3] == ["LR", "mBERT", "LS"]
    assert all(table[0][1:])
    assert {cell for row in table[1:] for cell in row[1:]} == {""}
    assert [row[0] for row in table][-2:] == ["Others", "not fine-tuned, standardised"]
    assert not (project.folder / "results/models").exists()
    columns, *cells = rows(project.folder / TABLE.replace(".tsv", ".compare.tsv"))
    status = {tuple(cell[:2]): cell[columns.index("status")] for cell in cells}
    assert status["mBERT", "de"] == status["Others", "de"] == "absent"
    assert status["LR", "qab"] == "scale"


def test_what_is_left_out_is_planned_no_more(project):
    jobs = planned_jobs(project.snakemake("-n", TABLE))
    assert jobs["evaluate_models"] == 3 * 6
    (project.folder / "mbert.yaml").write_text("without: [mbert]\n", encoding="utf-8")
    jobs = planned_jobs(project.snakemake("-n", TABLE, "--configfile", "mbert.yaml"))
    assert jobs["evaluate_models"] == 3 * 5
    assert jobs["pretrain_encoder"] == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("without: [mbrt]", "error: config: without: 'mbrt' is not defined"),
        (
            WITHOUT.replace("[", "[lr, "),
            "error: table 2 of mosecrot cannot be made yet: the configuration leaves out all of its rows",
        ),
    ],
)
def test_a_mistake_is_one_line(project, content, message):
    (project.folder / "wrong.yaml").write_text(content, encoding="utf-8")
    output = project.snakemake("-n", TABLE, "--configfile", "wrong.yaml", check=False)
    assert message in output
    assert "Traceback" not in output
