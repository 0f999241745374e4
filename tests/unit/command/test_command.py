"""The command as a whole: it starts fast, answers mistakes in one line, and works without installation."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from xstitch.command.main import SUBCOMMANDS, xstitch

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / "workflow/scripts"
HEAVY = {"torch", "transformers", "numpy", "pandas", "pyarrow", "snakemake", "yaml", "tokenizers"}


def python(*arguments, folder=ROOT, **variables):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['xstitch', '--help']\n"
        "from xstitch.command.main import main\n"
        "try: main()\n"
        "except SystemExit: print('loaded', *sys.modules)"
    )
    shown = python("-c", code, PYTHONPATH=str(SCRIPTS)).stdout
    loaded = {name.partition(".")[0] for name in shown.rpartition("loaded ")[2].split()}
    assert "click" in loaded
    assert not loaded & HEAVY
    assert all(name in shown for name in SUBCOMMANDS)


@pytest.mark.parametrize("way", [["-m", "xstitch"], [SCRIPTS / "xstitch"]])
def test_it_works_as_a_module_and_as_a_folder(way, tmp_path):
    variables = {"PYTHONPATH": str(SCRIPTS)} if "-m" in way else {"PYTHONPATH": ""}
    result = python(*way, "--help", folder=tmp_path, **variables)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: xstitch ")


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_help_has_examples(name):
    result = CliRunner().invoke(xstitch, [name, "--help"])
    assert result.exit_code == 0
    assert result.output.count(f"xstitch {name} ") >= 3  # usage and two examples


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["clasify"], "error: No such command 'clasify'"),
        (["check"], "error: Missing argument 'FILES...'"),
        (["reproduce", "mosecrot"], "error: Missing argument 'TABLE'"),
    ],
)
def test_wrong_use_is_one_line(arguments, message):
    result = python(SCRIPTS / "xstitch", *arguments)
    assert result.returncode == 2
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


def test_make_installs_it():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert '"$(CURDIR)/workflow/scripts/xstitch" > $(BIN)/xstitch' in makefile
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'xstitch = "xstitch.command.main:main"' in project


def test_a_closed_pipe_is_no_error(tmp_path):
    files = []
    for number in range(200):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text("a few words\n", encoding="utf-8")
    program = f'"{sys.executable}" "{SCRIPTS / "xstitch"}" check {tmp_path}/*.txt | head -n 1'
    result = subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=False)
    assert result.stdout.count("\n") == 1
    assert "Traceback" not in result.stderr
