"""Products of torch's matrices by numpy's library, where kernels are pinned.

The only products of MKL that are the same on every processor are those of its slowest branch. OpenBLAS, which
numpy multiplies with, has pinned kernels that are several times as fast.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from xstitch.core.portable import are_pinned

REGISTERED: list[torch.library.Library] = []  # torch forgets what is registered when its library is gone


def take_over_products(variables: Mapping[str, str]) -> bool:
    """Have torch multiply matrices on CPUs by numpy from here on, in a process with these variables.

    Return whether it does: only if they pin its kernels.
    """
    if are_pinned(variables) and not REGISTERED:
        REGISTERED.append(torch.library.Library("aten", "IMPL", "CPU"))
        with warnings.catch_warnings():  # torch warns that it had kernels of its own
            warnings.simplefilter("ignore")
            REGISTERED[0].impl("mm", _multiply)
            REGISTERED[0].impl("addmm", _multiply_and_add)
    return bool(REGISTERED)


def _multiply(left: Tensor, right: Tensor) -> Tensor:
    result = left.new_empty(left.shape[0], right.shape[1])
    if not _are_alike(left, right):
        return torch.mm(left, right, out=result)  # which is not taken over
    np.matmul(_array(left), _array(right), out=result.numpy())
    return result


def _multiply_and_add(
    addend: Tensor, left: Tensor, right: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    if not _are_alike(left, right, addend):
        result = left.new_empty(left.shape[0], right.shape[1])
        return torch.addmm(addend, left, right, beta=beta, alpha=alpha, out=result)
    result = _multiply(left, right)
    if alpha != 1:
        result *= alpha
    # What is multiplied by 0 counts as absent, even if it is not a number.
    return result.add_(addend, alpha=beta) if beta else result


def _are_alike(*matrices: Tensor) -> bool:
    """Tell whether matrices are of one kind of numbers, and numpy multiplies it as torch does."""
    return {matrix.dtype for matrix in matrices} in ({torch.float32}, {torch.float64})


def _array(matrix: Tensor) -> np.ndarray:
    """View a matrix as an array; copy one that BLAS cannot read: without contiguous rows or columns."""
    if 1 not in matrix.stride() or 0 in matrix.stride():
        matrix = matrix.contiguous()
    return matrix.detach().numpy()
