"""RCSLS: its loss by hand, its slope by finite differences, descent and constraint."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
import torch

from xstitch.spaces.rcsls import SMALLEST_STEP, Pairs, align_rcsls, descend, relaxed_csls
from xstitch.spaces.settings.alignment import RcslsSettings
from xstitch.vectors.table import Vectors, unit_rows


def spaces(noise, seed=0, count=200, dimensions=10):
    random = np.random.default_rng(seed)
    x = random.normal(size=(count, dimensions))
    rotation, _ = np.linalg.qr(random.normal(size=(dimensions, dimensions)))
    z = x @ rotation + noise * random.normal(size=x.shape)
    words = [f"w{i}" for i in range(count)]
    return Vectors(words, x.astype("f4")), Vectors(words, z.astype("f4")), rotation


def dictionary(count):
    words = [f"w{i}" for i in range(count)]
    return pa.table({"source": words, "target": words})


def some_pairs(seed=0):
    x, z, _ = spaces(0.3, seed)
    x, z = (torch.from_numpy(unit_rows(side.matrix)) for side in (x, z))
    return Pairs(x[:50], z[:50], x, z)


def test_loss_by_hand():
    # One pair of equal unit vectors, a second word at a right angle on each side, k = 1, W = 1:
    # -2 * 1 + 1 + 1 = 0; with k = 2 the means are 1/2 each: -2 + 0.5 + 0.5 = -1.
    both = torch.eye(2)
    pairs = Pairs(both[:1], both[:1], both, both)
    assert relaxed_csls(pairs, torch.eye(2), 1)[0] == pytest.approx(0)
    assert relaxed_csls(pairs, torch.eye(2), 2)[0] == pytest.approx(-1)


def test_slope_agrees_with_finite_differences():
    pairs = some_pairs()
    pairs = Pairs(*(getattr(pairs, name).double() for name in ("x", "y", "source", "target")))
    w = torch.eye(10, dtype=torch.float64) + 0.1
    _, slope = relaxed_csls(pairs, w, 5)
    for row, column in [(0, 0), (3, 7), (9, 1)]:
        step = torch.zeros_like(w)
        step[row, column] = 1e-6
        change = relaxed_csls(pairs, w + step, 5)[0] - relaxed_csls(pairs, w - step, 5)[0]
        assert change / 2e-6 == pytest.approx(float(slope[row, column]), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("constraint", ["none", "spectral"])
def test_the_loss_never_rises_and_the_constraint_holds(constraint):
    settings = RcslsSettings(iterations=15, constraint=constraint)
    w, losses = descend(some_pairs(), torch.eye(10), settings)
    assert all(after <= before for before, after in pairwise(losses))
    assert losses[-1] < losses[0]
    assert len(losses) == 1 + 15
    assert (torch.linalg.matrix_norm(w, 2) <= 1 + 1e-5) == (constraint == "spectral")


def test_a_step_that_gains_nothing_is_halved_until_it_is_too_small():
    # Each word is its partner's nearest: the slope is x (y - 2 y) + x y = 0, and no step changes the loss.
    both = torch.eye(2)
    settings = RcslsSettings(k=1, iterations=50, step=8 * SMALLEST_STEP)
    w, losses = descend(Pairs(both, both, both, both), torch.eye(2), settings)
    assert losses == [0.0] * (1 + 4)  # with the steps 8, 4, 2 and 1 times the smallest
    assert torch.equal(w, torch.eye(2))


def test_a_rotation_is_found_from_part_of_the_words():
    source, target, _ = spaces(0.0)
    aligned = align_rcsls(source, target, dictionary(60), RcslsSettings())
    nearest = (unit_rows(aligned.source) @ aligned.target.T).argmax(axis=1)
    np.testing.assert_array_equal(nearest, np.arange(200))


def test_two_runs_are_equal():
    source, target, _ = spaces(0.2)
    one, two = (align_rcsls(source, target, dictionary(60), RcslsSettings()) for _ in range(2))
    np.testing.assert_array_equal(one.source, two.source)
