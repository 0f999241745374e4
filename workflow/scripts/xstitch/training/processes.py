"""Several GPUs for one training: a job runs its script once more for each further GPU of its node.

All these processes read the same inputs and meet in the training (`shares`), after which only the first one
goes on. If one fails, all end, and the log says in one line which and why. They end with the first process,
as that one ends with the Snakemake that started it (`core.job`).
"""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import IO, Any

import torch
import torch.distributed as dist

from xstitch.core.errors import InputError
from xstitch.core.job import HELPER

LOG = logging.getLogger("xstitch")
HOST = "127.0.0.1"
# Others wait as long as the first process evaluates or writes; one that has died is noticed at once.
PATIENCE = timedelta(days=1)
# Seconds in which the reason why processes lost each other should show: on a busy machine a Python that has
# failed takes a while to end.
GRACE = 60.0
SHOWN = 20  # last lines of a failed process's output


@contextmanager
def one_process_per_gpu(resources: Mapping[str, Any]) -> Iterator[None]:
    """Run a script's body in as many processes as its job has GPUs; without any, in one."""
    with sharing(gpus_of(resources)):
        yield


def gpus_of(resources: Mapping[str, Any]) -> int:
    """Count the GPUs that a job both requests (by `gpu`, or `gres` where a site needs that) and sees."""
    gres = re.search(r"\bgpu(?::[^:,]+)?:(\d+)\b", str(resources.get("gres", "")))
    wanted = int(resources.get("gpu", 0) or (gres[1] if gres else 0))
    seen = torch.cuda.device_count()
    if wanted > max(1, seen):
        LOG.warning("the job requests %d GPUs but sees %d", wanted, seen)
    return max(1, min(wanted, seen))


@contextmanager
def sharing(number: int) -> Iterator[None]:
    """Share the training in this block among `number` processes; this one may be among those started."""
    if place := os.environ.get(HELPER):
        rank, size, port = map(int, place.split())
        join(rank, size, dist.TCPStore(HOST, port, is_master=False, timeout=PATIENCE))
        yield
    elif number == 1:
        yield
    else:
        with _helpers(number):
            yield


def join(rank: int, size: int, store: dist.Store) -> None:
    """Become one of the processes that share a training."""
    has_gpu = torch.cuda.is_available()
    if has_gpu:
        torch.cuda.set_device(rank)
    else:
        os.environ["GLOO_SOCKET_IFNAME"] = "lo" if sys.platform == "linux" else "lo0"
    backend = "nccl" if has_gpu else "gloo"
    dist.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=PATIENCE)


@contextmanager
def _helpers(number: int) -> Iterator[None]:
    """Start the other processes, and end them with this block."""
    store = dist.TCPStore(HOST, 0, is_master=True, wait_for_workers=False, timeout=PATIENCE)
    helpers = Helpers(number, store.port)
    try:
        join(0, number, store)
        helpers.have_joined = True
        LOG.info("training is shared by %d processes, one a GPU", number)
        yield
    except InputError:
        helpers.end()
        raise
    except Exception as problem:
        if isinstance(problem, RuntimeError):  # as a lost connection is
            helpers.explain()
        helpers.end()
        raise
    helpers.end()


class Helpers:
    """The processes for the second and further GPUs, each watched by a thread."""

    def __init__(self, number: int, port: int) -> None:
        self.number, self.have_joined, self.are_ending = number, False, False
        self.lock = threading.Lock()  # one line for one failure
        self.processes = [self._start(rank, port) for rank in range(1, number)]

    def _start(self, rank: int, port: int) -> tuple[subprocess.Popen, threading.Thread]:
        """Run this process's script again; its output is shown only if it fails."""
        output = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process)
        process = subprocess.Popen(
            [sys.executable, *sys.argv],
            env={**os.environ, HELPER: f"{rank} {self.number} {port}"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        watcher = threading.Thread(target=self._watch, args=(rank, process, output), daemon=True)
        watcher.start()
        return process, watcher

    def _watch(self, rank: int, process: subprocess.Popen, output: IO[bytes]) -> None:
        """End everything if a process fails: the others would wait for it."""
        code = process.wait()
        with self.lock:
            trained = self.have_joined and not dist.is_initialized()
            if code == 0 or trained or self.are_ending:
                return
            output.seek(0)
            lines = output.read().decode("utf-8", "replace").splitlines()
            for line in explain(f"training process {rank + 1} of {self.number}", code, lines):
                print(line, file=sys.stderr, flush=True)
            self._kill()
            os._exit(1)  # the main thread may be waiting for a process that is gone

    def explain(self) -> None:
        """Leave it to its watcher to report a process that has failed, if that is why this one has."""
        for _, watcher in self.processes:
            watcher.join(GRACE / len(self.processes))

    def end(self) -> None:
        """End all processes."""
        with self.lock:
            self.are_ending = True
        if dist.is_initialized():
            dist.destroy_process_group()
        self._kill()

    def _kill(self) -> None:
        for process, _ in self.processes:
            process.kill()


def explain(who: str, code: int, lines: list[str]) -> list[str]:
    """Say in one line why a process ended; before it comes what the process wrote, if it gave no reason."""
    if lines and lines[-1].startswith("error: "):
        return [f"error: {who}: {lines[-1].removeprefix('error: ')}"]
    reason = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    line = f"error: {who} ended ({reason}), and so did the others; the same command resumes the training"
    return [*lines[-SHOWN:], line]
