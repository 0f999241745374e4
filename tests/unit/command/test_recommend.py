"""`xstitch recommend`: the Snakemake command it stands for, and what it says before."""

import shutil
import sys

import pytest
from small_run import ROOT

from xstitch.command.main import main

OWN = "docs/own-language/own.yaml"


@pytest.fixture
def started(monkeypatch):
    """The command lines that would replace this process."""
    lines = []
    monkeypatch.setattr("os.execv", lambda program, arguments: lines.append((program, arguments)))
    monkeypatch.chdir(ROOT)
    return lines


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(["recommend", *arguments])
    return ended.value.code


def test_the_command_is_printed_then_run(started, capsys):
    assert run("qab", "--scale", "mini", "-n") == 0
    command = ["snakemake", "results/reports/best/taxi1500/qaa-qab.html", "-n", "--config", "scale=mini"]
    assert started == [(sys.executable, [sys.executable, "-m", *command])]
    said = capsys.readouterr().err.splitlines()
    assert said == ["10 candidates, about 1 min on a core", f"$ {' '.join(command)}"]


def test_the_configuration_says_its_scale_and_options_are_passed_on(started, capsys):
    run("qae", "--configfile", OWN, "--minutes", "0.5", "--", "--cores", "8")
    assert started[0][1][2:] == [
        *("snakemake", "results/reports/best/taxi1500/qaa-qae.html", "--cores", "8"),
        *("--configfile", OWN, "--config", "scale=mini", "recommend={minutes: 0.5}"),
    ]
    assert "not tried: frozen-wechsel: muse: the mini world has no" in capsys.readouterr().err


def test_what_new_language_wrote_is_found_with_its_own_task(started, tmp_path, monkeypatch):
    for name in ("config", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copyfile(ROOT / "Snakefile", tmp_path / "Snakefile")
    folder = tmp_path / "languages/qae"
    folder.mkdir(parents=True)
    mine = "{kind: tsv, labels: [a, b], targets: [qae], max_length: 8, files: {qaa: {train: t.tsv}}}"
    own = (ROOT / OWN).read_text(encoding="utf-8").partition("tasks:")[0]
    (folder / "qae.yaml").write_text(f"{own}tasks: {{mine: {mine}}}\n", encoding="utf-8")
    (tmp_path / "t.tsv").touch()
    monkeypatch.chdir(tmp_path)
    assert run("qae") == 0
    assert started[0][1][3:] == [
        "results/reports/best/mine/qaa-qae.html",
        *("--configfile", "languages/qae/qae.yaml", "--config", "scale=mini"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["xx"], "error: xx: not a language of this run (de, es, zh); add it: xstitch new-language xx"),
        (["en"], "error: en: not a language of this run"),
        (["es", "--task", "xnli"], "error: --task xnli: classifies no texts; there are taxi1500"),
        (["es", "--configfile", "none.yaml"], "error: none.yaml: no such file"),
        (
            ["qab", "--scale", "mini", "--minutes", "0.001"],
            "error: config: recommend.minutes: 0.001 minutes do not",
        ),
        (["es", "--minutes", "0"], "error: Invalid value for '--minutes'"),
    ],
)
def test_what_cannot_be_done_ends_in_one_line(started, capsys, arguments, message):
    assert run(*arguments) in (1, 2)
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
    assert not started
