"""A Python that has loaded beforehand what the workflow loads: commands run in forks of it.

Snakemake takes a second to load, torch and transformers take five, and every job loads them again: that was
half of the time of the tests. Here a server loads them once, and a command that stands in for `python` hands
its arguments, environment and streams to the server, which forks. Where variables that are read on loading
differ from those of the server, the command becomes an ordinary Python.
"""

from __future__ import annotations

import atexit
import gc
import json
import multiprocessing
import os
import runpy
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path

STAND_IN = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    command = dict(arguments=sys.argv[1:], folder=os.getcwd(), variables=dict(os.environ))
    command = json.dumps(command).encode()
    socket.send_fds(server, [len(command).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(command)
    code = server.recv(1)
if code:
    sys.exit(code[0])
os.execv({python!r}, [{python!r}, *sys.argv[1:]])
"""
# What modules (Snakemake) and scripts (jobs) load; the variables that are read then.
SNAKEMAKE = ("snakemake.cli", "snakemake_executor_plugin_slurm", "pydantic", "pyarrow.parquet")
TRANSFORMERS = tuple(f"transformers.models.{name}" for name in ("bert.modeling_bert", "vit.modeling_vit"))
JOBS = ("torch", "pandas", "pyarrow.parquet", "scipy.stats", "sklearn.linear_model", *TRANSFORMERS)
PYTHON = ("PYTHONPATH", "PYTHONHASHSEED")
FORKING = multiprocessing.get_context("fork")
THREADS = tuple(f"{library}_NUM_THREADS" for library in ("OMP", "GOTO", "OPENBLAS", "MKL", "NUMEXPR"))


def start_server(pinned: dict[str, str]) -> str:
    """Start a server that ends with this process; the command that stands in for `python`.

    Jobs that are served have one thread and these variables.
    """
    folder = Path(tempfile.mkdtemp(prefix="warm-"))
    address, stand_in = str(folder / "server"), folder / "python"
    stand_in.write_text(STAND_IN.format(python=sys.executable, address=address), encoding="utf-8")
    stand_in.chmod(0o755)
    settled = {**dict.fromkeys(THREADS, "1"), "OMP_WAIT_POLICY": "PASSIVE", **pinned}
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        server = subprocess.Popen(
            [sys.executable, __file__, str(door.fileno()), str(stand_in), *settled],
            env={**os.environ, **settled},
            stdin=subprocess.PIPE,  # its end is the server's
            stdout=subprocess.DEVNULL,
            pass_fds=[door.fileno()],
        )
    atexit.register(_end_server, server, folder)
    return str(stand_in)


def _end_server(server: subprocess.Popen, folder: Path) -> None:
    server.stdin.close()
    server.wait()
    shutil.rmtree(folder)


def serve(door: socket.socket, stand_in: str, settled: list[str]) -> None:
    """Fork for every command and tell the exit code, until the process that wanted a server ends."""
    with selectors.DefaultSelector() as waiting:
        waiting.register(sys.stdin, selectors.EVENT_READ)
        waiting.register(door, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fileobj is sys.stdin:
                    return
                if key.fileobj is door:
                    asking = door.accept()[0]
                    if process := _begin(asking, stand_in, settled):
                        waiting.register(process.sentinel, selectors.EVENT_READ, (process, asking))
                    else:
                        asking.close()
                else:
                    waiting.unregister(key.fileobj)
                    _tell(*key.data)


def _begin(asking: socket.socket, stand_in: str, settled: list[str]) -> BaseProcess | None:
    """Fork for a command, if this process has loaded what it would load, as it would."""
    size, streams, *_ = socket.recv_fds(asking, 4, 3)
    command = json.loads(asking.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL))
    is_module = command["arguments"][0] == "-m"
    names = PYTHON if is_module else (*PYTHON, *settled)
    process = None
    if all(command["variables"].get(name) == os.environ.get(name) for name in names):
        for name in SNAKEMAKE if is_module else JOBS:
            import_module(name)
        gc.freeze()  # or every fork copies all of it to look for garbage
        process = FORKING.Process(target=_become, args=(stand_in, streams), kwargs=command)
        process.start()
    for stream in streams:
        os.close(stream)
    return process


def _become(stand_in: str, streams: list[int], arguments: list[str], folder: str, variables: dict) -> None:
    """Be the process that `python` would have been."""
    for descriptor, stream in enumerate(streams):
        os.dup2(stream, descriptor)
    sys.stdin = os.fdopen(0, closefd=False)  # multiprocessing has put nothing in its place
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    tempfile.tempdir = None  # it depends on variables
    sys.executable = stand_in
    if arguments[0] == "-m":
        sys.path[0], sys.argv = folder, arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.path[0], sys.argv = str(Path(arguments[0]).parent), arguments
        runpy.run_path(arguments[0], run_name="__main__")


def _tell(process: BaseProcess, asking: socket.socket) -> None:
    """Tell the exit code; a signal's as shells do."""
    process.join()
    code = process.exitcode
    with asking, suppress(BrokenPipeError):  # it was killed
        asking.send(bytes([code if code >= 0 else 128 - code]))


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2], sys.argv[3:])
