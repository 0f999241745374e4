"""Mistakes that are caught before Snakemake sees them, each in one line with exit code 1."""

import subprocess
import sys
from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.plan.launch import command

ROOT = Path(__file__).parents[3]
TABLE = "results/tables/table2.tsv"


def test_targets_come_before_configuration_files():
    files = [str(ROOT / "config/real.yaml"), str(ROOT / "tests/real/zh.yaml")]
    assert command([TABLE], files, ["-n"]) == [TABLE, "--configfile", *files, "-n"]
    assert command([TABLE], None, ["-n"]) == [TABLE, "-n"]


@pytest.mark.parametrize(
    ("targets", "files", "message"),
    [
        ([TABLE], [], "no configuration file is named: set CONFIG to a file, or leave CONFIG out"),
        ([TABLE], ["no.yaml"], "no.yaml: no such file; paths are relative to the folder of the run"),
        ([TABLE], ["no"], "no: no such file; paths are relative to the folder of the run"),
        ([], [TABLE], f"{TABLE}: is a target, not a configuration file; pass it as TARGET={TABLE}"),
        ([], ["tables"], "tables: is a target, not a configuration file; pass it as TARGET=tables"),
        (["a.yaml"], None, "a.yaml: is a configuration file, not a target; pass it as CONFIG=a.yaml"),
        (
            [TABLE],
            ["broken.yaml"],
            "broken.yaml:2: not YAML (mapping values are not allowed",
        ),
        ([TABLE], ["empty.yaml"], "empty.yaml: contains nothing instead of settings"),
    ],
)
def test_a_mistake_is_one_line(tmp_path, monkeypatch, targets, files, message):
    monkeypatch.chdir(tmp_path)
    Path("broken.yaml").write_text("a: 1\nb: c: d\n", encoding="utf-8")
    Path("empty.yaml").write_text("# nothing yet\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        command(targets, files, [], ["tables"])
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ([TABLE, "--configfile"], "error: no configuration file is named"),
        ([TABLE, "--configfile", "no.yaml", "--", "-n"], "error: no.yaml: no such file"),
        (["--configfile", "all"], "error: all: is a target, not a configuration file"),
    ],
)
def test_the_launcher_ends_with_the_line_and_exit_code_1(tmp_path, given, line):
    script = ROOT / "workflow/scripts/run.py"
    result = subprocess.run(
        [sys.executable, str(script), *given], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert result.returncode == 1
    assert result.stderr.startswith(line)
    assert result.stderr.count("\n") == 1
    assert not result.stdout
