"""Killed alignments: whatever the iteration or fold, the job that resumes ends with the same bytes."""

import json
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest

from xstitch.spaces import alignment, self_learning
from xstitch.spaces.alignment import align_pair
from xstitch.spaces.vecmap import history_table
from xstitch.training.checkpoints import Checkpoint
from xstitch.vectors.table import Vectors

COUNT, WIDTH = 120, 8
LEARNING = {"method": "unsupervised", "patience": 3, "keep": 0.3, "restarts": 2}
SELECTING = {"method": "semi-supervised", "patience": 1, "select": True}


class KilledError(Exception):
    """Stands for SIGKILL: nothing catches it, so nothing is written after it."""


@pytest.fixture(scope="module")
def spaces():
    """A space and its rotation with noise: not so easy that the first iteration settles it."""
    random = np.random.default_rng(0)
    source = random.gamma(1.0, size=(COUNT, WIDTH)) * np.linspace(0.3, 2, WIDTH)
    rotation, _ = np.linalg.qr(random.normal(size=(WIDTH, WIDTH)))
    target = (source + 0.3 * random.normal(size=source.shape)) @ rotation
    sides = (("s", source), ("t", target))
    return [Vectors([f"{side}{i}" for i in range(COUNT)], rows.astype("f4")) for side, rows in sides]


def dictionary(count):
    return pa.table({"source": [f"s{i}" for i in range(count)], "target": [f"t{i}" for i in range(count)]})


def content(aligned):
    tables = (aligned.dictionary.to_pydict(), history_table(aligned.history).to_pydict())
    return aligned.source.tobytes(), aligned.target.tobytes(), json.dumps(tables)


def kill_at(monkeypatch, module, name, call):
    """Make a function die at one of its calls, before it does anything; count all of them."""
    real, calls = getattr(module, name), []

    def dying(*arguments, **keywords):
        calls.append(name)
        if len(calls) == call:
            raise KilledError
        return real(*arguments, **keywords)

    monkeypatch.setattr(module, name, dying)
    return calls


def checkpoint(folder, steps=2, fingerprint="this job"):
    return Checkpoint(folder / "checkpoint", fingerprint, steps=steps)


@pytest.fixture(scope="module")
def undisturbed(spaces):
    return align_pair(*spaces, None, LEARNING, 1, dictionary(50))


def iterations(spaces, monkeypatch):
    """Count the iterations of both runs, and those of the first."""
    with monkeypatch.context() as patch:
        runs = []
        real = self_learning._learn_once

        def counted(*arguments):
            runs.append(real(*arguments))
            return runs[-1]

        patch.setattr(self_learning, "_learn_once", counted)
        align_pair(*spaces, None, LEARNING, 1)
    return [len(run.history) for run in runs]


@pytest.mark.parametrize("moment", ["first", "fourth", "end of run 1", "start of run 2", "run 2", "end"])
def test_a_killed_run_ends_as_an_undisturbed_one(spaces, undisturbed, tmp_path, monkeypatch, moment):
    first, second = iterations(spaces, monkeypatch)
    assert min(first, second) > 6
    # Each run evaluates once per iteration, and its best map once more.
    call = {
        "first": 1,
        "fourth": 4,
        "end of run 1": first + 1,
        "start of run 2": first + 2,
        "run 2": first + 1 + 6,
        "end": first + 1 + second + 1,
    }[moment]
    with monkeypatch.context() as patch:
        kill_at(patch, self_learning, "evaluate", call)
        with pytest.raises(KilledError):
            align_pair(*spaces, None, LEARNING, 1, dictionary(50), checkpoint(tmp_path))
    calls = kill_at(monkeypatch, self_learning, "evaluate", None)
    resumed = align_pair(*spaces, None, LEARNING, 1, dictionary(50), checkpoint(tmp_path))
    assert content(resumed) == content(undisturbed)
    # With a checkpoint every two iterations, at most two and the evaluation of a best map are done again.
    assert len(calls) <= first + second + 2 - (call - 1) + 3


def test_a_resumed_iteration_searches_beside_the_same_neighbours(spaces, tmp_path, monkeypatch):
    """Without them, scores would have other last bits on processors whose products depend on tiles."""

    def searched(patch):
        known, real = [], self_learning.mutual_nearest

        def noted(left, right, k, near=None):
            known.append(near and [side.tolist() for side in near])
            return real(left, right, k, near)

        patch.setattr(self_learning, "mutual_nearest", noted)
        return known

    with monkeypatch.context() as patch:
        undisturbed = searched(patch)
        align_pair(*spaces, None, LEARNING, 1)
    with monkeypatch.context() as patch:
        kill_at(patch, self_learning, "evaluate", 6)
        with pytest.raises(KilledError):
            align_pair(*spaces, None, LEARNING, 1, None, checkpoint(tmp_path))
    resumed = searched(monkeypatch)
    align_pair(*spaces, None, LEARNING, 1, None, checkpoint(tmp_path))
    start, *iterations = resumed
    assert start is None  # the unsupervised start is searched for again
    assert iterations[0] is not None
    assert iterations == undisturbed[len(undisturbed) - len(iterations) :]


def test_a_run_killed_again_and_again_ends_as_an_undisturbed_one(spaces, undisturbed, tmp_path, monkeypatch):
    kills, resumed = 0, None
    while resumed is None:
        with monkeypatch.context() as patch, suppress(KilledError):
            kills += 1
            kill_at(patch, self_learning, "evaluate", 4)
            resumed = align_pair(*spaces, None, LEARNING, 1, dictionary(50), checkpoint(tmp_path, 1))
    assert kills > 4
    assert content(resumed) == content(undisturbed)


@pytest.mark.parametrize("other", [{"seed": 2}, {"keep": 0.5}])
def test_other_settings_start_over(spaces, tmp_path, monkeypatch, other):
    seed, settings = other.get("seed", 1), LEARNING | {k: v for k, v in other.items() if k != "seed"}
    with monkeypatch.context() as patch:
        kill_at(patch, self_learning, "evaluate", 5)
        with pytest.raises(KilledError):
            align_pair(*spaces, None, LEARNING, 1, None, checkpoint(tmp_path))
    fresh = align_pair(*spaces, None, settings, seed)
    assert content(align_pair(*spaces, None, settings, seed, None, checkpoint(tmp_path))) == content(fresh)


@pytest.mark.parametrize("fold", range(1, 6))
def test_finished_folds_are_kept(spaces, tmp_path, monkeypatch, fold):
    expected = align_pair(*spaces, dictionary(60), SELECTING, 1)
    # Of every fold the aligned and the unaligned spaces are measured; the job dies before the second.
    with monkeypatch.context() as patch:
        kill_at(patch, alignment, "_precision", 2 * fold)
        with pytest.raises(KilledError):
            align_pair(*spaces, dictionary(60), SELECTING, 1, None, checkpoint(tmp_path))
    measured = kill_at(monkeypatch, alignment, "_precision", None)
    resumed = align_pair(*spaces, dictionary(60), SELECTING, 1, None, checkpoint(tmp_path))
    assert content(resumed) == content(expected)
    assert len(measured) == 2 * (5 - (fold - 1))


def test_folds_of_another_job_are_not_used(spaces, tmp_path, monkeypatch):
    align_pair(*spaces, dictionary(60), SELECTING, 1, None, checkpoint(tmp_path))
    measured = kill_at(monkeypatch, alignment, "_precision", None)
    align_pair(*spaces, dictionary(60), SELECTING, 1, None, checkpoint(tmp_path, fingerprint="another"))
    assert len(measured) == 10


def test_self_learning_of_the_whole_dictionary_resumes_after_the_folds(spaces, tmp_path, monkeypatch):
    expected = align_pair(*spaces, dictionary(60), SELECTING, 1)
    calls = kill_at(monkeypatch, self_learning, "_report", None)
    align_pair(*spaces, dictionary(60), SELECTING, 1)
    with monkeypatch.context() as patch:
        kill_at(patch, self_learning, "_report", len(calls))  # the last of all iterations
        with pytest.raises(KilledError):
            align_pair(*spaces, dictionary(60), SELECTING, 1, None, checkpoint(tmp_path))
    calls.clear()
    resumed = align_pair(*spaces, dictionary(60), SELECTING, 1, None, checkpoint(tmp_path))
    assert content(resumed) == content(expected)
    assert len(calls) < len(expected.history)
