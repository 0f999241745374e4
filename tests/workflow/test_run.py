"""The whole workflow on a world smaller than mini, and what reruns after a change."""

import base64
import csv
import json
import shutil

import pyarrow.parquet as pq
import pytest
from conftest import TABLE, edited, planned_jobs
from transformers import pipeline

pytestmark = pytest.mark.workflow
LIBRARY = "workflow/scripts/xstitch"
TABLES = {"make_table": 1, "make_lead_table": 1}


def rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream, delimiter="\t"))


def test_the_table_has_the_papers_rows_and_our_columns(finished):
    table = rows(finished.folder / TABLE)
    assert table[0] == ["method", "qab", "qac", "qad"]
    assert [row[0] for row in table[1:]] == [
        "LR",
        "mBERT",
        "LS",
        "RRs standard top50",
        "RRs softmax top50",
        "RRs sparsemax top50",
        "not fine-tuned, standardised",
    ]
    assert all(0 <= float(cell) <= 1 for row in table[1:] for cell in row[1:])


def test_the_comparison_shows_all_published_cells_and_claims_no_match(finished):
    header, *cells = rows(finished.folder / "results/tables/table2.compare.tsv")
    published = [row for row in cells if row[header.index("published")]]
    ours = [row for row in cells if row[header.index("reproduced")]]
    assert (len(published), len(ours)) == (48, 21)
    assert {row[header.index("status")] for row in published} == {"absent"}
    assert {row[header.index("status")] for row in ours} == {"scale"}


def test_the_score_is_that_of_the_stitched_model(finished):
    """Predict with transformers' own pipeline and compare with the score file."""
    folder = finished.folder / "results/stitched/rr-softmax/taxi1500/qaa-qad/seed1"
    verses = finished.folder / "results/tasks/taxi1500/qad/test.parquet"
    import pandas as pd
    from sklearn.metrics import f1_score

    test = pd.read_parquet(verses)
    classify = pipeline("text-classification", model=str(folder), truncation=True, max_length=100)
    predicted = [answer["label"] for answer in classify(list(test["text"]))]
    labels = list(json.loads((folder / "config.json").read_text())["label2id"])
    expected = f1_score(test["label"], predicted, labels=labels, average="macro", zero_division=0)
    header, *scores = rows(finished.folder / "results/scores/rr-softmax/taxi1500/qaa.tsv")
    found = [
        row
        for row in scores
        if row[header.index("tgt")] == "qad" and row[header.index("metric")] == "macro_f1"
    ]
    assert float(found[0][header.index("value")]) == pytest.approx(expected, abs=1e-9)


def test_the_claims_about_the_table_are_judged_with_it(finished):
    header, *claims = rows(finished.folder / "results/claims/mosecrot/table2.tsv")
    records = [dict(zip(header, claim, strict=True)) for claim in claims]
    assert "rr-beat-ls-verses" in [record["claim"] for record in records]
    assert {record["paper"] for record in records} == {"mosecrot"}
    assert {record["scale"] for record in records} == {"mini"}
    assert {record["published"] for record in records} == {"supported", "not supported"}
    # All of the table's rows were run, with intervals over verses: no verdict lacks a number.
    assert {record["verdict"] for record in records} <= {"holds", "fails", "open"}
    assert all(" to " in record["numbers"] and "absent" not in record["numbers"] for record in records)
    lr, mbert = (
        float(row[2]) for row in rows(finished.folder / TABLE) if row[0] in ("LR", "mBERT")
    )  # qac, the low-resource language
    behind = next(record for record in records if record["claim"] == "mbert-far-behind-lr")
    shown = float(behind["numbers"].removeprefix("Table 2, LR - mBERT: qac ").split()[0])
    assert shown == pytest.approx(lr - mbert, abs=0.011)
    page = (finished.folder / "results/claims/mosecrot/table2.html").read_text(encoding="utf-8")
    assert "about the generated mini world" in page


def test_the_anchor_table_counts_the_anchors(finished):
    finished.tiny(target="results/tables/mosecrot/anchors.tsv")
    files = [f"results/anchors/full/mini-mono/qaa-{tgt}.parquet" for tgt in ("qab", "qac", "qad")]
    counts = [str(pq.read_metadata(finished.folder / file).num_rows) for file in files]
    assert rows(finished.folder / "results/tables/mosecrot/anchors.tsv")[1] == ["anchors", *counts]


def test_reviews_come_from_the_mirror_or_from_a_local_folder(finished):
    target = "results/tasks/marc3/qab/train.parquet"
    finished.tiny(target=target)
    mirrored = pq.read_table(finished.folder / target)
    assert len(mirrored) == 20  # tiny.yaml
    assert mirrored["label"].value_counts().to_pylist() == [
        {"values": label, "counts": count}
        for label, count in [("negative", 8), ("neutral", 4), ("positive", 8)]
    ]
    copy = finished.folder / "copy"
    copy.mkdir()
    for file in (finished.folder / "resources/marc/2020").rglob("dataset_qab_*.json"):
        shutil.copyfile(file, copy / file.name)
    (finished.folder / target).unlink()
    finished.tiny("--config", "local={marc: copy}", target=target)
    assert pq.read_table(finished.folder / target).equals(mirrored)


def test_a_second_run_does_nothing(finished):
    assert finished.planned() == {}
    assert "Nothing to be done" in finished.tiny(target="all")
    assert "Nothing to be done" in finished.snakemake("-n", "--configfile", "tests/workflow/tiny.yaml")


def test_a_comment_or_docstring_in_the_library_reruns_nothing(finished):
    path = finished.folder / LIBRARY / "spaces/relative.py"
    with edited(path, '"""Softmax of each row."""', '"""Softmax, row by row."""  # said otherwise'):
        assert finished.planned() == {}


def test_a_changed_function_reruns_exactly_its_dependents(finished):
    # Relative representations are behind the mapping of every stitched recipe: 5 recipes, 3 pairs; LS and
    # what is never fine-tuned fine-tune nothing anew. mBERT, the original model, anchors and vectors stay.
    with edited(finished.folder / LIBRARY / "spaces/relative.py", "scores.max(axis=1", "scores.min(axis=1"):
        assert finished.planned() == {
            "map_embeddings": 15,
            "finetune_model": 9,
            "stitch_model": 15,
            "standardise_head": 3,
            "evaluate_models": 5,
            **TABLES,
        }


def test_the_reason_for_a_rerun_names_the_changed_module(finished):
    with edited(finished.folder / LIBRARY / "spaces/relative.py", "scores.max(axis=1", "scores.min(axis=1"):
        dry_run = finished.tiny("-n")
    assert dry_run.count("reason: xstitch.spaces.relative changed\n") == 15  # map_embeddings, as above


def test_a_changed_function_two_imports_away_reruns_its_dependents(finished):
    # scores -> metrics: only what scores, trains (best checkpoint) or makes tables reaches it.
    with edited(finished.folder / LIBRARY / "results/metrics.py", "2 * (is_gold", "2.0 * (is_gold"):
        jobs = finished.planned()
    assert jobs["evaluate_classifiers"] == 1
    assert jobs["finetune_model"] == 2 + 9
    assert not jobs.keys() & {
        "map_embeddings",
        "build_anchors",
        "pretrain_encoder",
        "train_vectors",
        "import_task",
    }


def test_a_changed_recipe_reruns_exactly_its_descendants(finished):
    with edited(
        finished.folder / "config/base/mosecrot.yaml",
        "{weighting: softmax}",
        "{weighting: softmax, tau: 0.2}",
    ):
        assert finished.planned() == {
            "map_embeddings": 3,
            "finetune_model": 3,
            "stitch_model": 3,
            "evaluate_models": 1,
            **TABLES,
        }


def test_a_changed_anchor_setting_spares_the_models_without_anchors(finished):
    with edited(finished.folder / "config/base/mosecrot.yaml", "min_score: 0 #", "min_score: 1 #"):
        jobs = finished.planned()
    assert jobs["build_anchors"] == 3
    assert jobs["finetune_model"] == 9


def test_a_changed_published_number_remakes_only_the_table(finished):
    with edited(finished.folder / "config/reference/mosecrot.tsv", "0.62", "0.63"):
        assert finished.planned() == TABLES


def test_a_changed_claim_is_only_judged_again(finished):
    with edited(finished.folder / "config/papers/mosecrot.yaml", "by: 0.05}", "by: 0.06}"):
        jobs = planned_jobs(finished.tiny("-n", target="all"))
    # The index of tables reads the papers' files, too; no table is made again.
    assert jobs == {"all": 1, "make_claims": 1, "make_table_index": 1}


def test_a_changed_predicate_is_judged_again_without_new_tables(finished):
    with edited(finished.folder / LIBRARY / "results/claims/logic.py", "leaf.margin > 0", "leaf.margin > 1"):
        jobs = planned_jobs(finished.tiny("-n", target="all"))
    assert jobs == {"all": 1, "make_claims": 1}


REPORTED = ["all", "results/tables/mosecrot/anchors.tsv", "results/tables/x2s/table4.tsv"]
# By the page of a table: its numbers in a file, and the table of the page that has them.
SHOWN = {
    "results/tables/mosecrot/table2.html": ("results/tables/mosecrot/table2.tsv", "table.scores"),
    "results/tables/mosecrot/anchors.html": ("results/tables/mosecrot/anchors.tsv", "table.scores"),
    "results/tables/x2s/table4.html": ("results/tables/x2s/table4.tsv", "table.listing"),
    "results/tables/index.html": ("results/tables/index.tsv", "table.listing"),
}


@pytest.fixture(scope="module")
def report(finished):
    """The report on several tables."""
    tiny = ["--configfile", "tests/workflow/tiny.yaml"]
    finished.snakemake(*REPORTED, *tiny)
    finished.snakemake(*REPORTED, *tiny, "--report", "report.html")
    return finished.folder / "report.html"


def test_the_report_is_one_file_that_has_all_its_pages(finished, report):
    assert report.stat().st_size < 15e6
    content = report.read_text(encoding="utf-8")
    for page in SHOWN:
        assert base64.b64encode((finished.folder / page).read_bytes()).decode() in content


def test_the_report_opens_on_its_lead_table(finished, report, browser):
    browser.open(report, ".landing table.scores")
    table = rows(finished.folder / TABLE)
    shown = browser.rows(".landing table.scores")
    assert [row[:4] for row in shown] == table[1:]
    published = {"LR": "0.30", "mBERT": "0.24", "LS": "0.14"}  # German, in the paper's Table 2
    assert {row[0]: row[4] for row in shown[:3]} == published
    header, *cells = rows(finished.folder / "results/tables/table2.compare.tsv")
    low, high = (float(cells[0][header.index(end)]) for end in ("low", "high"))
    assert browser.texts(".landing td[data-value] small")[0] == f"{low:.2f} to {high:.2f}"
    assert "Scale mini" in browser.texts(".landing .warnings")[0]
    assert browser.errors() == []


def test_the_landing_page_says_what_was_run_and_where_it_comes_from(finished, report, browser):
    browser.open(report, ".landing .stages")
    facts = dict(row[:2] for row in browser.rows(".landing .facts"))
    assert facts["target languages"] == "Mini B (qab), Mini C (qac), Mini D (qad)"
    assert facts["seeds"] == "1"
    recorded = json.loads((finished.folder / "results/provenance.json").read_text(encoding="utf-8"))
    settings = {environment["config"][:12] for environment in recorded["environments"].values()}
    assert facts["settings"] in settings
    costs = {row[0]: row[1] for row in browser.rows(".landing .costs")}
    # Five recipes map and stitch three pairs each; of 11 fine-tuned models two are in no pair's space. A head
    # is fitted, and standardised for each pair.
    assert costs["Train"] == str(15 + 11 + 15 + 1 + 3)
    assert costs["Score"] == "7"  # recipes
    titles = browser.texts(".landing .stages text[font-weight]")
    assert [title.split(" ", 1)[0] for title in titles] == list("1234567")


@pytest.mark.parametrize("page", SHOWN)
def test_every_table_of_the_report_opens_with_its_numbers(finished, report, browser, page):
    browser.open(report, ".landing")
    (link,) = browser.find(f""".landing .links a[onclick*="'{page}'"]""")
    link.click()
    file, shown = SHOWN[page]
    browser.enter_frame(shown)
    header, *table = rows(finished.folder / file)
    assert [row[: len(header)] for row in browser.rows(shown)] == table
    assert browser.errors() == []


def test_the_claims_of_the_lead_table_are_there_and_open(finished, report, browser):
    claims = "results/claims/mosecrot/table2"
    header, *judged = rows(finished.folder / f"{claims}.tsv")
    browser.open(report, ".landing .claims")
    places = [header.index(name) for name in ("says", "published", "verdict")]
    assert browser.rows(".landing .claims") == [[claim[place] for place in places] for claim in judged]
    browser.find(f""".landing .links a[onclick*="'{claims}.html'"]""")[0].click()
    browser.enter_frame("table")
    assert len(browser.find("td.claim")) == len(judged)


def test_the_menu_opens_a_table_too(report, browser):
    browser.open(report, ".landing")
    for name in ("Tables", "mosecrot"):
        entry = f"//nav//*[normalize-space(text())='{name}']"
        browser.wait_for(entry, "xpath").click()
    browser.wait_for("//nav//td[normalize-space()='table2']/following-sibling::td//a", "xpath").click()
    browser.enter_frame("table.scores")
    assert browser.texts("h1") == ["Macro-F1 on Taxi1500"]


def test_a_table_is_sorted_by_a_click_and_searched(finished, browser):
    browser.open(finished.folder / "results/tables/mosecrot/table2.html", "table.scores")
    values = [float(row[1]) for row in rows(finished.folder / TABLE)[1:]]
    for ordered in (sorted(values), sorted(values, reverse=True)):
        browser.find("table.scores thead tr:last-child th:nth-child(2) button")[0].click()
        assert [float(row[1]) for row in browser.rows("table.scores")] == ordered
    browser.find("input[type=search]")[0].send_keys("softmax top50")
    assert [row[0] for row in browser.rows("table.scores")] == ["RRs softmax top50"]
    assert {row[0] for row in browser.rows("table.listing")} == {"RRs softmax top50"}


def test_a_changed_template_remakes_only_pages(finished):
    template = finished.folder / LIBRARY / "results/page_template.py"
    with edited(template, "Search rows", "Search the rows"):
        assert finished.planned() == TABLES
