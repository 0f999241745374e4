"""Checkpoints of a training run: safetensors and JSON only, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from xstitch.core.errors import InputError
from xstitch.core.files import whole_folder
from xstitch.training.devices import seed_all

Tensors = dict[str, torch.Tensor]
LOG = logging.getLogger("xstitch")
TENSORS, STATE = "tensors-{number}.safetensors", "state.json"
SHARD = 2**29  # bytes of tensors in a file; tensors on a GPU are copied to the host file by file
# An environment variable: as a parameter of jobs it would make finished training runs stale.
INTERVAL = "XSTITCH_CHECKPOINT_SECONDS"


def usual_seconds() -> float:
    """Return the seconds between checkpoints: five minutes, or what the environment says."""
    try:
        return float(os.environ.get(INTERVAL, "300"))
    except ValueError:
        raise InputError(
            f"{INTERVAL}={os.environ[INTERVAL]}: not a number of seconds; change or unset it"
        ) from None


@dataclass(frozen=True)
class Checkpoint:
    """Where a run keeps its state, how often, and what it may be resumed for.

    The fingerprint names everything the run depends on (inputs, settings): a checkpoint with a different one
    belongs to another run and is removed.
    """

    folder: Path
    fingerprint: str
    seconds: float = field(default_factory=usual_seconds)
    steps: int | None = None

    def is_due(self, step: int, seconds: float) -> bool:
        """Say whether to write now: every `steps` updates if given, else when `seconds` have passed."""
        return step % self.steps == 0 if self.steps else seconds >= self.seconds

    def remove(self) -> None:
        """Delete all checkpoints; to be called once the output of the run is written."""
        shutil.rmtree(self.folder, ignore_errors=True)


def save_checkpoint(folder: Path, fingerprint: str, step: int, tensors: Tensors, state: Any) -> None:
    """Write a checkpoint next to the last one, then remove the last: a kill always leaves one."""
    target = folder / f"step-{step:09d}"
    with whole_folder(target) as partial:
        digests = {}
        for number, names in enumerate(_shards(tensors)):
            file = TENSORS.format(number=number)
            save_file({name: tensors[name].contiguous() for name in names}, partial / file)
            digests[file] = _digest(partial / file)
        content = {"fingerprint": fingerprint, "sha256": digests, "state": state}
        (partial / STATE).write_text(json.dumps(content), encoding="utf-8")
    _remove_others(folder, target)


def _shards(tensors: Tensors) -> list[list[str]]:
    """Deal the names of tensors into shards, in order; a tensor that is larger than a shard has its own."""
    shards: list[list[str]] = [[]]
    size = 0
    for name, tensor in tensors.items():
        if shards[-1] and size + tensor.nbytes > SHARD:
            shards.append([])
            size = 0
        shards[-1].append(name)
        size += tensor.nbytes
    return shards


def load_checkpoint(folder: Path, fingerprint: str) -> tuple[Tensors, Any] | None:
    """Return the newest usable checkpoint's tensors and state; remove unusable ones with a warning."""
    for candidate in sorted(folder.glob("step-*"), reverse=True):
        try:
            content = json.loads((candidate / STATE).read_text(encoding="utf-8"))
            saved, digests, state = content["fingerprint"], dict(content["sha256"]), content["state"]
            if saved != fingerprint:
                reason = "belongs to a run with other inputs or settings"
            elif all(_digest(candidate / file) == sha256 for file, sha256 in digests.items()):
                shards = [load_file(candidate / file) for file in digests]
                return {name: tensor for shard in shards for name, tensor in shard.items()}, state
            else:
                reason = "is damaged"
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as problem:
            reason = f"cannot be read ({problem})"
        LOG.warning("checkpoint %s %s: ignored and removed", candidate, reason)
        shutil.rmtree(candidate, ignore_errors=True)
    return None


def _digest(path: Path) -> str:
    """Compute the SHA-256 of a file: safetensors itself would not notice changed bytes in a tensor."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _remove_others(folder: Path, keep: Path) -> None:
    """Remove older checkpoints and the half-written folders of killed runs."""
    for path in (*folder.glob("step-*"), *folder.glob(".step-*")):
        if path != keep:
            shutil.rmtree(path, ignore_errors=True)


def random_state() -> tuple[Tensors, dict[str, Any]]:
    """Return the states of all random generators a run may draw from, as tensors and as JSON."""
    tensors = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        tensors["cuda"] = torch.cuda.get_rng_state()  # of the GPU in use; others may be another process's
    numpy_state = np.random.get_state(legacy=False)
    numpy_state["state"]["key"] = numpy_state["state"]["key"].tolist()
    return tensors, {"python": random.getstate(), "numpy": numpy_state}


def restore_random_state(tensors: Tensors, state: dict[str, Any]) -> None:
    """Set all random generators to what `random_state` returned."""
    version, internal, gauss = state["python"]
    random.setstate((version, tuple(internal), gauss))
    key = np.asarray(state["numpy"]["state"]["key"], dtype=np.uint32)
    np.random.set_state(state["numpy"] | {"state": state["numpy"]["state"] | {"key": key}})
    torch.set_rng_state(tensors["cpu"])
    if torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["cuda"])


@contextmanager
def random_aside(seed: int) -> Iterator[None]:
    """Draw from a seed for a while; all generators then go on as if nothing had been drawn."""
    state = random_state()
    seed_all(seed)
    try:
        yield
    finally:
        restore_random_state(*state)


def optimiser_state(optimiser: torch.optim.Optimizer) -> tuple[Tensors, dict[str, Any]]:
    """Split an optimiser's state into tensors named `<parameter>.<key>` and plain data for JSON."""
    full = optimiser.state_dict()
    tensors, scalars = {}, {}
    for parameter, values in full["state"].items():
        for key, value in values.items():
            (tensors if torch.is_tensor(value) else scalars)[f"{parameter}.{key}"] = value
    return tensors, {"groups": full["param_groups"], "scalars": scalars}


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: Tensors, state: dict[str, Any]) -> None:
    """Restore what `optimiser_state` returned in an optimiser over the same parameters."""
    values: dict[int, dict[str, Any]] = {}
    for name, value in (tensors | state["scalars"]).items():
        parameter, key = name.split(".", 1)
        values.setdefault(int(parameter), {})[key] = value
    optimiser.load_state_dict({"state": values, "param_groups": state["groups"]})


def join(**groups: Tensors) -> Tensors:
    """Join groups of tensors into one, with each name prefixed by its group's."""
    return {f"{group}/{name}": tensor for group, part in groups.items() for name, tensor in part.items()}


def part(tensors: Tensors, group: str) -> Tensors:
    """Take one group out of what `join` made."""
    return {name.split("/", 1)[1]: t for name, t in tensors.items() if name.startswith(f"{group}/")}
