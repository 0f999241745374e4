"""The command as a whole: it starts fast, answers mistakes in one line, and works without installation."""

import os
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from xstitch.command.main import SUBCOMMANDS, main, xstitch

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


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
def test_make_puts_it_next_to_snakemake(tmp_path):
    clone = tmp_path / "a clone"
    for name in ("Makefile", "requirements", "workflow/scripts/xstitch"):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).symlink_to(ROOT / name)
    # A Python for which everything is installed already.
    fake = clone / ".venv/bin/python"
    fake.parent.mkdir(parents=True)
    fake.write_text(f'#!/bin/sh\ntest "$2" = pip || exec "{sys.executable}" "$@"\n', encoding="utf-8")
    fake.chmod(0o755)
    subprocess.run(["make", "env"], cwd=clone, capture_output=True, check=True)
    command = [str(clone / ".venv/bin/xstitch"), "--help"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("Usage: xstitch ")


def test_the_package_names_the_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, function = project["scripts"]["xstitch"].partition(":")
    assert getattr(import_module(module), function) is main


def test_a_closed_pipe_is_no_error(tmp_path):
    files = []
    for number in range(200):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text("a few words\n", encoding="utf-8")
    program = f'"{sys.executable}" "{SCRIPTS / "xstitch"}" check {tmp_path}/*.txt | head -n 1'
    result = subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=False)
    assert result.stdout.count("\n") == 1
    assert "Traceback" not in result.stderr
