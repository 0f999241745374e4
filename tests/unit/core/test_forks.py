"""A function applied by several processes: in order, not far ahead, and not longer than its parent lives."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from xstitch.core.forks import AHEAD, forked_map

SCRIPTS = Path(__file__).parents[3] / "workflow/scripts"
linux = pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux")


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_are_in_the_order_of_the_things(processes):
    offset = 7  # what the function needs is in the forks, though it is not in any module
    results = forked_map(lambda number: number * number + offset, range(1000), processes, block=9)
    assert list(results) == [number * number + 7 for number in range(1000)]
    assert list(forked_map(abs, [], processes)) == []


@linux
def test_other_processes_do_the_work():
    workers = set(forked_map(lambda _: os.getpid(), range(400), 2, block=1))
    assert os.getpid() not in workers
    assert 1 <= len(workers) <= 2


@linux
def test_things_are_read_only_a_little_ahead():
    read, others = [], set(psutil.Process().children())
    results = forked_map(abs, (read.append(number) or number for number in range(10_000)), 2, block=5)
    assert [next(results), next(results)] == [0, 1]
    assert len(read) <= 2 * AHEAD * 5
    results.close()  # ends the processes, too
    assert not set(psutil.Process().children()) - others


def test_an_exception_ends_the_map_with_itself():
    with pytest.raises(ZeroDivisionError) as raised:
        list(forked_map(lambda number: 1 // (number - 500), range(1000), 2))
    if sys.platform == "linux":  # where in the fork it came up
        assert "1 // (number - 500)" in "".join(raised.value.__notes__)


@pytest.mark.parametrize("processes", [1, 2, 4])
@pytest.mark.parametrize("place", [0, 4, 5, 23, 39])
def test_what_comes_before_a_problem_comes_first(processes, place):
    """Whoever has enough by then never sees it, however many processes read ahead."""

    def numbers():
        yield from range(place)
        raise OSError("the file is cut")

    def halved(number):
        return 1 // (place - number) + number

    for results, problem in (
        (forked_map(abs, numbers(), processes, block=5), OSError),
        (forked_map(halved, range(100), processes, block=5), ZeroDivisionError),
    ):
        assert len([next(results) for _ in range(place)]) == place
        with pytest.raises(problem):
            next(results)


@linux
def test_forks_end_with_a_killed_parent():
    program = """
import os
from itertools import count
from xstitch.core.forks import forked_map
for process in forked_map(lambda _: os.getpid(), count(), 2, block=1):
    print(process, flush=True)
"""
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    process = subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE)
    forks = {psutil.Process(int(process.stdout.readline())) for _ in range(10)}
    process.send_signal(signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 60
    while any(fork.is_running() and fork.status() != psutil.STATUS_ZOMBIE for fork in forks):
        assert time.monotonic() < deadline
        time.sleep(0.05)
