"""Dropout with cheap random numbers: numpy's SFC64 takes 0.5 ns for one on a core, torch's bernoulli_ 6.

The seed is drawn from torch's generator, whose state is in checkpoints: a resumed training drops the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

VALUES = 2**16  # of a random number: the share that is dropped is a multiple of 1 / 65,536


class Draws:
    """Random numbers of one forward pass."""

    def __init__(self) -> None:
        self.source = np.random.SFC64(int(torch.randint(2**62, ())))

    def kept(self, shape: Sequence[int], share: float) -> torch.Tensor | None:
        """Draw what stays (1) and what is dropped (0), a byte each; none if nothing is dropped."""
        dropped = round(share * VALUES)
        if not dropped:
            return None
        size = int(np.prod(shape))
        numbers = self.source.random_raw(-(-size // 4)).view(np.uint16)[:size]  # four in 64 bits
        return torch.from_numpy((numbers >= dropped).view(np.uint8)).view(*shape)


def factors(kept: torch.Tensor, share: float) -> torch.Tensor:
    """Return what values are multiplied by: 0, or what keeps their mean."""
    return kept.float().mul_(VALUES / (VALUES - round(share * VALUES)))


def drop_(values: torch.Tensor, kept: torch.Tensor | None, share: float) -> torch.Tensor:
    """Drop values in place."""
    return values if kept is None else values.mul_(factors(kept, share))
