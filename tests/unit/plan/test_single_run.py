"""One main process per folder at a time: which one is refused, and what a killed process leaves behind."""

import errno
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.plan import single_run
from xstitch.plan.single_run import claim_folder, only_looks, require_writable

LIBRARY = Path(single_run.__file__).parents[2]
HOLDER = """
import sys, time
from pathlib import Path
from xstitch.plan.single_run import claim_folder
lock = claim_folder(Path(sys.argv[1]))
print("locked", flush=True)
time.sleep(600)
"""


@pytest.fixture
def state(tmp_path):
    """Snakemake's state folder."""
    folder = tmp_path / ".snakemake"
    (folder / "locks").mkdir(parents=True)
    return folder


@pytest.fixture
def holder(state):
    """Another process that holds the folder, with Snakemake's lock."""
    environment = os.environ | {"PYTHONPATH": str(LIBRARY)}
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(state)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout.readline() == "locked\n"
    (state / "locks" / "0.input.lock").write_text("a\n")
    (state / "locks" / "0.output.lock").write_text("b\n")
    yield process
    process.kill()
    process.wait()


def test_a_second_process_is_refused_in_one_line_that_names_the_first(state, holder):
    with pytest.raises(InputError) as problem:
        claim_folder(state)
    line = str(problem.value)
    assert f"process {holder.pid} on {socket.gethostname()}" in line
    assert str(state.parent) in line
    assert "\n" not in line
    assert len(list((state / "locks").iterdir())) == 2


def test_the_lock_of_a_killed_process_is_removed(state, holder):
    holder.kill()
    holder.wait()
    lock, lines = claim_folder(state)
    assert lines == [
        f"the last run here (process {holder.pid} on {socket.gethostname()}) was killed: its lock is removed"
    ]
    assert list((state / "locks").iterdir()) == []
    assert json.loads((state / "main.json").read_text())["process"] == os.getpid()
    lock.release()


def test_a_lock_from_another_host_is_left_alone(state):
    (state / "main.json").write_text('{"host": "elsewhere", "process": 7}')
    (state / "locks" / "0.input.lock").write_text("a\n")
    with pytest.raises(InputError, match=r"left by process 7 on elsewhere; .* `snakemake --unlock`"):
        claim_folder(state)
    assert (state / "locks" / "0.input.lock").exists()


def test_a_clean_folder_needs_no_lines(state):
    lock, lines = claim_folder(state)
    assert lines == []
    lock.release()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"\.snakemake: Not a directory; Snakemake must"):
        claim_folder(tmp_path / "file" / ".snakemake")


def test_jobs_of_the_killed_process_are_cancelled_and_no_others(state, tmp_path, monkeypatch):
    """Two unfinished jobs are on record, one of them still queued here; a third is another folder's."""
    programs = tmp_path / "bin"
    programs.mkdir()
    queue = tmp_path / "queue"
    queue.write_text(f"11_2 {state.parent}\n12 /elsewhere\n13 {state.parent}\n")
    scripts = {
        "squeue": f"cat {queue}",
        "scancel": f'echo "$@" > {tmp_path}/cancelled; sed -i /^11/d {queue}',
    }
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    (state / "incomplete").mkdir()
    for number in ("11_2", "12", "14", None):
        (state / "incomplete" / str(number)).write_text(json.dumps({"external_jobid": number}))
    (state / "incomplete" / "half").write_text('{"exter')
    (state / "main.json").write_text(json.dumps({"host": socket.gethostname(), "process": 7}))
    (state / "locks" / "0.input.lock").write_text("a\n")
    lock, lines = claim_folder(state)
    assert lines[1:] == ["its jobs in the queue are cancelled: 11_2"]
    assert (tmp_path / "cancelled").read_text() == "11_2\n"
    lock.release()


@pytest.mark.parametrize(
    ("arguments", "looks"),
    [
        (["--unlock"], True),
        (["results/tables/table2.tsv", "--report=report.html"], True),
        (["--profile", "slurm", "results/tables/table2.tsv"], False),
        ([], False),
    ],
)
def test_commands_that_only_look(arguments, looks):
    assert only_looks(arguments) is looks


def test_results_that_cannot_be_written_end_the_run_before_it_starts(tmp_path, monkeypatch):
    def read_only(**_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    (tmp_path / "results").mkdir()
    require_writable([tmp_path / "results", tmp_path / "absent"])
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "results"]
    monkeypatch.setattr(single_run.tempfile, "TemporaryFile", read_only)
    with pytest.raises(
        InputError, match=r"/results: Read-only file system; fix that, then run the same comm"
    ):
        require_writable([tmp_path / "results"])


@pytest.mark.parametrize("content", [b"[]", b"\xff\xfe", b'{"host"'])
def test_a_malformed_record_of_the_holder_counts_as_unknown(state, content):
    (state / "main.json").write_bytes(content)
    (state / "locks/0.input.lock").touch()
    with pytest.raises(InputError, match="left by process unknown on an unknown host"):
        claim_folder(state)
