"""The processes of a job with several GPUs: how many, that they train, and that none outlives a failure."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from xstitch.training.processes import explain, gpus_of

JOB = Path(__file__).with_name("shared_job.py")
LIBRARY = Path(__file__).parents[3] / "workflow/scripts"


@pytest.mark.parametrize(
    ("resources", "seen", "expected"),
    [
        ({"gpu": 1}, 0, 1),
        ({"gpu": 1}, 4, 1),  # the others are for other jobs
        ({"gpu": 4}, 4, 4),
        ({"gpu": 4}, 8, 4),
        ({}, 2, 1),
        ({"gpu": 0, "gres": "gpu:4"}, 4, 4),
        ({"gpu": 0, "gres": "gpu:a100:2"}, 2, 2),
        ({"gpu": 0, "gres": "lustre:8"}, 2, 1),
    ],
)
def test_as_many_processes_as_gpus_requested(monkeypatch, caplog, resources, seen, expected) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: seen)
    assert gpus_of(resources) == expected
    assert not caplog.messages


@pytest.mark.parametrize(("seen", "expected"), [(2, 2), (0, 1)])
def test_a_job_that_sees_fewer_gpus_says_so(monkeypatch, caplog, seen, expected) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: seen)
    assert gpus_of({"gpu": 4}) == expected
    assert caplog.messages == [f"the job requests 4 GPUs but sees {seen}"]


def test_why_a_process_ended() -> None:
    assert explain("process 2 of 4", 1, ["read", "error: bad file"]) == ["error: process 2 of 4: bad file"]
    *shown, line = explain("process 2 of 4", -9, [str(number) for number in range(30)])
    assert shown == [str(number) for number in range(10, 30)]
    assert line.startswith("error: process 2 of 4 ended (SIGKILL), and so did the others;")


def start(folder: Path, event: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, JOB, str(folder), event], env={**os.environ, "PYTHONPATH": str(LIBRARY)}
    )


def is_running(folder: Path, number: int) -> bool:
    """Say whether a process of the job runs: a zombie does not."""
    status = Path(f"/proc/{(folder / f'pid{number}').read_text()}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


def wait_for(condition, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_job_trains_in_two_processes_and_one_writes(tmp_path: Path) -> None:
    assert start(tmp_path, "none").wait() == 0
    log = (tmp_path / "log").read_text()
    assert log.count("training is shared by 2 processes") == 1
    assert log.count("done in") == 1
    assert (tmp_path / "weights.safetensors").is_file()
    assert not is_running(tmp_path, 1)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ("early", "error: training process 2 of 2: no GPU here; get one"),
        ("killed", "error: training process 2 of 2 ended (SIGKILL), and so did the others; the same"),
        ("crashed", "error: training process 2 of 2 ended (exit code 1), and so did the others; the same"),
    ],
)
def test_a_failing_process_ends_the_job_with_one_line(tmp_path: Path, event: str, line: str) -> None:
    assert start(tmp_path, event).wait() == 1
    log = (tmp_path / "log").read_text()
    assert log.splitlines()[-1].startswith(line)
    assert log.count("error: ") == 1
    assert ("ValueError: an unforeseen problem" in log) == (event == "crashed")
    assert not (tmp_path / "weights.safetensors").exists()
    assert not is_running(tmp_path, 1)


def test_what_all_processes_refuse_is_said_once(tmp_path: Path) -> None:
    assert start(tmp_path, "refused").wait() == 1
    (line,) = [line for line in (tmp_path / "log").read_text().splitlines() if line.startswith("error")]
    assert line.endswith("the labels are wrong; correct them")
    wait_for(lambda: not is_running(tmp_path, 1))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills a process with its parent")
def test_no_process_outlives_a_killed_job(tmp_path: Path) -> None:
    job = start(tmp_path, "stuck")
    wait_for(lambda: all((tmp_path / f"pid{number}").exists() for number in (0, 1)))
    assert is_running(tmp_path, 1)
    job.send_signal(signal.SIGKILL)
    job.wait()
    wait_for(lambda: not is_running(tmp_path, 1), seconds=10)
