"""The walk through docs/own-language.md, on a small world: report, model, coverage, and what it refuses."""

import csv
import json
import os
import re
import runpy
import shlex
import shutil
import stat
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from conftest import ROOT, copy_project, edited, planned_jobs
from huggingface_hub import ModelCard
from sklearn.metrics import confusion_matrix, f1_score

from xstitch.vectors.table import Vectors

pytestmark = pytest.mark.workflow
DOCS = "docs/own-language"
REPORT = "results/reports/rr-softmax/taxi1500/qaa-qae.html"
COVERAGE = REPORT.replace(".html", ".coverage.tsv")
MODEL = "results/stitched/rr-softmax/taxi1500/qaa-qae/seed1"
CARD = "results/exported/rr-softmax/taxi1500/qaa-qae/seed1/README.md"
OVERLAYS = ["tests/workflow/tiny.yaml", f"{DOCS}/own.yaml", str(ROOT / "tests/workflow/own.yaml")]
# The variant of the page: vectors instead of text, and no test data.
VECTORS = """
languages: {{qae: {{name: Mini E, lexicon: own}}}}
lexica: {{own: {{kind: tsv, folder: {folder}}}}}
vectors: {{own: {{origin: import, files: {{qae: {file}}}, limit: 200000}}}}
anchors: {{full: {{vectors: own}}}}
tasks: {{taxi1500: {{targets: [qae]}}}}
"""
CLASSIFY = """
import sys
from transformers import AutoModelForSequenceClassification, AutoTokenizer
tokens = AutoTokenizer.from_pretrained(sys.argv[1])(sys.argv[2], return_tensors="pt")
model = AutoModelForSequenceClassification.from_pretrained(sys.argv[1])
print(model.config.id2label[int(model(**tokens).logits.argmax())])
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy with the page's files in it."""
    project = copy_project(tmp_path_factory.mktemp("own"))
    shutil.copytree(ROOT / DOCS, project.folder / DOCS, ignore=shutil.ignore_patterns("__pycache__"))
    return project


@pytest.fixture(scope="module")
def reported(project):
    """The same after the page's one command."""
    project.snakemake(REPORT, "--configfile", *OVERLAYS)
    return project.folder


@pytest.fixture(scope="module")
def exported(project, reported):
    """The folder to give away."""
    project.snakemake(CARD, "--configfile", *OVERLAYS)
    return (reported / CARD).parent


def current_umask():
    umask = os.umask(0o022)
    os.umask(umask)
    return umask


def coverage(folder):
    with (folder / COVERAGE).open(encoding="utf-8", newline="") as stream:
        return {row["measure"]: row for row in csv.DictReader(stream, delimiter="\t")}


def plan(project, content, *arguments, target=REPORT):
    """Dry-run with one more overlay, and return all that was printed."""
    overlay = project.folder / "overlay.yaml"
    overlay.write_text(content, encoding="utf-8")
    files = [*OVERLAYS[::2], str(overlay)]
    return project.snakemake("-n", target, "--configfile", *files, *arguments, check=False)


def test_the_pages_files_are_those_of_the_world():
    made = runpy.run_path(str(ROOT / DOCS / "make_files.py"))["own_files"]()
    for name, content in made.items():
        known = (ROOT / DOCS / name).read_text(encoding="utf-8")
        assert known == content, f"run {DOCS}/make_files.py: the world has changed"


def test_the_page_shows_the_configuration_as_it_is():
    page = (ROOT / "docs/own-language.md").read_text(encoding="utf-8")
    shown = re.search("```yaml\n(.*?)```", page, re.S)[1]
    assert yaml.safe_load(shown) == yaml.safe_load((ROOT / DOCS / "own.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def answers(reported):
    """The model's answers in Mini E, by sentence."""
    table = pd.read_parquet(reported / "results/predictions/rr-softmax/taxi1500/qaa.parquet")
    return table[table["tgt"] == "qae"].set_index("id")


def macro_f1(table, labels):
    return f1_score(table["label"], table["predicted"], labels=labels, average="macro", zero_division=0)


def labels_of(reported):
    return list(json.loads((reported / MODEL / "config.json").read_text(encoding="utf-8"))["label2id"])


def test_the_report_warns_first_and_says_how_to_use_the_model(reported, browser):
    browser.open(reported / REPORT, "h1")
    assert browser.texts("h1") == ["Mini E (qae)"]
    assert browser.texts("h1 + p") == [
        "Stitched to a model of Mini A (qaa) by recipe rr-softmax for task taxi1500."
    ]
    (warnings,) = browser.texts("h1 + p + .warnings")
    assert "anchors link the language to the model" in warnings
    assert "words have vectors; with fewer than 5,000" in warnings
    assert browser.texts("pre")[0] == f"xstitch classify {MODEL} texts.txt"
    (model,) = browser.texts(".models li")
    assert re.fullmatch(rf"{MODEL}: the weights of step \d+ of \d+ \(0\.\d+ on development texts\)", model)
    assert [row[1] for row in browser.rows(".coverage")] == [
        row["value"] for row in coverage(reported).values()
    ]
    assert browser.errors() == []


def test_the_report_has_the_score_beside_the_source_languages(reported, answers, browser):
    browser.open(reported / REPORT, ".evaluation")
    (found,) = [row for row in browser.rows(".evaluation") if row[0] == "macro-F1"]
    labels = labels_of(reported)
    assert found[1] == f"{macro_f1(answers, labels):.3f}"
    frequent = answers.assign(predicted=answers["label"].mode()[0])
    assert found[4] == f"{macro_f1(frequent, labels):.3f}"
    source = pd.read_parquet(reported / REPORT.replace(".html", ".source.parquet"))
    truth = pd.read_parquet(reported / "results/tasks/taxi1500/qaa/test.parquet")
    assert source["label"].tolist() == truth["label"].tolist()
    assert found[5] == f"{macro_f1(source, labels):.3f}"
    low, high = map(float, found[2].split(" to "))
    assert low <= round(macro_f1(answers, labels), 2) <= high
    assert browser.texts(".card b")[:2] == [f"{macro_f1(table, labels):.2f}" for table in (answers, source)]


def test_the_report_counts_confusions_and_shows_examples_with_unknown_words(reported, answers, browser):
    browser.open(reported / REPORT, ".confusion")
    labels = browser.texts(".confusion thead th")[1:]
    assert set(labels) == set(labels_of(reported))
    assert [row[0] for row in browser.rows(".confusion")] == labels
    expected = confusion_matrix(answers["label"], answers["predicted"], labels=labels)
    assert [row[1:] for row in browser.rows(".confusion")] == [[str(n) for n in row] for row in expected]
    right = (answers["label"] == answers["predicted"]).sum()
    shown = {name: browser.rows(f".examples.{name}") for name in ("right", "wrong")}
    assert {name: len(rows) for name, rows in shown.items()} == {
        "right": min(10, right),
        "wrong": min(10, len(answers) - right),
    }
    assert all(row[0] != row[1] for row in shown["wrong"])
    vectors = set(Vectors.load(reported / "results/vectors/fasttext/qae.npz").words)
    for text in browser.texts(".examples td:nth-child(3)"):
        sentence, *said = text.split("\n")
        listed = {word for line in said for word in line.split(": ")[1].split(", ")}
        words = {word for word in sentence.split() if word.isalnum()}
        assert listed == {word for word in words if word.lower() not in vectors}


def test_the_exported_folder_is_complete_readable_and_free_of_snakemake(exported):
    names = {path.name: stat.S_IMODE(path.stat().st_mode) for path in exported.iterdir()}
    assert sorted(names) == [
        *("README.md", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"),
        "xstitch.json",
    ]
    assert set(names.values()) == {0o666 & ~current_umask()}
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        assert (exported / name).read_bytes() == (exported.parents[5] / MODEL / name).read_bytes()


def test_the_card_has_the_scores_of_the_score_file(exported, reported):
    data = ModelCard((exported / "README.md").read_text(encoding="utf-8")).data
    scores = pd.read_csv(reported / "results/scores/rr-softmax/taxi1500/qaa.tsv", sep="\t")
    expected = dict(zip(scores["metric"], scores["value"], strict=True))
    assert data.language == ["qae"]
    assert {result.metric_name.partition(",")[0]: result.metric_value for result in data.eval_results} == {
        metric: pytest.approx(value, abs=5e-5) for metric, value in expected.items()
    }
    for result in data.eval_results:
        low, high = map(float, re.findall(r"0\.\d+", result.metric_name))
        assert low < result.metric_value < high


def test_a_card_reruns_no_training(project, exported):
    with edited(project.folder / "workflow/scripts/xstitch/results/model_card.py", "calibrated", "tuned"):
        dry_run = project.snakemake("-n", CARD, "--configfile", *OVERLAYS)
    assert exported.is_dir()
    assert planned_jobs(dry_run) == {"export_model": 1}


def test_classify_answers_as_the_evaluation_did(exported, reported):
    test = pd.read_csv(reported / DOCS / "test.tsv", sep="\t", dtype=str)
    predictions = pd.read_parquet(reported / "results/predictions/rr-softmax/taxi1500/qaa.parquet")
    command = [sys.executable, str(ROOT / "workflow/scripts/xstitch"), "classify", str(exported)]
    result = subprocess.run(
        command, input="\n".join(test["text"]) + "\n", capture_output=True, text=True, check=True
    )
    answers = [line.split("\t") for line in result.stdout.splitlines()[1:]]
    by_id = dict(zip(predictions["id"], predictions["predicted"], strict=True))
    assert [answer[0] for answer in answers] == [by_id[number] for number in test["id"]]
    assert [answer[2] for answer in answers] == list(test["text"])
    assert result.stderr == ""


def test_a_fresh_process_loads_the_model_and_classifies(reported):
    test = pd.read_csv(reported / DOCS / "test.tsv", sep="\t", dtype=str)
    command = [sys.executable, "-c", CLASSIFY, str(reported / MODEL), test["text"][0]]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() in set(test["label"])


def test_coverage_is_what_counting_by_other_means_gives(reported):
    found = coverage(reported)
    words = set(Vectors.load(reported / "results/vectors/fasttext/qae.npz").words)
    anchors = pd.read_parquet(reported / "results/anchors/full/mini-mono/qaa-qae.parquet")
    lexicon = pd.read_csv(reported / DOCS / "qaa-qae.tsv", sep="\t", header=None, dtype=str, na_filter=False)
    translations = set(lexicon[1].str.lower())
    # The world writes spaces around marks, so that splitting there gives the tokenizer's words.
    test = pd.read_csv(reported / DOCS / "test.tsv", sep="\t", dtype=str)
    tokens = [token for text in test["text"] for token in text.lower().split() if token.isalnum()]
    missing = sum(token not in words for token in tokens)
    assert found["words with vectors"]["value"] == str(len(words))
    assert found["words of the lexicon"]["value"] == str(len(translations))
    listed = sum(token in translations for token in tokens)
    assert found["share of these in the lexicon"]["value"] == f"{listed / len(tokens):.3f}"
    assert found["anchors"]["value"] == str(len(anchors))
    assert found["words of the test texts"]["value"] == str(len(tokens))
    assert found["share of these without vectors"]["value"] == f"{missing / len(tokens):.3f}"


def test_vectors_in_a_file_and_no_test_data(project, reported):
    project.snakemake("results/vectors/fasttext/qae.vec", "--configfile", *OVERLAYS)
    # A file of the user's own: under its first address it would be an output, which needs text.
    (reported / "results/vectors/fasttext/qae.vec").rename(reported / "mine.vec")
    content = VECTORS.format(folder=DOCS, file="mine.vec")
    jobs = planned_jobs(plan(project, content))
    assert jobs["import_vectors"] == jobs["stitch_model"] == jobs["report_language"] == 1
    assert not jobs.keys() & {"evaluate_models", "train_vectors"}
    project.snakemake(COVERAGE, "--configfile", *OVERLAYS[::2], "overlay.yaml")
    assert "most frequent words with vectors" in coverage(reported)
    assert "words of the test texts" not in coverage(reported)


def test_the_page_shows_a_text_that_the_language_has():
    page = (ROOT / "docs/own-language.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r'classify\("(.+)"\)', page)
    assert f"\t{shown}\n" in (ROOT / DOCS / "test.tsv").read_text(encoding="utf-8")


def test_vectors_by_address_come_through_the_downloader(project, reported):
    mirror = project.folder / "mirror/vectors.example"
    mirror.mkdir(parents=True)
    (mirror / "qae.vec").write_text("2 2\nso 1 0\nwow 0 1\n", encoding="utf-8")
    content = VECTORS.format(folder=DOCS, file="https://vectors.example/qae.vec")
    (project.folder / "address.yaml").write_text(content, encoding="utf-8")
    project.snakemake(
        "results/vectors/own/qae.npz",
        *("--configfile", *OVERLAYS[::2], "address.yaml"),
        *("--config", "mirror=mirror", "lock=given.lock.tsv"),
    )
    assert Vectors.load(reported / "results/vectors/own/qae.npz").words == ["so", "wow"]
    assert (reported / "resources/given/vectors.example/qae.vec").is_file()
    assert "https://vectors.example/qae.vec\t" in (reported / "given.lock.tsv").read_text(encoding="utf-8")


def test_the_pages_command_writes_a_configuration_that_plans_the_same_jobs(project):
    page = (ROOT / "docs/own-language.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^    xstitch (new-language qae .*?[^\\])$", page, re.M | re.S)
    arguments = shlex.split(shown.replace("\\\n", ""))
    program = [sys.executable, str(project.folder / "workflow/scripts/xstitch")]
    result = subprocess.run(
        [*program, *arguments],
        cwd=project.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    command, _ = (shlex.split(line) for line in result.stdout.splitlines()[-2:])
    assert command[:3] == ["snakemake", REPORT, CARD]
    written = command[command.index("--configfile") + 1]
    targets = ["-n", "--forceall", REPORT, CARD, "--configfile"]
    by_command = project.snakemake(*targets, OVERLAYS[0], written, OVERLAYS[2])
    by_hand = project.snakemake(*targets, *OVERLAYS)
    assert planned_jobs(by_command) == planned_jobs(by_hand)
    assert planned_jobs(by_hand)["export_model"] == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "folder: docs/own-language",
            "folder: docs",
            "config: lexica.own.folder: docs/qaa-qae.tsv: no such file",
        ),
        ("lexicon: own", "lexicon: muse", "muse: the mini world has no qaa-qae.txt; name your own file"),
        ("name: Mini E, ", "", "config: languages.qae: 'qae' is not defined"),
        ("{qae: v.vec}", "{qab: v.vec}", "config: vectors.own.files.qae is missing: name a file"),
        ("v.vec", "no.vec", "config: vectors.own.files.qae: no.vec: no such file"),
    ],
)
def test_a_mistake_is_one_line(project, old, new, message):
    (project.folder / "v.vec").write_text("1 1\nso 1\n", encoding="utf-8")
    content = VECTORS.format(folder=DOCS, file="v.vec")
    assert old in content
    output = plan(project, content.replace(old, new))
    assert re.findall("^error: .*$", output, re.M)[0].startswith(f"error: {message}")
    assert "Traceback" not in output


def test_an_evaluation_without_test_data_is_refused(project):
    (project.folder / "v.vec").write_text("1 1\nso 1\n", encoding="utf-8")
    content = VECTORS.format(folder=DOCS, file="v.vec")
    output = plan(project, content, target="results/scores/rr-softmax/taxi1500/qaa.tsv")
    assert "error: config: tasks.taxi1500.files.qae is missing: nothing else has" in output
