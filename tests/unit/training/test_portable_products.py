"""Products of torch taken over by numpy: the same numbers, for every layout and kind of number."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from xstitch.core.portable import CPU_FLAGS, PINNED, pin_kernels
from xstitch.training.portable_products import take_over_products

COMPUTED = """
import json, os, sys
import numpy as np
import torch
from torch import nn
from xstitch.training import devices
from xstitch.training.portable_products import REGISTERED

calls, real = [], np.matmul
np.matmul = lambda *given, **named: calls.append(1) or real(*given, **named)

def counted(product):
    calls.clear()
    return [product().double().tolist(), len(calls)]

torch.manual_seed(0)
a, b = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)
infinite = torch.full((2, 4), torch.inf)
answers = {
    "taken over": bool(REGISTERED),
    "mm": counted(lambda: a @ b),
    "transposed": counted(lambda: b.T @ a.T),
    "strided": counted(lambda: torch.arange(12.0).reshape(2, 6)[:, ::2] @ b[:, ::2]),
    "expanded": counted(lambda: torch.tensor([[1.0, 2.0, 3.0]]).expand(5, 3) @ b),
    "double": counted(lambda: a.double() @ b.double()),
    "whole numbers": counted(lambda: a.long() @ b.long()),
    "bf16": counted(lambda: a.bfloat16() @ b.bfloat16()),
    "bf16 and a vector": counted(
        lambda: torch.addmm(torch.full((4,), 0.011).bfloat16(), a.bfloat16() / 3, b.bfloat16())
    ),
    "addmm": counted(lambda: torch.addmm(torch.ones(4), a, b, beta=2, alpha=3)),
    "nothing added": counted(lambda: torch.addmm(infinite, a, b, beta=0)),
    "nothing in common": counted(lambda: torch.ones(2, 0) @ torch.ones(0, 3)),
}
try:
    torch.addmm(torch.ones(4).double(), a, b)
except RuntimeError:
    answers["other numbers"] = "refused"
layer, rows = nn.Linear(3, 4), torch.randn(2, 5, 3, requires_grad=True)
calls.clear()
(layer(rows) ** 2).sum().backward()
answers["linear"] = [each.tolist() for each in (rows, layer.weight, layer.bias, rows.grad, layer.weight.grad)]
answers["linear's products"] = len(calls)
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def computed() -> dict:
    """What a process with pinned kernels computes, and how many products numpy had in it."""
    environment = {name: value for name, value in os.environ.items() if name not in PINNED}
    if not pin_kernels(environment, CPU_FLAGS):
        pytest.skip("this processor lacks AVX2 and FMA")
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", COMPUTED]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert process.stderr == ""
    return json.loads(process.stdout)


A, B = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    ("product", "expected", "by_numpy"),
    [
        ("mm", [[20, 23, 26, 29], [56, 68, 80, 92]], 1),
        ("transposed", [[20, 56], [23, 68], [26, 80], [29, 92]], 1),
        ("strided", [[40, 52], [112, 160]], 1),  # rows 0 2 4 and 6 8 10, columns 0 4 8 and 2 6 10
        ("expanded", [[32, 38, 44, 50]] * 5, 1),
        ("double", [[20, 23, 26, 29], [56, 68, 80, 92]], 1),
        ("whole numbers", [[20, 23, 26, 29], [56, 68, 80, 92]], 0),
        ("bf16", [[20, 23, 26, 29], [56, 68, 80, 92]], 0),
        ("addmm", [[62, 71, 80, 89], [170, 206, 242, 278]], 1),
        ("nothing added", [[20, 23, 26, 29], [56, 68, 80, 92]], 1),
        ("nothing in common", [[0, 0, 0]] * 2, 1),
    ],
)
def test_products_by_hand(computed: dict, product: str, expected: list, by_numpy: int) -> None:
    assert computed["taken over"]
    assert computed[product] == [expected, by_numpy]


def test_what_is_not_taken_over_is_torchs_own(computed: dict) -> None:
    left, right = (torch.arange(size).float().bfloat16() for size in (6, 12))
    own = torch.addmm(torch.full((4,), 0.011).bfloat16(), left.reshape(2, 3) / 3, right.reshape(3, 4))
    assert computed["bf16 and a vector"] == [own.double().tolist(), 0]  # rounded once, not twice
    assert computed["other numbers"] == "refused"  # a bias of another kind than the factors


def test_layers_and_their_gradients_multiply_by_numpy(computed: dict) -> None:
    rows, weight, bias, to_rows, to_weight = (np.array(each) for each in computed["linear"])
    gradient = 2 * (rows @ weight.T + bias)  # of the sum of squares
    np.testing.assert_allclose(to_rows, gradient @ weight, rtol=1e-5)
    np.testing.assert_allclose(to_weight, np.einsum("nti,ntj->ij", gradient, rows), rtol=1e-5)
    assert computed["linear's products"] == 3  # forward, towards the rows, towards the weights


def test_nothing_is_taken_over_unless_kernels_are_pinned() -> None:
    assert not take_over_products({})
    assert not take_over_products({**PINNED, "MKL_CBWR": "AVX2"})
