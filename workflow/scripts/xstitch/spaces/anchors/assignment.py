"""Quadratic assignment: which point of one set is which of another, by the similarities within each.

The objective is the sum of the products of similarities, plus a linear term for what is already known about
single points. Pairs of assigned points are swapped, the best swap first, until none helps (2-opt); a problem
of twenty points is solved from many random starts in a moment.
"""

from __future__ import annotations

import numpy as np

LEAST_GAIN = 1e-9  # of a swap; less is rounding


def assign(
    first: np.ndarray, second: np.ndarray, linear: np.ndarray, restarts: int, random: np.random.Generator
) -> np.ndarray:
    """Find the point of the second set for each of the first: the best of several local optima.

    `first` and `second` are symmetric matrices of similarities; `linear[i, j]` counts if i is assigned j.
    """
    found = [_climb(first, second, linear, random.permutation(len(first))) for _ in range(restarts)]
    return max(found, key=lambda order: round(objective(first, second, linear, order), 9))


def objective(first: np.ndarray, second: np.ndarray, linear: np.ndarray, order: np.ndarray) -> float:
    """Sum what an assignment is worth."""
    return float((first * second[np.ix_(order, order)]).sum() + linear[np.arange(len(order)), order].sum())


def swap_gains(first: np.ndarray, second: np.ndarray, linear: np.ndarray) -> np.ndarray:
    """Compute what swapping the partners of any two points adds; now i is assigned i.

    For points i and j it is twice the sum of (first_ik - first_jk) (second_jk - second_ik) over all other
    points k, and what the two add on the diagonals and in the linear term.
    """
    product = first @ second.T
    own = np.diag(product)
    of_first, of_second, of_linear = np.diag(first), np.diag(second), np.diag(linear)
    everywhere = product + product.T - own[:, None] - own[None]
    at_i = (of_first[:, None] - first) * (second - of_second[:, None])
    at_j = (first - of_first[None]) * (of_second[None] - second)
    diagonal = (of_first[:, None] - of_first[None]) * (of_second[None] - of_second[:, None])
    return (
        2 * (everywhere - at_i - at_j) + diagonal + linear + linear.T - of_linear[:, None] - of_linear[None]
    )


def _climb(first: np.ndarray, second: np.ndarray, linear: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Swap partners while it helps."""
    while True:
        gains = swap_gains(first, second[np.ix_(order, order)], linear[:, order])
        i, j = np.unravel_index(gains.argmax(), gains.shape)
        if gains[i, j] <= LEAST_GAIN:
            return order
        order[[i, j]] = order[[j, i]]
