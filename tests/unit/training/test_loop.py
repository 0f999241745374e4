"""The training engine: schedules, groups, accumulation, best weights, and resuming after a kill."""

from __future__ import annotations

import dataclasses
import json
import logging
import math
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import torch
from killing import run_child
from safetensors.torch import load_file, save_file
from torch import nn

from xstitch.core.errors import InputError
from xstitch.training import devices
from xstitch.training.batches import BatchStream
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import seed_all
from xstitch.training.loop import adamw, count_tokens, held_out_loss, train
from xstitch.training.schedule import Schedule, schedule_factor, with_schedule

DATA = torch.randn(40, 6, generator=torch.Generator().manual_seed(0))
GOLD = (DATA[:, 0] > 0).long()


def make_model(dropout: float = 0.5) -> nn.Module:
    seed_all(7)
    return nn.Sequential(
        nn.Linear(6, 16), nn.LayerNorm(16), nn.BatchNorm1d(16), nn.Dropout(dropout), nn.Linear(16, 2)
    )


def make_stream(schedule: Schedule) -> BatchStream:
    def collate(rows: np.ndarray) -> dict[str, torch.Tensor]:
        noise = torch.randn(len(rows), 6)  # drawn from the engine's random state, as masks are
        return {"x": DATA[rows] + 0.1 * noise, "y": GOLD[rows], "attention_mask": torch.ones(len(rows), 3)}

    return BatchStream(np.ones(40), schedule.batch_size, schedule.seed, collate)


def run(
    model: nn.Module,
    schedule: Schedule,
    checkpoint: Checkpoint | None = None,
    die_at: int | None = None,
    **more,
):
    """Train on toy data; the process kills itself while computing the loss number `die_at`."""
    calls = 0

    def loss(batch: dict[str, torch.Tensor]) -> torch.Tensor:
        nonlocal calls
        calls += 1
        if calls == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return nn.functional.cross_entropy(model(batch["x"]), batch["y"])

    return train(model, loss, make_stream(schedule), schedule, checkpoint=checkpoint, **more)


SCHEDULE = Schedule(learning_rate=0.01, batch_size=8, epochs=6, warmup=0.1, accumulation=2, evaluate_every=4)


def accuracy_of(model: nn.Module):
    return lambda: (model(DATA).argmax(1) == GOLD).float().mean().item()


def child(folder: Path, die_at: int | None) -> None:
    """Run one process of the kill test: train, and write the weights if it survives to the end."""
    folder.mkdir(exist_ok=True)
    model = make_model()
    checkpoint = Checkpoint(folder / "checkpoints", "toy", steps=3)
    history = run(model, SCHEDULE, checkpoint, die_at, evaluate=accuracy_of(model))
    save_file(model.state_dict(), folder / "weights.safetensors")
    (folder / "history.json").write_text(json.dumps(history.as_dict()))


def same_weights(a: Path, b: Path) -> bool:
    first, second = load_file(a / "weights.safetensors"), load_file(b / "weights.safetensors")
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    assert run_child(child, folder, None) == 0
    return folder


@pytest.mark.parametrize(
    "deaths",
    [(2,), (7,), (8,), (20,), (29,), (9, 8, 1)],
    ids=["no checkpoint", "at once", "in mid-accumulation", "later", "last step", "three times"],
)
def test_killed_runs_end_with_the_weights_of_an_undisturbed_one(
    undisturbed: Path, tmp_path: Path, deaths: tuple[int, ...]
) -> None:
    """Every step takes two losses, every third step writes a checkpoint, and the run has fifteen steps."""
    for die_at in deaths:
        assert run_child(child, tmp_path, die_at) == -signal.SIGKILL
    assert bool(list(tmp_path.glob("checkpoints/step-*"))) == (deaths != (2,))
    assert run_child(child, tmp_path, None) == 0
    assert same_weights(undisturbed, tmp_path)
    assert (undisturbed / "history.json").read_text() == (tmp_path / "history.json").read_text()


@pytest.fixture
def interrupted(tmp_path: Path) -> Path:
    """Make a folder with the checkpoint of step 3 of the schedule."""

    class StopError(Exception):
        pass

    model, calls = make_model(), iter(range(8))

    def loss(batch: dict[str, torch.Tensor]) -> torch.Tensor:
        if next(calls) == 7:
            raise StopError
        return nn.functional.cross_entropy(model(batch["x"]), batch["y"])

    with pytest.raises(StopError):
        train(model, loss, make_stream(SCHEDULE), SCHEDULE, checkpoint=Checkpoint(tmp_path, "toy", steps=3))
    assert [path.name for path in tmp_path.iterdir()] == ["step-000000003"]
    return tmp_path


def resumed(
    folder: Path, caplog: pytest.LogCaptureFixture, fingerprint: str = "toy", schedule: Schedule = SCHEDULE
) -> bool:
    """Train from a folder; check that the weights are right in any case and return whether it resumed."""
    undisturbed, model = make_model(), make_model()
    run(undisturbed, schedule)
    caplog.clear()
    with caplog.at_level(logging.INFO, "xstitch"):
        run(model, schedule, Checkpoint(folder, fingerprint, steps=1000))
    assert all(torch.equal(a, b) for a, b in zip(undisturbed.parameters(), model.parameters(), strict=True))
    return "resumed at step 3" in caplog.text


def test_an_observer_sees_the_weights_before_the_first_update_and_after_each() -> None:
    model, seen = make_model(), []
    schedule = Schedule(learning_rate=1e-2, batch_size=10, steps=3)
    run(model, schedule, observe=lambda step: seen.append((step, model[0].weight.detach().clone())))
    assert [step for step, _ in seen] == [0, 1, 2, 3]
    assert torch.equal(seen[0][1], make_model()[0].weight)
    assert torch.equal(seen[3][1], model[0].weight)
    assert not torch.equal(seen[1][1], seen[2][1])


def test_checkpoint_of_the_same_run_is_resumed(interrupted: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert resumed(interrupted, caplog)


@pytest.mark.parametrize("what", ["fingerprint", "schedule"])
def test_checkpoint_of_another_run_is_removed(
    interrupted: Path, caplog: pytest.LogCaptureFixture, what: str
) -> None:
    changed = {
        "fingerprint": {"fingerprint": "other"},
        "schedule": {"schedule": Schedule(learning_rate=0.02, epochs=2)},
    }
    assert not resumed(interrupted, caplog, **changed[what])
    assert caplog.text.count("other inputs or settings: ignored and removed") == 1
    assert not list(interrupted.glob("step-*"))


@pytest.mark.parametrize("damage", ["truncated", "flipped", "no JSON", "no tensors", "empty JSON"])
def test_damaged_checkpoint_is_ignored(
    interrupted: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    folder = interrupted / "step-000000003"
    tensors, state = folder / "tensors-0.safetensors", folder / "state.json"
    content = bytearray(tensors.read_bytes())
    if damage == "truncated":
        tensors.write_bytes(content[:-100])
    elif damage == "flipped":
        content[-5] ^= 255
        tensors.write_bytes(content)
    elif damage == "no tensors":
        tensors.unlink()
    else:
        state.write_text("{" if damage == "no JSON" else "[]")
    assert not resumed(interrupted, caplog)
    assert caplog.text.count("ignored and removed") == 1


def test_half_written_folder_of_a_killed_run_does_no_harm_and_is_removed(interrupted: Path) -> None:
    (interrupted / ".step-000000006.abc" / "step-000000006").mkdir(parents=True)
    model = make_model()
    checkpoint = Checkpoint(interrupted, "toy", steps=2)
    run(model, SCHEDULE, checkpoint)
    assert [path.name for path in interrupted.iterdir()] == ["step-000000014"]
    checkpoint.remove()
    assert not interrupted.exists()


def test_checkpoints_contain_no_pickle(interrupted: Path) -> None:
    names = {path.name for path in (interrupted / "step-000000003").iterdir()}
    assert names == {"tensors-0.safetensors", "state.json"}


def test_checkpoints_are_written_by_time(tmp_path: Path) -> None:
    assert Checkpoint(tmp_path, "x").is_due(1, 300.0)
    assert not Checkpoint(tmp_path, "x").is_due(1, 299.0)
    run(make_model(), SCHEDULE, Checkpoint(tmp_path, "x", seconds=0.0))
    assert [path.name for path in tmp_path.iterdir()] == ["step-000000015"]


def test_the_environment_decides_how_often_checkpoints_are_written(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XSTITCH_CHECKPOINT_SECONDS", "60")
    assert Checkpoint(tmp_path, "x").seconds == 60
    monkeypatch.setenv("XSTITCH_CHECKPOINT_SECONDS", "often")
    with pytest.raises(InputError, match="XSTITCH_CHECKPOINT_SECONDS=often: not a number of seconds"):
        Checkpoint(tmp_path, "x")


@pytest.mark.parametrize("warmup", [0.2, 2])
def test_linear_schedule_has_known_values(warmup: float) -> None:
    factors = [schedule_factor(step, 10, warmup, "linear") for step in range(10)]
    assert factors == pytest.approx([0, 1 / 2, 8 / 8, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8])


def test_constant_schedule_has_known_values() -> None:
    assert [schedule_factor(step, 6, 0.5, "constant") for step in range(6)] == pytest.approx(
        [0, 1 / 3, 2 / 3, 1, 1, 1]
    )
    assert schedule_factor(0, 5, 0, "constant") == 1.0
    assert schedule_factor(0, 5, 0, "linear") == 1.0


def test_schedules_are_those_of_transformers() -> None:
    from transformers import get_scheduler

    for ours, theirs in [("linear", "linear"), ("constant", "constant_with_warmup")]:
        optimiser = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
        scheduler = get_scheduler(theirs, optimiser, num_warmup_steps=3, num_training_steps=17)
        for step in range(17):
            assert schedule_factor(step, 17, 3, ours) == pytest.approx(optimiser.param_groups[0]["lr"])
            optimiser.step()
            scheduler.step()


def test_learning_rate_reaches_the_optimiser(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = []
    step = torch.optim.AdamW.step

    def spy(self, *rest):
        rates.append([group["lr"] for group in self.param_groups])
        return step(self, *rest)

    monkeypatch.setattr(torch.optim.AdamW, "step", spy)
    run(make_model(), Schedule(learning_rate=0.5, batch_size=40, steps=4, warmup=1))
    assert rates == [[rate, rate] for rate in pytest.approx([0.0, 0.5, 1 / 3, 1 / 6]).expected]


def test_biases_and_norms_do_not_decay() -> None:
    model = make_model()
    model[0].weight.requires_grad_(False)
    decayed, undecayed = adamw(model, Schedule(learning_rate=1.0, epochs=1, weight_decay=0.3)).param_groups
    assert (decayed["weight_decay"], undecayed["weight_decay"]) == (0.3, 0.0)
    assert [id(p) for p in decayed["params"]] == [id(model[4].weight)]
    assert {id(p) for p in undecayed["params"]} == {id(p) for p in model.parameters() if p.ndim == 1}


def linear_run(schedule: Schedule) -> tuple[torch.Tensor, list[float]]:
    """Train a plain linear model without noise on the 40 examples; return weights and gradient norms."""
    seed_all(3)
    model = nn.Linear(6, 2)
    norms = []

    def loss(batch: np.ndarray) -> torch.Tensor:
        return nn.functional.cross_entropy(model(DATA[batch]), GOLD[batch])

    model.weight.register_post_accumulate_grad_hook(lambda p: norms.append(p.grad.norm().item()))
    train(model, loss, BatchStream(np.ones(40), schedule.batch_size, 0, lambda rows: rows), schedule)
    return model.weight.detach(), norms


def test_accumulation_equals_a_big_batch() -> None:
    big, _ = linear_run(Schedule(learning_rate=0.01, batch_size=40, steps=5))
    small, _ = linear_run(Schedule(learning_rate=0.01, batch_size=10, steps=5, accumulation=4))
    assert torch.allclose(big, small, atol=1e-6)


def test_epochs_count_updates() -> None:
    assert Schedule(learning_rate=1, epochs=3).total_steps(10) == 30
    assert Schedule(learning_rate=1, epochs=3, accumulation=4).total_steps(10) == 8
    assert Schedule(learning_rate=1, epochs=0.5).total_steps(10) == 5
    assert Schedule(learning_rate=1, epochs=3, accumulation=4).interval(10) == 2


TAXI1500 = Schedule(
    learning_rate=1e-5,
    batch_size=32,
    epochs=15,
    accumulation=4,
    epoch_end="update",
    schedule_over="batches",
    weight_decay=0,
    clip=None,
)


def test_an_epoch_can_end_with_an_update() -> None:
    # 860 verses are 27 batches of 32: updates of 4 4 4 4 4 4 3, in each of 15 epochs.
    assert (TAXI1500.total_steps(27), TAXI1500.total_batches(27), TAXI1500.interval(27)) == (105, 405, 7)
    assert [TAXI1500.batches_of(step, 27) for step in range(8)] == [4, 4, 4, 4, 4, 4, 3, 4]
    carried = dataclasses.replace(TAXI1500, epoch_end="carry")
    assert (carried.total_steps(27), carried.total_batches(27), carried.interval(27)) == (102, 408, 7)
    assert {carried.batches_of(step, 27) for step in range(102)} == {4}
    half = dataclasses.replace(TAXI1500, epochs=1.5)
    assert (half.total_steps(10), half.total_batches(10)) == (5, 18)  # 4 4 2, then 5 batches as 4 4


def test_a_schedule_over_batches_falls_by_a_quarter_in_105_updates_of_405_batches() -> None:
    rates = [TAXI1500.factor(step, TAXI1500.span(27)) for step in (0, 1, 104)]
    assert rates == pytest.approx([1, 404 / 405, 301 / 405])
    over_updates = dataclasses.replace(TAXI1500, schedule_over="updates")
    assert over_updates.factor(104, over_updates.span(27)) == pytest.approx(1 / 105)


def test_training_as_taxi1500s_script_does_it() -> None:
    """Against a plain loop: 7 batches per epoch, accumulated as 3 3 1, each divided by 3."""
    schedule = dataclasses.replace(TAXI1500, learning_rate=0.05, batch_size=6, epochs=2, accumulation=3)
    trained, _ = linear_run(schedule)
    seed_all(3)
    model = nn.Linear(6, 2)
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.05, weight_decay=0)
    linear = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / 14)
    stream = BatchStream(np.ones(40), 6, 0, lambda rows: rows)
    updates = 0
    for _ in range(2):
        for number in range(1, 8):
            rows = next(stream)
            (nn.functional.cross_entropy(model(DATA[rows]), GOLD[rows]) / 3).backward()
            if number % 3 == 0 or number == 7:
                optimiser.step()
                linear.step()
                model.zero_grad()
                updates += 1
    assert updates == schedule.total_steps(7) == 6
    assert torch.allclose(trained, model.weight, atol=1e-6)


def test_the_loss_of_a_short_update_is_a_mean() -> None:
    model = nn.Linear(1, 1)
    schedule = dataclasses.replace(TAXI1500, batch_size=6, epochs=1, accumulation=3, evaluate_every=1)
    history = train(model, lambda _: model.weight.sum() * 0 + 2, make_stream(schedule), schedule)
    assert [record.loss for record in history.records] == pytest.approx([2, 2, 2])


def test_held_out_loss_is_a_mean_over_examples() -> None:
    losses = {3: 1.0, 1: 5.0}  # of a batch of three and of a single example
    mean = held_out_loss(lambda batch: torch.tensor(losses[len(batch)]), list, ["abc", "d"], len)
    assert mean() == pytest.approx((3 * 1 + 5) / 4)


def test_a_model_that_has_only_a_metric_is_not_chosen_by_its_loss() -> None:
    schedule = Schedule(learning_rate=0.1, steps=1, keep="lowest-loss")
    with pytest.raises(InputError, match=r"^training: keep: lowest-loss is not possible here"):
        run(make_model(), schedule, evaluate=lambda: 0.5)


def test_clipping_limits_the_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    norms = []
    step = torch.optim.AdamW.step

    def spy(self, *rest):
        grads = [p.grad.flatten() for group in self.param_groups for p in group["params"]]
        norms.append(torch.cat(grads).norm().item())
        return step(self, *rest)

    monkeypatch.setattr(torch.optim.AdamW, "step", spy)
    linear_run(Schedule(learning_rate=0.01, batch_size=40, steps=3, clip=1e-3))
    assert norms == pytest.approx([1e-3] * 3, rel=1e-2)
    norms.clear()
    linear_run(Schedule(learning_rate=0.01, batch_size=40, steps=3, clip=None))
    assert min(norms) > 0.01


def test_a_schedule_can_keep_the_last_weights_whatever_the_metric() -> None:
    models = [make_model() for _ in range(3)]
    for model, keep, metrics in zip(
        models, ("best", "last", "last"), ([0.9, 0.1], [0.9, 0.1], []), strict=True
    ):
        values = iter(metrics)
        evaluate = (lambda values=values: next(values)) if metrics else None
        run(model, dataclasses.replace(SCHEDULE, keep=keep, evaluate_every=9), evaluate=evaluate)
    best, last, unmeasured = (model[0].weight for model in models)
    assert torch.equal(last, unmeasured)
    assert not torch.equal(best, last)


@pytest.mark.parametrize(("best", "expected"), [("highest", 8), ("lowest", 15)])
def test_best_weights_are_kept_and_ties_go_to_the_latest(best: str, expected: int, caplog) -> None:
    caplog.set_level("INFO", "xstitch")
    model = make_model()
    # Rounding makes the second of each pair a little worse, by the one metric or by the other.
    metrics = iter([0.7, 0.7 - 1e-12, 0.1, 0.1 + 1e-12])
    seen: list[torch.Tensor] = []

    def evaluate() -> float:
        assert not model.training
        assert torch.is_inference_mode_enabled()
        seen.append(model[0].weight.clone())
        return next(metrics)

    history = run(model, SCHEDULE, evaluate=evaluate, best=best)
    assert [record.step for record in history.records] == [4, 8, 12, 15]
    assert [record.metric for record in history.records] == pytest.approx([0.7, 0.7, 0.1, 0.1])
    assert history.best.step == expected
    assert torch.equal(model[0].weight, seen[[4, 8, 12, 15].index(expected)])
    assert model.training
    metric = "0.7000" if best == "highest" else "0.1000"
    assert f"kept the weights of step {expected} of 15 ({metric})" in caplog.text


def test_a_worse_metric_replaces_nothing() -> None:
    for best, metrics in (("highest", [0.7, 0.7 - 1e-6]), ("lowest", [0.1, 0.1 + 1e-6])):
        values = iter([*metrics, *metrics[1:] * 2])
        assert run(make_model(), SCHEDULE, evaluate=lambda v=values: next(v), best=best).best.step == 4


def test_history_without_evaluation_has_only_losses_and_the_last_weights_are_kept(caplog) -> None:
    caplog.set_level("INFO", "xstitch")
    history = run(make_model(), SCHEDULE)
    assert "kept the weights of step 15 of 15" in caplog.text
    assert history.best is None
    assert all(record.metric is None and record.loss > 0 for record in history.records)


def test_several_modules_train_together_and_frozen_ones_do_not() -> None:
    seed_all(0)
    body, head, frozen = nn.Linear(6, 4), nn.Linear(4, 2), nn.Linear(4, 4).requires_grad_(False)
    before = [module.weight.clone() for module in (body, head, frozen)]

    def loss(batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return nn.functional.cross_entropy(head(frozen(body(batch["x"]))), batch["y"])

    train({"body": body, "head": head, "frozen": frozen}, loss, make_stream(SCHEDULE), SCHEDULE)
    same = [torch.equal(m.weight, old) for m, old in zip((body, head, frozen), before, strict=True)]
    assert same == [False, False, True]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_loss_that_is_not_a_number_names_the_step(value: float) -> None:
    model, losses = nn.Linear(1, 1), iter([1.0, 1.0, value])
    schedule = Schedule(learning_rate=0.1, batch_size=8, steps=5)
    with pytest.raises(InputError, match=rf"loss is {value} at step 3 of 5; lower learning_rate \(0.1\)"):
        train(model, lambda _: model.weight.square().sum() * next(losses), make_stream(schedule), schedule)
    assert torch.isfinite(model.weight).all()


def test_tokens_are_counted_in_nested_batches() -> None:
    mask = torch.tensor([[1, 1, 0], [1, 0, 0]])
    assert count_tokens({"a": {"attention_mask": mask}, "b": {"attention_mask": mask[:1]}}) == 5
    assert count_tokens(torch.ones(3)) == 0


@pytest.mark.parametrize("length", [{}, {"epochs": 1, "steps": 1}])
def test_epochs_or_steps_are_needed_and_not_both(length: dict) -> None:
    with pytest.raises(InputError, match=r"^training settings: give either epochs or steps$"):
        Schedule(learning_rate=1e-3, **length)


def test_settings_whose_training_is_a_schedule() -> None:
    settings = {"pairs": 9, "training": {"learning_rate": 1e-5, "epochs": 15, "warmup": 0.1}}
    built = with_schedule(settings, seed=4)
    assert built["pairs"] == 9
    schedule = built["training"]
    assert (schedule.epochs, schedule.warmup, schedule.seed, schedule.batch_size) == (15, 0.1, 4, 32)
    assert settings["training"]["epochs"] == 15  # as it was


def test_bf16_on_processors_is_for_updates_and_leaves_weights_and_evaluation_in_float32(monkeypatch) -> None:
    monkeypatch.setattr(devices, "cpu_flags", lambda _: {"avx512_bf16"})
    seen = {"loss": set(), "evaluate": set()}
    schedule = Schedule(learning_rate=0.01, steps=3, batch_size=8, bf16=True)
    model = make_model()

    def loss(batch: dict[str, torch.Tensor]) -> torch.Tensor:
        seen["loss"].add(model[0](batch["x"]).dtype)
        return nn.functional.cross_entropy(model(batch["x"]), batch["y"])

    def evaluate() -> float:
        seen["evaluate"].add(model[0](DATA).dtype)
        return 0.0

    train(model, loss, make_stream(schedule), schedule, evaluate)
    assert seen == {"loss": {torch.bfloat16}, "evaluate": {torch.float32}}
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
