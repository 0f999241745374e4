"""Jobs as forks: Snakemake and a script can tell them from new processes only by what is loaded already."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest

from xstitch.plan.warm_jobs import Fork, WarmJobs, is_possible, start_warm

pytestmark = pytest.mark.skipif(not is_possible({}), reason="jobs start as always here")
ENVIRONMENT = {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}}
TELLING = """
import json, os, sys
from pathlib import Path
import told
facts = [sys.argv, os.getcwd(), __name__, __file__, "torch" in sys.modules, told.VALUE, os.getpid()]
Path("told.json").write_text(json.dumps(facts))
"""


@pytest.fixture(scope="module")
def jobs():
    jobs = WarmJobs({"train"})
    yield jobs
    for python in jobs.pythons.values():
        python.end()


@pytest.fixture
def start(jobs, tmp_path, monkeypatch):
    """Start a script as Snakemake starts the script of a job, in a folder whose name has a space."""
    folder = tmp_path / "a folder"
    (folder / ".snakemake/scripts").mkdir(parents=True)
    monkeypatch.chdir(folder)

    def start(text, script="train.py", **variables):
        file = folder / f".snakemake/scripts/tmpabc.{script}"
        file.write_text(text, encoding="utf-8")
        command = f"set -euo pipefail;  {sys.executable} {shlex.quote(str(file))}"
        return jobs.popen(command, shell=True, executable="/bin/bash", env={**ENVIRONMENT, **variables})

    return start


def facts(folder, value):
    """What a script is told by a module next to it, which is edited between two jobs."""
    (folder / ".snakemake/scripts/told.py").write_text(f"VALUE = {value}\n")


def test_a_script_finds_all_as_in_a_process_of_its_own_and_torch_besides(start, tmp_path):
    folder = tmp_path / "a folder"
    script = str(folder / ".snakemake/scripts/tmpabc.train.py")
    for value in (1, 22):
        facts(folder, value)
        job = start(TELLING)
        assert isinstance(job, Fork)
        assert job.wait() == 0
        told = json.loads((folder / "told.json").read_text())
        assert told == [[script], str(folder), "__main__", script, True, value, job.pid]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("raise SystemExit(3)", 3),
        ("raise SystemExit('mistake')", 1),
        ("1 / 0", 1),
        ("import os; os.kill(os.getpid(), 9)", -9),
    ],
)
def test_exit_codes_are_those_of_a_process(start, text, code):
    assert start(text).wait() == code


def test_a_traceback_begins_in_the_script(start, tmp_path):
    log = "import os\nos.dup2(os.open('log', os.O_WRONLY | os.O_CREAT), 2)\n"
    assert start(f"{log}raise ValueError('so')\n").wait() == 1
    first, place, *_, last = (tmp_path / "a folder/log").read_text(encoding="utf-8").splitlines()
    assert first == "Traceback (most recent call last):"
    assert place.endswith('tmpabc.train.py", line 3, in <module>')
    assert last == "ValueError: so"


def test_a_benchmark_sees_the_process_until_somebody_waits_for_it(start):
    job = start("pass")
    process = psutil.Process(job.pid)
    while process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert job.wait() == 0
    assert not psutil.pid_exists(job.pid)


@pytest.mark.parametrize(("stop", "code"), [(Fork.kill, -9), (Fork.terminate, -15)])
def test_a_job_can_be_killed_and_shows_its_script_to_ps(start, stop, code):
    job = start("import time\ntime.sleep(600)\n")
    while "tmpabc.train.py" not in psutil.Process(job.pid).cmdline()[-1]:
        time.sleep(0.01)
    stop(job)
    assert job.wait() == code


def test_other_rules_and_commands_start_as_always(start, jobs):
    job = start("import sys; sys.exit(4)", script="table.py")
    assert isinstance(job, subprocess.Popen)
    assert job.wait() == 4
    assert jobs.popen("exit 5", shell=True, env=ENVIRONMENT).wait() == 5


def test_jobs_with_more_threads_than_one_start_as_always_and_nothing_is_loaded_for_them(start, jobs):
    # OpenBLAS starts its threads on loading, and what has threads cannot be forked.
    variables = {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    job = start("import sys; sys.exit(6)", **variables)
    assert isinstance(job, subprocess.Popen)
    assert job.wait() == 6
    assert frozenset({**ENVIRONMENT, **variables}.items()) not in jobs.pythons


def test_what_only_a_shell_can_read_starts_as_always(jobs):
    job = jobs.popen("exit 5  # don't", shell=True, executable="/bin/bash", env=ENVIRONMENT)
    assert job.wait() == 5


def test_jobs_end_with_the_parent_and_the_next_ones_start_as_always(start, jobs):
    job = start("import time\ntime.sleep(600)\n")
    python = jobs.pythons[frozenset(ENVIRONMENT.items())]
    python.process.kill()
    assert job.wait() == -signal.SIGKILL
    assert isinstance(start("pass"), subprocess.Popen)
    jobs.pythons.clear()


def test_the_parent_and_its_jobs_end_with_the_main_process(tmp_path):
    script = tmp_path / ".snakemake/scripts/tmpabc.train.py"
    script.parent.mkdir(parents=True)
    script.write_text("import time\ntime.sleep(600)\n")
    command = f"set -euo pipefail; {sys.executable} {script}"
    text = (
        "import os, sys, time; from xstitch.plan.warm_jobs import WarmJobs; "
        f"job = WarmJobs(['train']).popen({command!r}, env=dict(os.environ)); "
        "print(job.pid, flush=True); time.sleep(600)"
    )
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, env=environment) as main:
        family = [psutil.Process(int(main.stdout.readline())), *psutil.Process(main.pid).children()]
        main.kill()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []


def test_snakemakes_module_is_changed_only_if_it_is_the_one_that_is_known():
    known, other = SimpleNamespace(sp=subprocess), SimpleNamespace(sp=os)
    start_warm(known, {"train"})
    start_warm(other, {"train"})
    assert known.sp.Popen is not subprocess.Popen
    assert known.sp.CalledProcessError is subprocess.CalledProcessError
    assert other.sp is os


def test_the_switch_and_a_gpu_turn_it_off(tmp_path):
    assert not is_possible({"XSTITCH_WARM_START": "0"})
    assert not is_possible({}, gpus=[str(tmp_path)])
    assert is_possible({"XSTITCH_WARM_START": "1"}, gpus=[str(tmp_path / "none")])
