"""Quadratic assignment: swaps by the definition, small problems by trying all permutations."""

from itertools import permutations

import numpy as np
import pytest

from xstitch.spaces.anchors.assignment import assign, objective, swap_gains


def symmetric(random, size):
    half = random.normal(size=(size, size))
    return half + half.T


def test_the_objective_by_hand():
    first, second = np.array([[1.0, 2.0], [2.0, 3.0]]), np.array([[5.0, 7.0], [7.0, 11.0]])
    linear = np.array([[0.0, 13.0], [17.0, 0.0]])
    # As they are: 1 * 5 + 2 * 7 + 2 * 7 + 3 * 11 = 66.
    # Swapped: 1 * 11 + 2 * 7 + 2 * 7 + 3 * 5 + 13 + 17 = 84.
    assert objective(first, second, linear, np.array([0, 1])) == 66
    assert objective(first, second, linear, np.array([1, 0])) == 84
    np.testing.assert_allclose(swap_gains(first, second, linear), [[0, 18], [18, 0]])


def test_gains_are_differences_of_objectives():
    random = np.random.default_rng(0)
    first, second, linear = symmetric(random, 6), symmetric(random, 6), random.normal(size=(6, 6))
    gains, now = swap_gains(first, second, linear), objective(first, second, linear, np.arange(6))
    for i in range(6):
        for j in range(6):
            order = np.arange(6)
            order[[i, j]] = order[[j, i]]
            assert objective(first, second, linear, order) - now == pytest.approx(gains[i, j])


@pytest.mark.parametrize("seed", range(5))
def test_small_problems_are_solved(seed):
    random = np.random.default_rng(seed)
    problem = symmetric(random, 6), symmetric(random, 6), random.normal(size=(6, 6))
    best = max(objective(*problem, np.array(order)) for order in permutations(range(6)))
    assert objective(*problem, assign(*problem, 30, random)) == pytest.approx(best)


def test_a_permuted_copy_is_found():
    random = np.random.default_rng(1)
    rows, order = random.normal(size=(20, 12)), random.permutation(20)
    cosines = rows @ rows.T
    found = assign(cosines, cosines[np.ix_(order, order)], np.zeros((20, 20)), 30, random)
    np.testing.assert_array_equal(order[found], np.arange(20))


def test_what_is_known_decides_between_equals():
    same, linear = np.ones((3, 3)), np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], float)
    assert assign(same, same, linear, 1, np.random.default_rng(0)).tolist() == [2, 0, 1]
