"""What a module's tests say about its mutants, each tried in a fork of a Python that has loaded torch."""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path

import pytest
from mutations import Mutant

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "workflow/scripts/xstitch"
OWN = (str(ROOT / "workflow"), str(ROOT / "tests"))
KILLED, SURVIVED, TIMED_OUT = "killed", "survived", "timed out"
TIMEOUTS = (signal.SIGPROF, signal.SIGALRM)
LONGER, EXTRA_SECONDS = 10, 3  # with a mutant, a test may take ten times as long as usual
LONGEST = 600  # seconds for all tests, waiting included
MEMORY = 16 * 2**30


class _MutantLoader(SourceFileLoader):
    """Loads a text in place of a module's file."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> object:  # noqa: ARG002 (the loader's interface)
        return compile(self.text, self.path, "exec")


class _MutantFinder:
    """Finds the mutant where its module is asked for."""

    def __init__(self, mutant: Mutant) -> None:
        self.file = LIBRARY / mutant.module
        self.name = ".".join(["xstitch", *Path(mutant.module).with_suffix("").parts])
        self.text = mutant.source

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name != self.name:
            return None
        loader = _MutantLoader(name, str(self.file), self.text)
        return spec_from_file_location(name, self.file, loader=loader)


class _Clock:
    """Measures the processor time of each test; a test that takes much longer than usual ends its process.

    The quickest files come first, and their quickest tests: most mutants are killed by one of them.
    """

    def __init__(self, usual: dict[str, float]) -> None:
        self.usual, self.seconds = usual, {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        totals = Counter()
        for item in items:
            totals[item.path] += self.usual.get(item.nodeid, 0)
        items.sort(key=lambda item: (totals[item.path], item.path, self.usual.get(item.nodeid, 0)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        started = time.process_time()
        allowed = LONGER * self.usual.get(item.nodeid, LONGEST) + EXTRA_SECONDS
        signal.setitimer(signal.ITIMER_PROF, allowed)
        result = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.seconds[item.nodeid] = time.process_time() - started
        return result


def time_tests(tests: list[str]) -> dict[str, float]:
    """Return the processor time of tests that pass, and load here what they load, for the forks to come."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes.json"
        _, status = os.waitpid(_fork(None, tests, folder, {}, notes), 0)
        if status:
            raise SystemExit(f"these tests fail without any mutant: {' '.join(tests)}")
        found = json.loads(notes.read_text(encoding="utf-8"))
    for name in found["packages"]:
        with suppress(ImportError):
            import_module(name)
    gc.freeze()  # or every fork copies all of it to look for garbage
    return found["seconds"]


def verdicts(mutants: Sequence[Mutant], tests: list[str], jobs: int) -> Iterator[tuple[Mutant, str]]:
    """Try mutants with a module's tests, several at a time; yield the verdicts as they come."""
    if not mutants:
        return
    usual = time_tests(tests)
    running: dict[int, tuple[Mutant, str]] = {}
    waiting = list(reversed(mutants))
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant, folder = waiting.pop(), tempfile.mkdtemp(prefix="mutant-")
                running[_fork(mutant, tests, folder, usual)] = (mutant, folder)
            pid, status = os.wait()
            mutant, folder = running.pop(pid)
            _clear(pid, folder)
            yield mutant, _verdict(status)
    finally:
        for pid, (_, folder) in running.items():
            _clear(pid, folder)
            os.waitpid(pid, 0)


def _clear(pid: int, folder: str) -> None:
    """End what a trial left running and remove its files."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def _verdict(status: int) -> str:
    if os.WIFSIGNALED(status):
        return TIMED_OUT if os.WTERMSIG(status) in TIMEOUTS else KILLED
    code = os.WEXITSTATUS(status)
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise SystemExit("pytest found no tests")
    return KILLED if code else SURVIVED


def _fork(
    mutant: Mutant | None, tests: list[str], folder: str, usual: dict[str, float], notes: Path | None = None
) -> int:
    """Start the tests in a fork, which ends by itself if it takes too long."""
    if pid := os.fork():
        with suppress(PermissionError, ProcessLookupError):
            os.setpgid(pid, pid)
        return pid
    code = 3
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.setitimer(signal.ITIMER_REAL, LONGEST)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        clock = _Clock(usual)
        code = _test(mutant, tests, folder, clock)
        if notes:
            found = {"seconds": clock.seconds, "packages": _loaded_packages()}
            notes.write_text(json.dumps(found), encoding="utf-8")
    finally:
        os._exit(code)


def _test(mutant: Mutant | None, tests: list[str], folder: str, clock: _Clock) -> int:
    os.chdir(ROOT)
    sys.dont_write_bytecode = True
    if mutant:
        sys.meta_path.insert(0, _MutantFinder(mutant))
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--basetemp={folder}/tests"]
    return int(pytest.main([*options, *tests], plugins=[clock]))


def _loaded_packages() -> list[str]:
    """Return the names of the loaded modules that are not the project's."""
    return [
        name
        for name, module in list(sys.modules.items())
        if (file := getattr(module, "__file__", None)) and not file.startswith(OWN)
    ]
