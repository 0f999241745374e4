"""What a unit of work takes on one core, as measured: config/costs/rules.tsv and its companions."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from xstitch.core.errors import InputError, legal_names
from xstitch.core.tsv import read_records
from xstitch.plan.costs.architectures import TABLES

USUAL_GPU = "a100"
USED = 0.3  # of a GPU's peak, which is usual for such models
CORE_GFLOPS = 130.0  # of the core that the rates of rules were measured on, in the largest products
PORTABLE = 1.2  # times as long with `portable`: 0.9 on the mini world, 1.3 where it prevents packing


@dataclass(frozen=True)
class Environment:
    """What a program costs before it does anything."""

    start_seconds: float
    warm_seconds: float  # if it starts as a fork of a program that has loaded the same (docs/running.md)
    memory_mb: float


@dataclass(frozen=True)
class Rule:
    """What the jobs of a rule cost: their program, seconds per unit, and the rate of their dense products."""

    environment: Environment
    unit: str
    seconds_per_unit: float
    gflops: float
    gpu: bool


@dataclass(frozen=True)
class Gpu:
    """A kind of GPU, with the rate that trainings reach on it."""

    name: str
    gflops: float
    memory_gb: float

    @property
    def ratio(self) -> float:
        """How many times as fast as the measured core it is."""
        return self.gflops / CORE_GFLOPS


@cache
def load_rules(folder: Path = TABLES) -> dict[str, Rule]:
    """Read the coefficients of all rules."""
    environments = {
        row["environment"]: Environment(*(float(row[field.name]) for field in fields(Environment)))
        for row in read_records(folder / "environments.tsv")
    }
    return {
        row["rule"]: Rule(
            environments[row["environment"]],
            row["unit"],
            float(row["seconds_per_unit"]),
            float(row["gflops"] or CORE_GFLOPS),
            row["gpu"] == "yes",
        )
        for row in read_records(folder / "rules.tsv")
    }


@cache
def load_gpu(name: str = USUAL_GPU, folder: Path = TABLES) -> Gpu:
    """Read what is known of a kind of GPU; refuse one that the table lacks."""
    rows = {row["gpu"]: row for row in read_records(folder / "gpus.tsv")}
    if name not in rows:
        raise InputError(f"GPU={name}: not in config/costs/gpus.tsv; legal: {legal_names(rows, name)}")
    return Gpu(name, USED * 1000 * float(rows[name]["tflops"]), float(rows[name]["memory_gb"]))
