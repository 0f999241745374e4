"""A Python that has loaded torch and transformers: jobs run in forks of it, which load nothing of that again.

The main process starts this program, in the environment of the jobs, and asks it for a fork per job
(xstitch.plan.warm_jobs). It runs as a file and imports nothing of xstitch, so that every fork imports the
library as it is then, edits included. It ends with the main process, and forks end with it.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType, TracebackType

PR_SET_PDEATHSIG = 1  # an option of Linux's prctl
LONGEST_REQUEST, LONGEST_ANSWER = 65536, 32  # bytes
WAITING = b"?"  # asks for the exit code
# What jobs with neural networks load, but for pyarrow and what loads it: that starts a thread, and is fast.
LOADED = (
    "snakemake.logging",
    "snakemake.iocontainers",
    "numpy.random",
    "scipy.stats",
    "torch",
    "safetensors.torch",
    "transformers.models.auto.modeling_auto",
    "transformers.models.auto.tokenization_auto",
    "transformers.models.bert.modeling_bert",
)


class Forks:
    """Forks of this process, on request; each request brings a socket on which to answer.

    The first answer is the fork's process, the second, once it is asked for, its exit code. Until then an
    ended fork stays as a zombie: Snakemake's benchmark looks at a process that it takes for its child.
    """

    def __init__(self, requests: socket.socket) -> None:
        """Take requests from a socket, until its other end is closed."""
        self.requests, self.waiting = requests, selectors.DefaultSelector()
        self.waiting.register(requests, selectors.EVENT_READ, self._fork)

    def serve(self) -> dict[str, str]:
        """Answer requests; return, in a fork alone, the request that it is for."""
        while True:
            for key, _ in self.waiting.select():
                if request := key.data():
                    return request

    def _fork(self) -> dict[str, str] | None:
        request, descriptors, *_ = socket.recv_fds(self.requests, LONGEST_REQUEST, 1)
        if not request:
            raise SystemExit
        answers = socket.socket(fileno=descriptors[0])
        if not _is_alone():
            answers.close()  # which says no
            return None
        process = os.fork()
        if not process:
            self._forget(answers)
            return json.loads(request)
        answers.send(str(process).encode())
        self.waiting.register(answers, selectors.EVENT_READ, partial(self._await, process, answers))
        return None

    def _await(self, process: int, answers: socket.socket) -> None:
        self.waiting.unregister(answers)
        answers.recv(len(WAITING))
        ended = os.pidfd_open(process)
        self.waiting.register(ended, selectors.EVENT_READ, partial(self._tell, process, ended, answers))

    def _tell(self, process: int, ended: int, answers: socket.socket) -> None:
        self.waiting.unregister(ended)
        os.close(ended)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        with answers, suppress(BrokenPipeError):
            answers.send(str(code).encode())

    def _forget(self, answers: socket.socket) -> None:
        """Close in a fork what is between its parent and the main process."""
        sockets = [key.fileobj for key in self.waiting.get_map().values()]
        self.waiting.close()
        for each in (*sockets, answers):
            os.close(each) if isinstance(each, int) else each.close()


def _is_alone() -> bool:
    """Whether this process has one thread: a fork has no others, and would wait for them forever."""
    return len([*Path("/proc/self/task").iterdir()]) == 1


def load_packages() -> None:
    """Load what jobs load; what cannot be loaded is left for the jobs to complain about."""
    for name in LOADED:
        with suppress(Exception):
            import_module(name)
    gc.collect()
    gc.freeze()  # or every fork would copy all of it on its first look for garbage


def become(script: str, folder: str) -> None:
    """Be from here on the process that `python script` would have been in a folder."""
    os.chdir(folder)
    _show_as(f"{sys.executable} {script}")
    sys.argv, sys.orig_argv = [script], [sys.executable, script]
    if not sys.flags.safe_path:
        sys.path.insert(0, str(Path(script).parent))
    if numbers := sys.modules.get("numpy.random"):
        numbers.seed()  # Python's own are new in every fork
    sys.excepthook = _without_own_frames
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__file__ = script
    exec(compile(Path(script).read_bytes(), script, "exec"), vars(main))


def _without_own_frames(
    kind: type[BaseException], problem: BaseException, trace: TracebackType | None
) -> None:
    """Print an exception from the script on, as if there were no file but that above it."""
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.__excepthook__(kind, problem.with_traceback(trace), trace)


def _end_with_parent(parent: int) -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit("the process that started this one is gone")


def _show_as(command: str) -> None:
    """Have `ps` show a command, as far as there is room where this program's arguments were."""
    # Without a zero as its last byte, Linux takes all of this for one text, which ends at its first zero.
    start, end = map(int, Path("/proc/self/stat").read_text().rpartition(")")[2].split()[45:47])
    text = command.encode()[: end - start - 2]
    ctypes.memmove(start, text.ljust(end - start - 1, b"\0") + b" ", end - start)


def main(requests: int, parent: int) -> None:
    """Serve forks to a process, and run in each of them what it is for."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    _end_with_parent(parent)
    for number in handlers:
        signal.signal(number, signal.SIG_IGN)  # a terminal or a scheduler sends them to the forks, too
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder of this file, which is no place to import from
    load_packages()
    own = os.getpid()
    request = Forks(socket.socket(fileno=requests)).serve()
    _end_with_parent(own)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    become(**request)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
