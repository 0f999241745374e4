"""What every workflow script does around its library call."""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xstitch.core.errors import USER_FIXABLE, InputError

PR_SET_PDEATHSIG = 1  # an option of Linux's prctl
# Set in the processes that a job starts for further GPUs: rank, number of processes, port to meet at.
HELPER = "XSTITCH_HELPER"


def _send_output_to(log: Path) -> None:
    """Point file descriptors 1 and 2 at the log, so that it gets output of C libraries and tracebacks too."""
    log.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)


def _end_with_parent() -> None:
    """Have the kernel kill this process when its parent dies; exit now if it has already died."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1 and b"snakemake" not in Path("/proc/1/cmdline").read_bytes():
        raise SystemExit("the snakemake that started this job is gone")


@contextmanager
def job(snakemake: Any) -> Iterator[None]:
    """Run a script's body with its output in the job's log; an `InputError` ends it in one line.

    So does a disk that is full or not writable. The job dies with the Snakemake that started it:
    otherwise it would keep writing files that the next run makes again.
    """
    _end_with_parent()
    if HELPER not in os.environ:  # the log is that of the job's first process
        _send_output_to(Path(snakemake.log[0]))
    logging.basicConfig(format="%(message)s", stream=sys.stderr)
    logging.getLogger("xstitch").setLevel(logging.INFO)  # only ours: gensim is too verbose at this level
    started = time.perf_counter()
    try:
        yield
    except InputError as problem:
        print(f"error: {problem}", file=sys.stderr)
        raise SystemExit(1) from None
    except OSError as problem:
        if problem.errno not in USER_FIXABLE:
            raise
        path = problem.filename or Path.cwd()
        print(f"error: {path}: {problem.strerror}; fix that, then run the same command", file=sys.stderr)
        raise SystemExit(1) from None
    print(f"done in {time.perf_counter() - started:.1f} s", file=sys.stderr)


def fingerprint(snakemake: Any) -> str:
    """Digest everything a job depends on, so that only the very same job resumes a checkpoint."""
    summary = hashlib.sha256(repr(sorted(snakemake.params.items())).encode())
    for path in sorted(map(Path, snakemake.input)):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        # Snakemake puts a timestamp file into folders, which says nothing about their content.
        for file in (file for file in files if file.is_file() and file.name != ".snakemake_timestamp"):
            with file.open("rb") as stream:
                summary.update(f"{file} {hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return summary.hexdigest()
