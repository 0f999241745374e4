"""Speed as ratios within one run, because machines are noisy: run.py OUTPUT.

Each benchmark times a plain version and ours on the same data, in turn, several times, and reports the ratio
of the medians. A module `bench_<noun>.py` has functions `bench_<what>` that return a Bench.
"""

import csv
import gc
import importlib
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import psutil

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "workflow/scripts")]

from bench import Bench  # noqa: E402 (the folders above must be on the path first)

COLUMNS = ("benchmark", "plain", "plain_seconds", "ours_seconds", "ratio", "ours_peak_mb", "rounds")
MEGABYTE = 2**20


class PeakMemory:
    """The peak memory while a block runs, beyond what was in use before; sampled."""

    def __enter__(self) -> "PeakMemory":
        gc.collect()
        self.process = psutil.Process()
        self.before = self.most = self.process.memory_info().rss
        self.over = threading.Event()
        self.watch = threading.Thread(target=self._watch)
        self.watch.start()
        return self

    def _watch(self) -> None:
        while not self.over.wait(0.005):
            self.most = max(self.most, self.process.memory_info().rss)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.watch.join()

    @property
    def megabytes(self) -> float:
        """Megabytes on top of the benchmark's data."""
        return (self.most - self.before) / MEGABYTE


def seconds(function: Callable[[], object]) -> float:
    """Time one call."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def measure(name: str, bench: Bench) -> dict[str, object]:
    """Time both versions in turn, so that disturbances affect both."""
    rounds, peaks = [], []
    for _ in range(bench.rounds):
        plain = seconds(bench.plain) / bench.share
        with PeakMemory() as peak:
            rounds.append((plain, seconds(bench.ours)))
        peaks.append(peak.megabytes)
    plain, ours = (median(times) for times in zip(*rounds, strict=True))
    numbers = (f"{plain:.4f}", f"{ours:.4f}", f"{plain / ours:.1f}", round(max(peaks)), bench.rounds)
    return dict(zip(COLUMNS, (name, bench.what_plain_is, *numbers), strict=True))


def main(output: Path) -> None:
    """Run every benchmark, print a line for each, write the table."""
    rows = []
    for file in sorted(HERE.glob("bench_*.py")):
        module = importlib.import_module(file.stem)
        for name in sorted(name for name in vars(module) if name.startswith("bench_")):
            row = measure(name.removeprefix("bench_"), getattr(module, name)())
            rows.append(row)
            print(f"{row['benchmark']}: {row['ratio']} times as fast as {row['plain']}", flush=True)
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
