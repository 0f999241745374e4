"""`xstitch new-language`: the configuration it writes is one that a run accepts; what is missing is named."""

import shlex
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from small_run import ROOT

from xstitch.command.language_files import REPORT
from xstitch.command.main import main
from xstitch.plan.overlays import lay
from xstitch.plan.run import load_run

PAIRS, TEXT, TEST = "dog\tperro\ncat\tgato\n", "El perro corre.\n", "1\tSin\tel perro\n2\tFaith\tel gato\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the project's configuration, and one's own files in it."""
    (tmp_path / "Snakefile").touch()
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for name, content in {"pairs.tsv": PAIRS, "es.txt": TEXT, "test.tsv": TEST}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False))
    return tmp_path


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["new-language", *arguments])
    shown = capsys.readouterr()
    return ended.value.code, shown.out, shown.err.splitlines()


def accepted(file, scale="real"):
    """The run with a configuration, checked as Snakemake's would be."""
    return load_run(lay("config/config.yaml", [Path(file)], {"scale": scale}, ROOT / "config"), ROOT)


GIVEN = ["--dictionary", "pairs.tsv", "--text", "es.txt", "--test", "test.tsv"]


def test_a_run_accepts_what_is_written(project, capsys):
    code, shown, errors = run(capsys, "es", *GIVEN)
    assert (code, errors) == (0, [])
    made = accepted("languages/es/es.yaml")
    assert made.config["languages"]["es"]["lexicon"] == "own"
    assert made.config["corpora"]["cc100"]["files"] == {"es": "es.txt"}
    assert made.config["anchors"]["full"]["vectors"] == "fasttext"
    assert made.tasks["taxi1500"]["targets"] == ["es"]
    assert made.tasks["taxi1500"]["files"] == {"es": {"test": "test.tsv"}}
    # The dictionary has the name by which a run finds it.
    assert made.config["lexica"]["own"]["folder"] == "languages/es"
    assert (project / "languages/es/en-es.tsv").read_text(encoding="utf-8") == PAIRS
    assert "es.txt: texts, 4 words and marks on 1 lines" in shown
    assert "test.tsv: labelled texts, 2 texts of 2 labels" in shown


def test_the_next_command_names_targets_that_exist(project, capsys):
    _, shown, _ = run(capsys, "es", *GIVEN)
    first, second = (line.strip() for line in shown.splitlines()[-2:])
    assert shlex.split(first) == [
        "snakemake",
        REPORT.format(recipe="rr-softmax", task="taxi1500", src="en", tgt="es"),
        "results/exported/rr-softmax/taxi1500/en-es/seed1/README.md",
        *("--configfile", "languages/es/es.yaml", "--config", "scale=real"),
    ]
    assert second == "xstitch classify results/exported/rr-softmax/taxi1500/en-es/seed1 TEXTS"
    assert f"#   {first}\n" in (project / "languages/es/es.yaml").read_text(encoding="utf-8")


def test_the_report_is_what_its_rule_makes():
    rules = (ROOT / "workflow/rules/reports.smk").read_text(encoding="utf-8")
    assert f'"{REPORT}"' in rules


def test_what_is_missing_is_named_with_its_format_until_it_is_there(project, capsys):
    code, shown, errors = run(capsys, "xx", "--name", "Mine")
    assert code == 1
    assert "languages/xx/xx.yaml: written" in shown
    assert errors == [
        "error: languages/xx/en-xx.tsv: missing; it is to have word pairs: source TAB target, optionally TAB "
        "score",
        "error: languages/xx/text.txt: missing; it is to have plain UTF-8 text: a paragraph on a line, "
        "a blank line between documents",
        "Then run this again: xstitch new-language xx --scale real",
    ]
    (project / "languages/xx/en-xx.tsv").write_text("dog\n", encoding="utf-8")
    (project / "languages/xx/text.txt").write_text(TEXT, encoding="utf-8")
    code, shown, errors = run(capsys, "xx")
    assert (code, errors[0].partition(" expected")[0]) == (
        *(1, "error: languages/xx/en-xx.tsv:1: 'source TAB target [TAB score]'"),
    )
    assert "languages/xx/xx.yaml: kept" in shown
    (project / "languages/xx/en-xx.tsv").write_text(PAIRS, encoding="utf-8")
    assert run(capsys, "xx")[0] == 0


def test_vectors_replace_text_and_a_listed_language_needs_no_name(project, capsys):
    (project / "es.vec").write_text("1 2\nperro 1 2\n", encoding="utf-8")
    code, shown, _ = run(capsys, "es", "--dictionary", "pairs.tsv", "--vectors", "es.vec")
    assert code == 0
    made = accepted("languages/es/es.yaml")
    assert made.config["vectors"]["own"] == {"origin": "import", "files": {"es": "es.vec"}, "limit": 200000}
    assert made.config["anchors"]["full"]["vectors"] == "own"
    assert "es.vec: vectors, 1 words of 2 dimensions" in shown


def test_a_task_of_ones_own_gets_the_labels_of_its_texts(project, capsys):
    (project / "train.tsv").write_text("id\tlabel\ttext\n1\tgood\ta dog\n2\tbad\ta cat\n", encoding="utf-8")
    options = ["--task", "mine", "--train", "train.tsv", "--dictionary", "pairs.tsv", "--text", "es.txt"]
    code, shown, _ = run(capsys, "es", *options)
    assert code == 0
    made = accepted("languages/es/es.yaml").tasks["mine"]
    assert (made["kind"], made["labels"]) == ("tsv", ["good", "bad"])
    assert made["files"] == {"en": {"train": "train.tsv"}}
    assert REPORT.format(recipe="rr-softmax", task="mine", src="en", tgt="es") in shown


def test_a_dictionary_of_muse_gets_tabs(project, capsys):
    (project / "en-es.txt").write_text("dog perro\ncat gato\n", encoding="utf-8")
    code, *_ = run(capsys, "es", "--dictionary", "en-es.txt", "--text", "es.txt")
    assert code == 0
    assert (project / "languages/es/en-es.tsv").read_text(encoding="utf-8") == PAIRS


def test_a_dictionary_with_the_right_name_stays_where_it_is(project, capsys):
    (project / "mine").mkdir()
    (project / "pairs.tsv").rename(project / "mine/en-es.tsv")
    run(capsys, "es", "--dictionary", "mine/en-es.tsv", "--text", "es.txt")
    written = yaml.safe_load((project / "languages/es/es.yaml").read_text(encoding="utf-8"))
    assert written["lexica"]["own"]["folder"] == "mine"
    assert not (project / "languages/es/en-es.tsv").exists()


@pytest.mark.usefixtures("project")
def test_on_a_terminal_it_asks(capsys, monkeypatch):
    asked = []
    answers = {"Name": "Mine", "Dictionary": "pairs.tsv", "Plain text": "es.txt", "Labelled": ""}

    def prompt(question, **_):
        asked.append(question)
        return next(answer for start, answer in answers.items() if question.startswith(start))

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("click.prompt", prompt)
    code, *_ = run(capsys, "xx")
    assert code == 0
    assert [question.split()[0] for question in asked] == ["Name", "Dictionary", "Plain", "Labelled"]
    assert accepted("languages/xx/xx.yaml").languages["xx"]["name"] == "Mine"
    assert "files" not in accepted("languages/xx/xx.yaml").tasks["taxi1500"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["X1"], "X1: a code has two to eight lower-case letters"),
        (["en"], "en: is the source language at scale real; choose another"),
        (["xx"], "xx: not in config/languages.tsv: add --name"),
        (["es", "--text", "no.txt"], "no.txt: no such file"),
        (["es", "--text", "es.txt", "--vectors", "es.txt"], "--text, --vectors: only one of them is used"),
        (["es", "--recipe", "mbert"], "--recipe mbert: does not stitch; choose of "),
        (["es", "--task", "mine"], "--task mine: there are "),
    ],
)
def test_a_mistake_is_one_line_and_writes_nothing(project, capsys, arguments, message):
    code, _, errors = run(capsys, *arguments)
    assert code == 1
    (line,) = errors
    assert line.startswith(f"error: {message}")
    assert not (project / "languages").exists()


def test_it_needs_the_project(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, _, (line,) = run(capsys, "es")
    assert code == 1
    assert line == f"error: {tmp_path}: no xstitch project; go to the folder with its Snakefile"
