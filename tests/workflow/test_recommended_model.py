"""The recommendation for the language of docs/own-language, on a small world: report, model, second runs."""

import csv
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from conftest import ROOT, copy_project, planned_jobs

pytestmark = pytest.mark.workflow
DOCS = "docs/own-language"
REPORT = "results/reports/best/taxi1500/qaa-qae.html"
CHOICE = "results/recommended/taxi1500/qaa-qae.tsv"
MODEL = "results/exported/best/taxi1500/qaa-qae"
TAKEN = "results/scores/recommended/taxi1500/qaa.tsv"
FEW = "few.yaml"
# One that the language's files do not allow, so that the report has something to say.
CANDIDATES = "recommend: {candidates: [frozen-rr-own, frozen-ls, frozen-orthogonal, frozen-wechsel]}\n"
OVERLAYS = ["tests/workflow/tiny.yaml", f"{DOCS}/own.yaml", str(ROOT / "tests/workflow/own.yaml"), FEW]
PIPELINE = """
import sys
from transformers import pipeline
classify = pipeline("text-classification", model=sys.argv[1], truncation=True, max_length=100)
print(*(answer["label"] for answer in classify(sys.argv[2:])), sep="\\n")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy with the page's files in it."""
    project = copy_project(tmp_path_factory.mktemp("recommend"))
    shutil.copytree(ROOT / DOCS, project.folder / DOCS, ignore=shutil.ignore_patterns("__pycache__"))
    (project.folder / FEW).write_text(CANDIDATES, encoding="utf-8")
    return project


@pytest.fixture(scope="module")
def reported(project):
    """The same after the one command."""
    project.snakemake(REPORT, "--configfile", *OVERLAYS)
    return project.folder


def candidates(folder):
    with (folder / CHOICE).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def test_the_candidate_with_the_most_information_is_chosen(reported):
    rows = candidates(reported)
    assert [row["recipe"] for row in rows] == ["frozen-rr-own", "frozen-ls", "frozen-orthogonal"]
    assert all(0 < float(row["information"]) < 1 for row in rows)
    best = max(rows, key=lambda row: float(row["information"]))
    assert [row["recipe"] for row in rows if row["chosen"]] == [best["recipe"]]


def test_the_report_says_what_was_chosen_of_what_and_what_was_not_tried(reported, browser):
    browser.open(reported / REPORT, "h1")
    assert browser.texts("h1") == ["A classifier for Mini E (qae)"]
    rows = candidates(reported)
    (best,) = [row for row in rows if row["chosen"]]
    assert browser.texts(".recipe b") == [best["recipe"]]
    assert [row[0] for row in browser.rows(".candidates")] == [row["recipe"] for row in rows]
    assert browser.texts(".candidates tr.chosen td")[:2] == [
        best["recipe"],
        f"{float(best['information']):.3f}",
    ]
    (left,) = browser.texts(".left-out li")
    assert left.startswith("frozen-wechsel: muse: the mini world has no qaa-qae.0-5000.txt")
    assert browser.texts("pre")[0] == f"xstitch classify {MODEL} texts.txt"
    assert browser.errors() == []


def measured(folder):
    """The macro-F1 on labelled test texts."""
    scores = pd.read_csv(folder / REPORT.replace(".html", ".scores.tsv"), sep="\t")
    return scores[scores["metric"] == "macro_f1"]["value"].item()


def test_with_labelled_texts_the_page_has_the_measured_score(reported, browser):
    browser.open(reported / REPORT, ".measured")
    assert browser.texts(".measured b") == [f"{measured(reported):.2f}"]


def test_the_card_says_what_was_measured_and_why_it_was_chosen(reported):
    card = (reported / MODEL / "README.md").read_text(encoding="utf-8")
    assert f"| macro_f1 | {measured(reported):.3f} |" in card
    assert re.search(
        r"^## How it was chosen\n\n- Of all 3 candidates, the answers of frozen-\S+ tell most", card, re.M
    )


def test_a_pipeline_loads_the_chosen_model_and_answers_as_the_evaluation_did(reported):
    test = pd.read_parquet(reported / "results/tasks/taxi1500/qae/test.parquet")
    answers = pd.read_parquet(reported / REPORT.replace(".html", ".parquet")).set_index("id")["predicted"]
    command = [sys.executable, "-c", PIPELINE, str(reported / MODEL), *test["text"][:5]]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.split("\n")[:-1] == [answers[number] for number in test["id"][:5]]


def test_the_scores_of_the_recipe_recommended_are_those_of_the_chosen_candidate(project, reported):
    project.snakemake(TAKEN, "--configfile", *OVERLAYS)
    (best,) = [row["recipe"] for row in candidates(reported) if row["chosen"]]
    scores, chosen = (
        pd.read_csv(reported / TAKEN.replace("recommended", name), sep="\t") for name in ("recommended", best)
    )
    assert set(scores["recipe"]) == {"recommended"}
    pd.testing.assert_frame_equal(scores.drop(columns="recipe"), chosen.drop(columns="recipe"))
    file = TAKEN.replace("scores", "predictions").replace(".tsv", ".parquet")
    taken, predicted = (
        pd.read_parquet(reported / file.replace("recommended", name)) for name in ("recommended", best)
    )
    pd.testing.assert_frame_equal(taken, predicted)


def test_a_second_run_does_nothing(project, reported):
    assert planned_jobs(project.snakemake("-n", REPORT, "--configfile", *OVERLAYS)) == {}
    assert (reported / REPORT).is_file()


def test_other_test_labels_change_the_score_but_not_the_choice(project, reported):
    before = (reported / CHOICE).read_bytes(), (reported / CHOICE).stat().st_mtime_ns
    file = reported / DOCS / "test.tsv"
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    labels = [row[1] for row in rows[1:]]
    turned = [[row[0], label, row[2]] for row, label in zip(rows[1:], labels[1:] + labels[:1], strict=True)]
    file.write_text("\n".join("\t".join(row) for row in [rows[0], *turned]) + "\n", encoding="utf-8")
    score = (reported / REPORT.replace(".html", ".scores.tsv")).read_bytes()
    jobs = planned_jobs(project.snakemake("-n", REPORT, "--configfile", *OVERLAYS))
    assert (
        jobs["evaluate_best"] == 1 and not {"choose_recipe", "gather_texts", "standardise_head"} & jobs.keys()
    )
    project.snakemake(REPORT, "--configfile", *OVERLAYS)
    assert (reported / REPORT.replace(".html", ".scores.tsv")).read_bytes() != score
    assert ((reported / CHOICE).read_bytes(), (reported / CHOICE).stat().st_mtime_ns) == before


def test_a_missing_dictionary_is_one_line(project):
    (project.folder / "none.yaml").write_text("lexica: {own: {folder: nowhere}}\n", encoding="utf-8")
    output = project.snakemake("-n", REPORT, "--configfile", *OVERLAYS, "none.yaml", check=False)
    assert re.findall("^error: .*$", output, re.M) == [
        "error: config: lexica.own.folder: nowhere/qaa-qae.tsv: no such file; "
        "paths are relative to the folder of the run"
    ]
