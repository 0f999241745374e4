"""One main process per folder at a time; clean up what a killed one left behind.

Snakemake's own lock outlives a killed process and does not say whose it is. This one is the kernel's: it ends
with the process that holds it. So while it is free, any lock of Snakemake's is known to be stale.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from filelock import FileLock, Timeout

from xstitch.core.errors import InputError

# Options that only look, or that clear a lock: they are allowed while another process is running.
LOOKING = {"--unlock", "--nolock", "--lint", "--report", "--summary", "--detailed-summary", "--archive"}
LOOKING |= {"--dag", "--rulegraph", "--filegraph", "--d3dag", "--list", "--list-rules", "--print-compilation"}
SECONDS_TO_END = 60  # how long to wait for cancelled jobs


def only_looks(arguments: list[str]) -> bool:
    """Whether a Snakemake command makes no files, judging by its options."""
    return not LOOKING.isdisjoint(argument.partition("=")[0] for argument in arguments)


def claim_folder(state: Path) -> tuple[FileLock, list[str]]:
    """Lock Snakemake's state folder until this process ends; also return lines on what was cleaned up.

    A folder locked by a live process is refused. Locks of a process killed on this host are removed; whether
    a process on another host is still alive cannot be known here.
    """
    record = state / "main.json"
    try:
        state.mkdir(exist_ok=True)
        lock = FileLock(state / "main.lock")
        lock.acquire(timeout=0)
        lines = _clear_stale(state, _holder(record))
        record.write_text(
            json.dumps({"host": socket.gethostname(), "process": os.getpid()}), encoding="utf-8"
        )
    except Timeout:
        raise InputError(
            f"{state.parent.resolve()}: another snakemake works here ({_describe(_holder(record))}); "
            "wait for it to end, then run the same command"
        ) from None
    except NotImplementedError:  # the file system has no such locks: Snakemake's own must suffice
        return lock, []
    except OSError as problem:
        raise InputError(
            f"{state.resolve()}: {problem.strerror}; Snakemake must be able to write there"
        ) from problem
    return lock, lines


def require_writable(folders: Iterable[Path]) -> None:
    """Refuse existing folders that cannot be written to, before a job fails because of it."""
    for folder in folders:
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except FileNotFoundError:
            continue
        except OSError as problem:
            raise InputError(
                f"{folder.resolve()}: {problem.strerror}; fix that, then run the same command"
            ) from problem


def _holder(record: Path) -> dict:
    """The last process to lock the folder; empty if there was none, or a kill left half a record."""
    try:
        holder = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _describe(holder: dict) -> str:
    return f"process {holder.get('process', 'unknown')} on {holder.get('host', 'an unknown host')}"


def _clear_stale(state: Path, holder: dict) -> list[str]:
    """Remove the locks of a killed process and cancel its jobs; refuse if it may be alive on another host."""
    locks = sorted((state / "locks").glob("*.lock"))
    if not locks:
        return []
    if holder.get("host") != socket.gethostname():
        raise InputError(
            f"{locks[0]}: left by {_describe(holder)}; if that has ended, run `snakemake --unlock`, "
            "then the same command"
        )
    lines = [f"the last run here ({_describe(holder)}) was killed: its lock is removed"]
    if cancelled := _cancel_jobs(_submitted(state), state.parent.resolve()):
        lines.append(f"its jobs in the queue are cancelled: {' '.join(cancelled)}")
    for lock in locks:  # last, so that after a kill in between the next run starts over
        lock.unlink()
    return lines


def _submitted(state: Path) -> set[str]:
    """The job numbers of unfinished jobs that were submitted to a cluster."""
    numbers = set()
    for file in (state / "incomplete").rglob("*"):
        if file.is_file():
            try:
                numbers.add(json.loads(file.read_text(encoding="utf-8")).get("external_jobid"))
            except (ValueError, AttributeError):  # a kill can leave half a record
                continue
    return numbers - {None}


def _cancel_jobs(numbers: set[str], folder: Path) -> list[str]:
    """Cancel the jobs that SLURM still has in its queue for this folder, and wait until they have ended.

    Nobody would collect their outputs, and the next run would start the same jobs alongside them.
    """
    if not numbers or not shutil.which("squeue"):
        return []
    left = sorted(numbers & _queued(folder))
    if left:
        subprocess.run(["scancel", *left], check=False)
    end = time.monotonic() + SECONDS_TO_END
    while numbers & _queued(folder) and time.monotonic() < end:
        time.sleep(1)
    return left


def _queued(folder: Path) -> set[str]:
    """The numbers of the jobs in SLURM's queue that run in a folder."""
    command = ["squeue", "--noheader", "--array", "--format=%i %Z"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    jobs = (line.partition(" ") for line in listed.splitlines())
    return {number for number, _, job_folder in jobs if job_folder == str(folder)}
