"""`xstitch reproduce`: the Snakemake command it stands for, printed and then run."""

import sys

import pytest
from small_run import ROOT

from xstitch.command.main import main
from xstitch.command.reproduce import target_of


@pytest.fixture
def started(monkeypatch):
    """The command lines that would replace this process."""
    lines = []
    monkeypatch.setattr("os.execv", lambda program, arguments: lines.append((program, arguments)))
    monkeypatch.chdir(ROOT)
    return lines


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", *arguments])
    return ended.value.code


def test_the_command_is_printed_then_run(started, capsys):
    assert run("mosecrot", "2", "--scale", "real", "--dry-run") == 0
    command = ["snakemake", "results/tables/mosecrot/table2.tsv", "-n", "--config", "scale=real"]
    assert started == [(sys.executable, [sys.executable, "-m", *command])]
    assert capsys.readouterr().err == f"$ {' '.join(command)}\n"


def test_the_mini_world_is_the_default_and_options_are_passed_on(started):
    run("wordot", "table3", "--", "--cores", "8", "-k")
    assert started[0][1][2:] == [
        *("snakemake", "results/tables/wordot/table3.tsv", "--cores", "8", "-k"),
        *("--config", "scale=mini"),
    ]


@pytest.mark.parametrize(
    ("paper", "table", "target"),
    [
        ("mosecrot", "anchors", "results/tables/mosecrot/anchors.tsv"),
        ("iwda", "figure2", "results/figures/iwda/figure2.svg"),
    ],
)
def test_names_and_figures_are_targets_too(paper, table, target):
    assert target_of(paper, table, ROOT / "config/papers") == target


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mosecro", "2"], "mosecro: no such paper; there are bootstrap, iwda, mosecrot, wordot, x2s"),
        (["mosecrot", "9"], "mosecrot 9: no such table; there are 1, 2, 3, 4, anchors"),
        (["mosecrot", "figure9"], "mosecrot figure9: no such table"),
        (["mosecrot", "2", "--scale", "large"], "Invalid value for '--scale'"),
    ],
)
def test_a_mistake_is_one_line(started, capsys, arguments, message):
    assert run(*arguments) in (1, 2)
    assert not started
    shown = capsys.readouterr().err
    assert shown.startswith(f"error: {message}")
    assert shown.count("\n") == 1
