"""One call: its time on the clock and on the processor, its peak memory; and the product, the limit."""

import ctypes
import gc
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import torch
from bench import Bench
from samples import OURS, Rounds, Sample

MEGABYTE = 2**20
SIDE, PRODUCTS = 1024, 4  # the product that is the limit: 2 GFLOP, a few times


def processor_seconds() -> float:
    """Return the processor time of this process and of its children, ended or not."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    ended = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    children = psutil.Process().children(recursive=True)
    return ended + sum(map(_seconds_of, children))


def _seconds_of(child: psutil.Process) -> float:
    """Return the processor time of a child and of its own; 0 if it has just ended."""
    try:
        return sum(child.cpu_times()[:4])
    except psutil.Error:
        return 0.0


def busy_seconds() -> float:
    """Return the time that all processors together have been busy, with whatever."""
    times = psutil.cpu_times()
    return sum(times) - times.idle - times.iowait - times.guest - times.guest_nice


def measure(function: Callable[[], object]) -> Sample:
    """Measure one call."""
    with PeakMemory() as peak:
        wall, processor, busy = time.perf_counter(), processor_seconds(), busy_seconds()
        function()
        wall, processor = time.perf_counter() - wall, processor_seconds() - processor
        others = max(0.0, busy_seconds() - busy - processor) / (wall * psutil.cpu_count())
    return Sample(wall, processor, peak.megabytes, others)


def run_rounds(bench: Bench) -> Rounds:
    """Run all versions in turn, first once for nothing, so that disturbances affect all of them."""
    functions = {OURS: bench.ours, **bench.others}
    product = Product()
    for function in functions.values():
        function()
    samples: dict[str, list[Sample]] = {name: [] for name in functions}
    products = []
    for number in range(bench.rounds):
        names = list(functions) if number % 2 else list(functions)[::-1]  # nobody is always first
        for name in names:
            samples[name].append(measure(functions[name]))
        products.append(product.rate())
    return Rounds(samples, products)


class PeakMemory:
    """The peak memory while a block runs: as Linux counts it, with that of its new children as sampled."""

    def __enter__(self) -> "PeakMemory":
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)  # what an earlier round has freed must not serve this one unseen
        self.process = psutil.Process()
        self.earlier = set(self.process.children(recursive=True))
        self.before = self.process.memory_info().rss
        Path("/proc/self/clear_refs").write_text("5")  # Linux starts a new peak
        self.children, self.over = 0, threading.Event()
        self.watch = threading.Thread(target=self._watch)
        self.watch.start()
        return self

    def _watch(self) -> None:
        while not self.over.wait(0.05):
            children = set(self.process.children(recursive=True)) - self.earlier
            self.children = max(self.children, sum(map(_resident, children)))

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.watch.join()
        status = Path("/proc/self/status").read_text()
        peak = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
        self.megabytes = (max(0, int(peak) * 1024 - self.before) + self.children) / MEGABYTE


def _resident(process: psutil.Process) -> int:
    """Return the memory that a child shares with nobody; 0 if it has just ended."""
    try:
        return process.memory_full_info().uss
    except psutil.Error:
        return 0


class Product:
    """The float32 product of two matrices by the faster of torch and numpy: what no kernel can exceed."""

    def __init__(self) -> None:
        random = np.random.default_rng(0)
        self.matrices = [random.random((SIDE, SIDE), dtype="f4") for _ in range(2)]
        self.tensors = [torch.from_numpy(matrix) for matrix in self.matrices]

    def rate(self) -> float:
        """Return operations per second of processor time, measured now."""
        ways = (lambda: torch.mm(*self.tensors), lambda: np.dot(*self.matrices))
        return max(self._rate(way) for way in ways)

    @staticmethod
    def _rate(product: Callable[[], object]) -> float:
        product()
        started = time.process_time()
        for _ in range(PRODUCTS):
            product()
        return PRODUCTS * 2 * SIDE**3 / (time.process_time() - started)
