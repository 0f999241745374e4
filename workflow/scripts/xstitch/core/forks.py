"""A function applied to many things by several processes, with results in the order of the things."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from traceback import format_exception
from typing import Any, TypeVar

Thing, Result = TypeVar("Thing"), TypeVar("Result")

BLOCK = 256  # things handed to a process at once: sending one costs as much as splitting a short paragraph
AHEAD = 3  # blocks for each process that are under way or finished before they are asked for
PR_SET_PDEATHSIG = 1  # an option of Linux's prctl

_function: Callable[[Any], Any]  # in a fork: what it applies


def forked_map(
    function: Callable[[Thing], Result], things: Iterable[Thing], processes: int, block: int = BLOCK
) -> Iterator[Result]:
    """Apply a function in forks of this process, which have all that it needs, loaded dictionaries included.

    Things are read only a little ahead of the results that are asked for; a problem with one of them comes up
    after the results before it, as with one process. With that, and on other systems than Linux, nothing is
    forked.
    """
    if processes == 1 or sys.platform != "linux":
        yield from map(function, things)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, _begin, (function, os.getpid())) as pool:
        try:
            for results in _ordered(pool, iter(things), processes * AHEAD, block):
                yield from results
        finally:
            pool.shutdown(cancel_futures=True)  # whoever asked may have enough


def _ordered(
    pool: ProcessPoolExecutor, things: Iterator[Thing], ahead: int, block: int
) -> Iterator[list[Any]]:
    waiting: deque[Future[tuple[list[Any], Exception | None]]] = deque()
    unreadable, ended = None, False
    while not ended or waiting:
        while not ended and len(waiting) < ahead:
            some, unreadable = _until_problem(things, block)
            ended = len(some) < block
            waiting.append(pool.submit(_apply, some))
        results, problem = waiting.popleft().result()
        yield results
        if problem:
            raise problem
    if unreadable:
        raise unreadable


def _until_problem(things: Iterator[Thing], most: int) -> tuple[list[Thing], Exception | None]:
    """Read so many things; the last comes with what kept the next one from being read."""
    some: list[Thing] = []
    try:
        some.extend(islice(things, most))
    except Exception as problem:
        return some, problem
    return some, None


def _begin(function: Callable[[Any], Any], parent: int) -> None:
    """Prepare a fork: it must end with its parent, whose queue it would wait for forever."""
    global _function
    _function = function
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit("the process that started this one is gone")


def _apply(things: Sequence[Any]) -> tuple[list[Any], Exception | None]:
    results, problem = _until_problem(map(_function, things), len(things))
    if problem:  # where it came up is not sent to the parent
        problem.add_note("".join(format_exception(problem)))
    return results, problem
