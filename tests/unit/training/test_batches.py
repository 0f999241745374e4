"""Batches: complete, reproducible, with little padding or random; a position can be restored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from xstitch.core.errors import InputError
from xstitch.training.batches import (
    BatchStream,
    Ragged,
    bucketed_batches,
    budgeted_batches,
    grouped_batches,
    scheduled_batches,
)
from xstitch.training.devices import evaluation_batches, half_precision
from xstitch.training.schedule import Schedule


@pytest.fixture
def lengths() -> np.ndarray:
    return np.random.default_rng(0).integers(1, 100, size=1003)


def waste(lengths: np.ndarray, batches: list[np.ndarray]) -> int:
    return sum(int(lengths[batch].max()) * len(batch) for batch in batches) - int(lengths.sum())


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("size", [1, 32, 5000])
def test_every_example_comes_once(lengths: np.ndarray, size: int, shuffle: bool) -> None:
    batches = bucketed_batches(lengths, size, seed=1, epoch=0, shuffle=shuffle)
    assert sorted(np.concatenate(batches)) == list(range(len(lengths)))
    assert max(map(len, batches)) == min(size, len(lengths))
    assert len(batches) == -(-len(lengths) // size)


def test_order_depends_only_on_seed_and_epoch(lengths: np.ndarray) -> None:
    orders = {}
    for key in [(1, 0), (1, 1), (2, 0), (1, 0)]:
        order = np.concatenate(bucketed_batches(lengths, 32, *key)).tolist()
        assert orders.setdefault(key, order) == order
    assert len({tuple(order) for order in orders.values()}) == 3


def test_padding_is_a_fraction_of_that_in_unsorted_batches(lengths: np.ndarray) -> None:
    unsorted = [np.arange(start, min(start + 32, 1003)) for start in range(0, 1003, 32)]
    assert waste(lengths, bucketed_batches(lengths, 32, 1, 0)) < 0.1 * waste(lengths, unsorted)


def test_batches_do_not_come_in_order_of_length(lengths: np.ndarray) -> None:
    means = [lengths[batch].mean() for batch in bucketed_batches(lengths, 32, 1, 0)]
    assert means != sorted(means)


def test_evaluation_is_sorted_with_ties_in_their_original_order() -> None:
    batches = bucketed_batches([3, 1, 3, 1], 2, seed=9, epoch=9, shuffle=False)
    assert [batch.tolist() for batch in batches] == [[1, 3], [0, 2]]


def test_random_batches_have_all_examples_once_and_only_the_last_is_smaller(lengths: np.ndarray) -> None:
    batches = grouped_batches("random", lengths, 32, seed=1, epoch=0)
    assert sorted(np.concatenate(batches)) == list(range(len(lengths)))
    assert [len(batch) for batch in batches] == [32] * 31 + [11]
    again, later = (grouped_batches("random", lengths, 32, seed=1, epoch=epoch) for epoch in (0, 1))
    assert np.concatenate(again).tolist() == np.concatenate(batches).tolist()
    assert np.concatenate(later).tolist() != np.concatenate(batches).tolist()


def test_random_batches_do_not_depend_on_lengths(lengths: np.ndarray) -> None:
    one, other = (grouped_batches("random", values, 32, 1, 0) for values in (lengths, lengths[::-1]))
    assert all(np.array_equal(*pair) for pair in zip(one, other, strict=True))
    # Half of the places are padding; of batches by length, hardly any are.
    assert (
        waste(lengths, one)
        > 0.8 * lengths.sum()
        > 10 * waste(lengths, grouped_batches("by-length", lengths, 32, 1, 0))
    )


def test_a_schedule_says_how_batches_are_made(lengths: np.ndarray) -> None:
    for grouping in ("by-length", "random"):
        schedule = Schedule(learning_rate=1, batch_size=100, epochs=1, batches=grouping, seed=3)
        stream = scheduled_batches(lengths, schedule, np.ndarray.tolist)
        expected = grouped_batches(grouping, lengths, 100, 3, 0)
        assert [next(stream) for _ in range(11)] == [batch.tolist() for batch in expected]
    assert Schedule(learning_rate=1, epochs=1).batches == "by-length"


def test_ragged_pads_to_the_longest_of_the_chosen_rows() -> None:
    rows = Ragged.join([Ragged.from_lists([[5, 6, 7], [8]]), Ragged.from_lists([[], [9, 10]])])
    assert len(rows) == 4
    assert rows.lengths.tolist() == [3, 1, 0, 2]
    ids, mask = rows.padded(np.array([3, 1]), padding=0)
    assert ids.tolist() == [[9, 10], [8, 0]]
    assert mask.tolist() == [[1, 1], [1, 0]]
    assert ids.dtype == np.int64


def test_a_stream_continues_exactly_from_a_restored_position(lengths: np.ndarray) -> None:
    def stream() -> BatchStream:
        return BatchStream(lengths, 100, seed=3, collate=np.ndarray.tolist)

    whole = stream()
    assert len(whole) == 11
    batches = [next(whole) for _ in range(30)]
    assert sorted(number for batch in batches[11:22] for number in batch) == list(range(1003))
    assert batches[:11] != batches[11:22]
    for position in (0, 7, 11, 12, 22):
        first = stream()
        for _ in range(position):
            next(first)
        second = stream()
        second.restore(first.position())
        assert [next(second) for _ in range(8)] == batches[position : position + 8]


def test_stream_takes_the_selected_examples_of_each_epoch(lengths: np.ndarray) -> None:
    stream = BatchStream(lengths, 4, 3, np.ndarray.tolist, select=lambda epoch: np.arange(8) + 8 * epoch)
    assert sorted(next(stream) + next(stream)) == list(range(8))
    assert sorted(next(stream) + next(stream)) == list(range(8, 16))


def test_batches_within_a_budget_of_tokens_by_hand() -> None:
    """Of at most 12 tokens: 2 + 2 + 3 padded to 9; 5 + 6 to 12; 7 alone, as is 20, which is too long."""
    batches = budgeted_batches(np.array([7, 2, 20, 5, 2, 6, 3]), 12)
    assert [batch.tolist() for batch in batches] == [[1, 4, 6], [3, 5], [0], [2]]
    assert budgeted_batches(np.array([], dtype=np.int64), 12) == []


def test_a_gpu_reads_larger_batches_of_short_texts_in_half_precision() -> None:
    short = np.full(2000, 20)
    assert [len(batch) for batch in evaluation_batches(short, torch.device("cuda"))] == [1638, 362]
    assert {len(batch) for batch in evaluation_batches(np.full(640, 512), torch.device("cuda"))} == {64}
    assert {len(batch) for batch in evaluation_batches(short[:640], torch.device("cpu"))} == {64}
    with half_precision(torch.device("cpu")):
        assert not torch.is_autocast_enabled("cuda")
        assert not torch.is_autocast_enabled("cpu")


def test_a_processor_computes_in_bf16_if_asked_to_and_able_to(tmp_path: Path) -> None:
    flags, cpu = tmp_path / "cpuinfo", torch.device("cpu")
    flags.write_text("processor : 0\nflags : fma avx2 avx512f avx512_bf16\n")
    with half_precision(cpu, True, flags):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
    with half_precision(cpu, False, flags):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
    flags.write_text("processor : 0\nflags : fma avx2 avx512f\n")
    assert not half_precision(cpu, False, flags)._enabled
    with pytest.raises(InputError, match="bf16: true, but this processor has no instructions for bf16"):
        half_precision(cpu, True, flags)
