"""The command that stands in for `python`: what it runs cannot tell, but by what is loaded already."""

import json
import os
import subprocess

import pytest
from project_copy import python
from warm_python import THREADS

from xstitch.core.portable import pin_kernels

pytestmark = pytest.mark.workflow
SCRIPT = """
import json, os, sys
said, told = sys.stdin.read(), os.environ.get("TOLD")
print(json.dumps([sys.argv[1:], said, os.getcwd(), told, "torch" in sys.modules]))
print("a problem", file=sys.stderr)
sys.exit({code})
"""


@pytest.fixture
def run(tmp_path):
    """Run a script that tells what it sees, as a job with pinned kernels and further variables."""
    settled = {**dict.fromkeys(THREADS, "1"), "OMP_WAIT_POLICY": "PASSIVE"}
    pin_kernels(settled)

    def run(code, *arguments, **variables):
        (tmp_path / "script.py").write_text(SCRIPT.format(code=code), encoding="utf-8")
        return subprocess.run(
            [python(), "script.py", *arguments],
            cwd=tmp_path,
            env={**os.environ, **settled, **variables},
            input="words",
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_arguments_streams_folder_and_variables_are_handed_on(run, tmp_path):
    result = run(0, "one", "two words", TOLD="so")
    assert json.loads(result.stdout) == [["one", "two words"], "words", str(tmp_path), "so", True]
    assert result.stderr == "a problem\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [("3", 3), ("None", 0), ("'mistake'", 1), ("1 / 0", 1), ("os.kill(os.getpid(), 9)", 128 + 9)],
)
def test_exit_codes_are_handed_back(run, code, expected):
    assert run(code).returncode == expected


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "OMP_WAIT_POLICY", "PYTHONHASHSEED"])
def test_a_variable_that_was_read_on_loading_makes_it_an_ordinary_python(run, name):
    result = run(0, **{name: "2"})
    assert json.loads(result.stdout)[-1] is False
    assert result.returncode == 0


def test_forks_know_nothing_of_each_other(run):
    assert json.loads(run(0, TOLD="so").stdout)[3] == "so"
    assert json.loads(run(0).stdout)[3] is None
