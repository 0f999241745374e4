"""Jobs that start as forks of a Python that has loaded torch already, in place of loading it once more each.

Snakemake starts the script of a job with `subprocess.Popen`; a stand-in for that asks a warm Python
(xstitch.core.warm_python) for a fork, and looks to Snakemake like the process it would have started.
Whatever the stand-in does not know, it leaves to the original.
"""

from __future__ import annotations

import atexit
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from types import ModuleType, SimpleNamespace
from typing import Any

from xstitch.core import warm_python
from xstitch.plan.machine import GPU_DEVICES, has_gpu

SWITCH = "XSTITCH_WARM_START"  # 0 turns all of this off
BEFORE = "set -euo pipefail;"  # what Snakemake puts before a command
SCRIPTS = (".snakemake", "scripts")  # where it puts a job's script, as tmp....<script>
ROOM = 1000  # for the command that `ps` shows for a fork


def is_possible(variables: Mapping[str, str], gpus: Collection[str] = GPU_DEVICES) -> bool:
    """Tell whether jobs can start as forks here, and may; next to a GPU, forks were never tried."""
    if sys.platform != "linux" or variables.get(SWITCH) == "0" or has_gpu(gpus):
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:  # before Linux 5.3
        return False
    return True


def start_warm(shell: ModuleType, rules: Collection[str]) -> None:
    """Have the module in which Snakemake starts processes start jobs of some rules as forks."""
    if getattr(shell, "sp", None) is subprocess:
        shell.sp = SimpleNamespace(**{**vars(subprocess), "Popen": WarmJobs(rules).popen})


class WarmJobs:
    """Starts processes for Snakemake, with a warm Python for every environment of jobs."""

    def __init__(self, rules: Collection[str]) -> None:
        """Start jobs of these rules as forks."""
        self.rules, self.lock = rules, Lock()
        self.pythons: dict[frozenset, WarmPython] = {}

    def popen(self, command: str, **options: Any) -> subprocess.Popen | Fork:
        """Start a command as `subprocess.Popen` does, or a job as a fork."""
        script = self._script(command)
        if script and options.get("stdout") in (None, sys.__stdout__) and _has_one_thread(options["env"]):
            fork = self._python(options["env"]).fork(script)
            if fork:
                return fork
        return subprocess.Popen(command, **options)

    def _script(self, command: str) -> str | None:
        """Return the script that a command runs, if it is a job's and nothing else."""
        try:
            *before, script = shlex.split(command)
        except ValueError:  # a comment with an apostrophe, and what else only a shell can read
            return None
        path = Path(script)
        known = path.parts[-3:-1] == SCRIPTS and path.stem.partition(".")[2] in self.rules
        return script if known and " ".join(before) == f"{BEFORE} {sys.executable}" else None

    def _python(self, environment: Mapping[str, str]) -> WarmPython:
        """Return the Python for an environment: many variables are read on loading, so all must agree."""
        with self.lock:
            key = frozenset(environment.items())
            if key not in self.pythons:
                self.pythons[key] = WarmPython(environment)
            return self.pythons[key]


def _has_one_thread(environment: Mapping[str, str]) -> bool:
    """Tell whether a Python in an environment may fork: libraries that load with more threads start them."""
    return environment.get("OMP_NUM_THREADS", "1") == "1"


class WarmPython:
    """A running xstitch.core.warm_python, which ends with this process."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Start it; it loads while this process goes on."""
        self.requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            numbers = map(str, (theirs.fileno(), os.getpid()))
            command = [sys.executable, warm_python.__file__, *numbers, " " * ROOM]
            self.process = subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()])
        atexit.register(self.end)

    def end(self) -> None:
        """Have it end, and wait for that: its time and that of its forks then count as this process's."""
        self.requests.close()
        self.process.wait()

    def fork(self, script: str) -> Fork | None:
        """Run a script in a fork, in this process's folder; None if that is refused or the Python gone."""
        answers, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = json.dumps({"script": script, "folder": str(Path.cwd())}).encode()
        with theirs, suppress(OSError):
            socket.send_fds(self.requests, [request], [theirs.fileno()])
        process = answers.recv(warm_python.LONGEST_ANSWER)
        return Fork(int(process), answers) if process else None


class Fork:
    """A job's process, with the part of `subprocess.Popen` that Snakemake uses."""

    stdout = None

    def __init__(self, process: int, answers: socket.socket) -> None:
        """Be a process whose exit code can be asked for."""
        self.pid, self.answers = process, answers
        self.returncode: int | None = None

    def wait(self) -> int:
        """Wait for its end; if the Python that it is a fork of was killed, it was killed, too."""
        if self.returncode is None:
            code = b""
            with self.answers, suppress(OSError):
                self.answers.send(warm_python.WAITING)
                code = self.answers.recv(warm_python.LONGEST_ANSWER)
            self.returncode = int(code or -signal.SIGKILL)
        return self.returncode

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        self._send(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end, unless it has."""
        self._send(signal.SIGTERM)

    def _send(self, number: signal.Signals) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)
