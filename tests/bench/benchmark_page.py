"""The page docs/benchmarks.md: the table of the day, the machine it was measured on, and the rule."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

import psutil
from records import Record
from samples import OURS
from verdict import ATTENTION, OTHERS, SPREAD, Row

PACKAGES = ("numpy", "torch", "transformers", "pandas")
HEAD = """# Benchmarks

Written by `make bench`; do not edit. {date}, {machine}; {threads}; {packages}. The machine was {state}:
other programs used {others:.0%} of it (median; {least:.0%} to {most:.0%}).

Every benchmark does the same work in our way and in the ways a good engineer would choose without this
project: one process for a benchmark, all versions in turn, {rounds} or more rounds after one that does not
count. VecMap takes part where `XSTITCH_VECMAP` names a clone of its program, faiss where it is installed.
Rows of a day may come from several runs of the command.

- **seconds**: the median of the processor's time; **spread**: the distance between the quartiles, as a share.
- **clock**: the median time on the clock, or "shared" if a version had less than {attention:.0%} of a core.
- **MB**: the largest peak of memory, on top of the data.
- **limit**: the share of the speed of a float32 product, measured in every round: {product}.
- **faster**: how many times faster ours is. If the quartiles of a version or of the product are more than
  {spread:.0%} apart, the machine was too noisy: the row says so, gives no ratio, and the exit code is 3.
- Work of several processes is compared by the clock, if others used at most {limit:.0%} of the machine.

| benchmark | version | seconds | spread | clock | MB | per second | limit | faster |
|---|---|---|---|---|---|---|---|---|
"""

GROWTH = """
## Growth

How time grows with the data, by `tests/bench/growth.py`: each kernel at four sizes, each twice the last.
The exponent is the slope of the logarithms: 1 if time doubles with the size, 2 if it is four times as long.
The last column has what the work itself needs; below it, fixed costs still count at these sizes.

{table}"""


def page(records: Sequence[Record], growth: str = "") -> str:
    """Write the page."""
    beside = [record.beside for record in records]
    others = [each.others for each in beside]
    head = HEAD.format(
        date=beside[0].day,
        machine=machine(),
        threads="one thread" if beside[0].threads == 1 else f"{beside[0].threads} threads",
        packages=", ".join(f"{name} {version(name)}" for name in PACKAGES),
        state="busy" if median(others) > OTHERS else "nearly idle",
        others=median(others),
        least=min(others),
        most=max(others),
        rounds=min(each.rounds for each in beside),
        attention=ATTENTION,
        spread=SPREAD,
        limit=OTHERS,
        product=f"{median(each.product for each in beside) / 1e9:.0f} GFLOP/s",
    )
    table = "".join(line(record.row) + "\n" for record in records)
    return head + table + (GROWTH.format(table=growth) if growth else "")


def line(row: Row) -> str:
    """Write a row of the table; a benchmark's name stands at its first row alone."""
    faster = row.verdict or ("" if row.ratio is None else f"**{row.ratio:.2f}**")
    cells = (
        row.benchmark if row.version == OURS else "",
        row.version,
        number(row.seconds),
        f"{row.spread:.0%}",
        "shared" if row.wall is None else number(row.wall),
        f"{row.megabytes:,.0f}",
        "" if row.rate is None else f"{row.rate:,.0f} {row.unit}",
        "" if row.limit is None else f"{row.limit:.0%}",
        faster,
    )
    return f"| {' | '.join(cells)} |"


def number(seconds: float) -> str:
    """Write seconds with three digits that count."""
    return f"{seconds:.3g}" if seconds < 100 else f"{seconds:.0f}"


def machine() -> str:
    """Name the kind of machine: its processor, its cores and its memory."""
    kind = platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    model = next((each.partition(":")[2].strip() for each in lines if each.startswith("model name")), kind)
    memory = psutil.virtual_memory().total / 2**30
    return f"{os.cpu_count()} cores of {model} ({kind}), {memory:.0f} GB"
