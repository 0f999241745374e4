"""Processes that share a training: its weights are those of one process, and killed teams resume."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from teams import largest_difference, run_team
from torch import nn

from xstitch.training.batches import BatchStream
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import seed_all
from xstitch.training.loop import Objective, train_jointly
from xstitch.training.schedule import Schedule
from xstitch.training.shares import WHOLE, Rows, Team, can_share

DATA = torch.randn(22, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
WEIGHTS = "weights.safetensors"


def test_shares_are_every_nth_row_and_their_part_of_the_mean() -> None:
    batch = {"x": torch.arange(5), "deep": {"y": torch.arange(10).reshape(5, 2)}}
    share, part = Rows().share(batch, 1, 3)
    assert share["x"].tolist() == [1, 4]
    assert share["deep"]["y"].tolist() == [[2, 3], [8, 9]]
    assert part == pytest.approx(2 / 5)
    parts = [Rows().share(batch, rank, 3)[1] for rank in range(3)]
    assert sum(parts) == pytest.approx(1)


def test_the_part_counts_what_the_loss_is_a_mean_over() -> None:
    batch = {"marks": torch.tensor([[1, 1, 1], [0, 0, 1], [0, 0, 0]])}
    marked = Rows(lambda part: int(part["marks"].sum()))
    assert [marked.share(batch, rank, 2)[1] for rank in (0, 1)] == [0.75, 0.25]
    nothing = {"marks": torch.zeros(2, 3)}
    assert [marked.share(nothing, rank, 2)[1] for rank in (0, 1)] == [0, 0]


def test_with_fewer_rows_than_processes_some_have_none() -> None:
    batch = torch.arange(2)
    assert Rows().share(batch, 2, 3) is None
    assert Rows().share(batch, 1, 3)[1] == 0.5


def test_whole_batches_are_dealt_in_turn_from_the_start_of_each_update() -> None:
    team = Team()
    team.rank, team.size = 1, 2
    for _ in range(2):
        team.begin_update()
        dealt = [team.share(WHOLE, number) for number in range(3)]
        assert dealt == [None, (1, 1.0), None]


def test_an_evaluation_by_one_process_draws_none_of_the_numbers_for_batches() -> None:
    team = Team()
    team.size = 2
    seed_all(3)
    expected = torch.rand(2)
    seed_all(3)
    with team.evaluation():
        torch.rand(5)
    assert torch.equal(torch.rand(2), expected)


@pytest.mark.parametrize(
    ("sharings", "expected"),
    [
        ({"a": (Rows(), 1)}, True),
        ({"a": (None, 4)}, False),
        ({"a": (Rows(), 1), "b": (None, 1)}, False),
        ({"a": (WHOLE, 1)}, False),
        ({"a": (WHOLE, 2)}, True),
        ({"a": (WHOLE, 1), "b": (WHOLE, 1)}, True),
        ({"a": (Rows(), 1), "b": (WHOLE, 1)}, True),
    ],
)
def test_what_can_be_shared(sharings: dict, expected: bool) -> None:
    assert can_share(sharings) is expected


def sgd(root: nn.Module, schedule: Schedule) -> torch.optim.Optimizer:
    return torch.optim.SGD(root.parameters(), lr=schedule.learning_rate, momentum=0.9)


def stream(seed: int) -> BatchStream:
    # Batches of 8, 8 and 6; noise comes from the random numbers that all processes have in common.
    def collate(rows: np.ndarray) -> torch.Tensor:
        return DATA[rows] + 0.1 * torch.randn(len(rows), 4, dtype=torch.float64)

    return BatchStream(np.ones(22), 8, seed, collate)


def train_toy(
    output: Path,
    sharings: tuple,
    dropout: float = 0.0,
    die_at: int | None = None,
    checkpoint: Path | None = None,
) -> None:
    """Train two objectives: a mean over rows, and variances within a batch, which no share of it has."""
    seed_all(5)
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(dropout), nn.Linear(4, 4), nn.Linear(4, 1)).double()
    unused, calls = nn.Linear(2, 2).double(), iter(range(1000))

    def mean(batch: torch.Tensor) -> torch.Tensor:
        if next(calls) == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return (model(batch)[:, 0] - batch.prod(dim=1)).square().mean()

    def spread(batch: torch.Tensor) -> torch.Tensor:
        return (model[0](batch).var(dim=0) - 1).square().sum()  # the last layer has no gradient

    objectives = {
        "mean": Objective(mean, stream(1), sharing=sharings[0]),
        "spread": Objective(spread, stream(2), 0.5, 3, sharings[1]),
    }
    schedule = Schedule(learning_rate=0.02, steps=9, accumulation=2, evaluate_every=2, clip=0.5, seed=3)
    kept = Checkpoint(checkpoint, "x", steps=2) if checkpoint else None
    history = train_jointly(
        {"model": model, "unused": unused},
        objectives,
        schedule,
        lambda: model(DATA).mean().item(),
        kept,
        optimiser=sgd,
        best="last",
    )
    losses = torch.tensor([entry.loss for entry in history.records], dtype=torch.float64)
    tensors = {**model.state_dict(), "losses": losses}
    save_file(tensors, output / WEIGHTS)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    assert run_team(1, folder / "store", train_toy, folder, (None, None)) == [0]
    return folder / WEIGHTS


@pytest.mark.parametrize("size", [2, 3])
def test_a_team_ends_with_the_weights_and_losses_of_a_single_process(
    alone: Path, tmp_path: Path, size: int
) -> None:
    assert run_team(size, tmp_path / "store", train_toy, tmp_path, (Rows(), WHOLE)) == [0] * size
    assert largest_difference(alone, tmp_path / WEIGHTS, without=("losses",)) < 1e-12
    assert largest_difference(alone, tmp_path / WEIGHTS) < 1e-6  # losses are added up in single precision


def test_what_cannot_be_shared_trains_in_one_process(alone: Path, tmp_path: Path) -> None:
    assert run_team(2, tmp_path / "store", train_toy, tmp_path, (Rows(), None)) == [0, 0]
    assert largest_difference(alone, tmp_path / WEIGHTS) == 0


def test_a_killed_team_resumes_with_the_same_weights(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("whole", "killed")]
    for folder in folders:
        folder.mkdir()
    with_dropout = ((Rows(), WHOLE), 0.3)
    assert run_team(2, tmp_path / "store", train_toy, folders[0], *with_dropout) == [0, 0]
    # Two losses an update: killed in the sixth, after the checkpoint of the fourth.
    arguments = (folders[1], *with_dropout)
    codes = run_team(2, tmp_path / "store", train_toy, *arguments, 10, tmp_path / "kept")
    assert codes == [-signal.SIGKILL] * 2
    assert (tmp_path / "kept/step-000000004").is_dir()
    assert run_team(2, tmp_path / "store", train_toy, *arguments, None, tmp_path / "kept") == [0, 0]
    assert largest_difference(*(folder / WEIGHTS for folder in folders)) == 0


def draw(output: Path) -> None:
    """Write this process's dropout masks of two updates, and what comes after them."""
    team = Team()
    seed_all(3)
    masks = []
    for step in range(2):
        team.begin_update()
        for _ in range(2):
            team.share(Rows(), torch.zeros(4, 1))
            with team.draws(3, step):
                masks.append(torch.rand(4))
    save_file({"masks": torch.stack(masks), "next": torch.rand(2)}, output / f"{team.rank}.safetensors")


def test_dropout_differs_between_processes_and_batches_do_not(tmp_path: Path) -> None:
    assert run_team(2, tmp_path / "store", draw, tmp_path) == [0, 0]
    first, second = (load_file(tmp_path / f"{rank}.safetensors") for rank in (0, 1))
    every = torch.cat([first["masks"], second["masks"]])
    assert len(torch.unique(every, dim=0)) == 8
    seed_all(3)
    untouched = torch.rand(2)
    assert torch.equal(first["next"], untouched)
    assert torch.equal(second["next"], untouched)
