"""From samples to a row of the table: medians, spreads, and whether the machine was quiet enough to say so.

The rule, which the page repeats:
- Each version runs once per round, in turn, after a round that does not count.
- The spread of a version is the distance between the quartiles of its times, as a share of their median. If
  it is above SPREAD for ours, for another version or for the product that is measured in every round, the
  machine was too noisy, and the row says that instead of a ratio.
- Times are the processor's. A version that had a processor for less than ATTENTION of the time on the clock
  shared it with other programs: then the time on the clock is not reported.
- Work of several processes is measured by the clock. If other programs used more than OTHERS of the machine
  meanwhile, it was too noisy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from bench import Bench
from samples import OURS, Rounds

SPREAD = 0.15
ATTENTION = 0.9
OTHERS = 0.1
NOISY = "too noisy"


@dataclass(frozen=True)
class Row:
    """A line of the table: one version of one benchmark."""

    benchmark: str
    version: str
    seconds: float  # median, of the processor
    spread: float  # between the quartiles, as a share of the median
    wall: float | None  # median; none if the processor was shared
    megabytes: float  # the largest peak
    ratio: float | None  # how many times faster ours is; of ours, and without a verdict, none
    limit: float | None  # share of the product's speed
    rate: float | None  # amount per second
    unit: str
    verdict: str  # "", or why there is none


def spread_of(values: Sequence[float]) -> float:
    """Return the distance between the quartiles, as a share of the median."""
    low, _, high = quantiles(values, n=4, method="inclusive")
    return (high - low) / median(values)


def noise(bench: Bench, rounds: Rounds) -> str:
    """Say what keeps a benchmark from a verdict; nothing if the machine was quiet."""
    spreads = {"the product": spread_of(rounds.products)}
    for name, samples in rounds.versions.items():
        spreads[name] = spread_of([getattr(sample, bench.clock) for sample in samples])
    worst = max(spreads, key=spreads.__getitem__)
    if spreads[worst] > SPREAD:
        return f"{NOISY}: {worst} varies by {spreads[worst]:.0%}"
    if bench.clock == "wall":
        others = max(median(sample.others for sample in samples) for samples in rounds.versions.values())
        if others > OTHERS:
            return f"{NOISY}: other programs used {others:.0%} of the machine"
    return ""


def attention(rounds: Rounds, version: str) -> float:
    """Return the share of the time on the clock that a version had a processor."""
    return median(sample.processor / sample.wall for sample in rounds.versions[version])


def rows_of(name: str, bench: Bench, rounds: Rounds) -> list[Row]:
    """Summarise a benchmark: a row for ours, the first, and one for every other version."""
    reason = noise(bench, rounds)
    medians = {
        version: median(getattr(sample, bench.clock) for sample in samples)
        for version, samples in rounds.versions.items()
    }
    return [
        _row(name, version, bench, rounds, medians, reason)
        for version in (OURS, *sorted(set(rounds.versions) - {OURS}))
    ]


def _row(
    name: str, version: str, bench: Bench, rounds: Rounds, medians: Mapping[str, float], reason: str
) -> Row:
    samples = rounds.versions[version]
    times = [getattr(sample, bench.clock) for sample in samples]
    seconds = median(sample.processor for sample in samples)
    quiet = attention(rounds, version) >= ATTENTION
    limit = bench.operations / seconds / median(rounds.products) if bench.operations else None
    return Row(
        benchmark=name,
        version=version,
        seconds=seconds,
        spread=spread_of(times),
        wall=median(sample.wall for sample in samples) if quiet else None,
        megabytes=max(sample.megabytes for sample in samples),
        ratio=None if reason or version == OURS else medians[version] / medians[OURS],
        limit=None if reason else limit,
        rate=bench.amount / medians[version] if bench.amount and not reason else None,
        unit=bench.unit,
        verdict=reason,
    )
