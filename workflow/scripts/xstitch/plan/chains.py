"""Chains: whole draws of what a run is made of, from the generated world or the samples to the scores.

The files of the first chain have the addresses that documents name. Those of another have the same ones below
a folder of its own, `chains/2/results/...`, which is the wildcard `chain` of every rule up to the scores; it
is empty for the first chain. What no seed decides is shared: downloads, and encoders that are not trained
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xstitch.plan.run import WORLD, Entry, Run, Wildcards
from xstitch.sources.world.settings import WorldSettings

FIRST = ""
PATTERN = r"(chains/\d+/)?"
STRIDE = 1000  # between the seeds of one chain and the next: runs with seeds below share no draw
SEEDS = 2**32  # as many as are legal
MADE = ("results/", "resources/")  # folders of files that jobs make
GIVEN = "resources/given/"  # downloads from addresses in the configuration
FIXED = ("download", "folder", "package")  # origins of encoders that are not trained here


def chain_folders(run: Run) -> list[str]:
    """The folders of all chains of a run."""
    return [FIRST, *(f"chains/{number}/" for number in range(2, run.chains + 1))]


def chain_of(path: str) -> str:
    """The folder of the chain that a file belongs to."""
    return re.match(PATTERN, path)[0]


def chain_name(folder: str) -> str:
    """The number of a chain, as scores record it."""
    return folder.split("/")[1] if folder else "1"


def chain_seed(seed: int, folder: str) -> int:
    """The seed of a chain's draws, from that of the run."""
    return (seed + STRIDE * (int(chain_name(folder)) - 1)) % SEEDS


def job_chain(wildcards: Wildcards) -> str:
    """The folder of a job's chain; jobs that bring all chains together are in that of the first."""
    return getattr(wildcards, "chain", FIRST)


def job_seed(run: Run, wildcards: Wildcards) -> int:
    """The seed of a job before fine-tuning: samples, vectors, encoders."""
    return chain_seed(run.config["seed"], job_chain(wildcards))


def job_chain_name(_: Run, wildcards: Wildcards) -> str:
    """The number of a job's chain."""
    return chain_name(job_chain(wildcards))


def drawn_world(run: Run, wildcards: Wildcards) -> Entry:
    """The settings of a chain's mini world; only scale mini has one."""
    world, folder = run.config.get("world", {}), job_chain(wildcards)
    return {**world, "seed": chain_seed(world.get("seed", WorldSettings().seed), folder)} if folder else world


def in_chain(run: Run, value: Any, folder: str) -> Any:
    """The same files in a chain: every path in a value of the planner that jobs of a chain make."""
    if not folder:
        return value
    if isinstance(value, str):
        return f"{folder}{value}" if _is_drawn(run, value) else value
    if isinstance(value, Mapping):
        return {key: in_chain(run, part, folder) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(in_chain(run, part, folder) for part in value)
    return value


def in_all_chains(run: Run, files: Sequence[str]) -> list[str]:
    """Files of the first chain and the same of all others, chain by chain."""
    return [in_chain(run, file, folder) for folder in chain_folders(run) for file in files]


def is_generated(files: Iterable[str]) -> bool:
    """Whether one of these files is part of the mini world of any chain."""
    return any(file.removeprefix(chain_of(file)).startswith(WORLD) for file in map(str, files))


def _is_drawn(run: Run, path: str) -> bool:
    """Whether each chain has a file of its own; without a generated world, all have the same downloads."""
    if not path.startswith(MADE) or path.startswith(GIVEN):
        return False
    if path.startswith("resources/"):
        return f"{run.config['mirror']}/".startswith(WORLD)
    return path not in {
        f"results/encoders/{name}" for name, encoder in run.encoders.items() if encoder["origin"] in FIXED
    }
