"""How models are adapted to an unlabelled language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.errors import InputError
from xstitch.core.settings import Count, CountFrom0, NotNegative, Positive, Share


@dataclass(frozen=True)
class AdversarialSettings:
    """How to align; the defaults are the paper's (appendix C.2)."""

    weights: Literal["estimated", "oracle", "none"] = "estimated"
    """Class weights; oracle: from the target's labels; none: all are 1."""
    strength: NotNegative = 5e-3
    """Weight of the critic's gradient in the classifier; paper: lambda_da."""
    strength_on: Literal["reversal", "gap", "both"] = "reversal"
    """What it scales: the gradient that reaches the classifier, the gap that the critic raises, or both."""
    strength_warmup: Share = 0.1
    """Share of all steps over which the strength grows from 0."""
    penalty: NotNegative = 10.0
    """Weight of the critic's squared gradient norm; paper: lambda_gp."""
    penalty_of: Literal["points", "mean"] = "points"
    """Whose gradient counts: the score's at every point, or the mean score's, divided by their number."""
    hidden: Count = 2048
    """Width of the critic's hidden layer."""
    critic_learning_rate: Positive = 5e-4
    critic_decay: NotNegative = 0.01
    critic_schedule: Literal["constant", "linear"] = "constant"
    """Linear: as the classifier's, including the warm-up."""
    critic_steps: CountFrom0 = 0
    """Updates of the critic alone before each joint update; paper, Table 5: 4."""
    weights_learning_rate: Positive = 5e-4
    """Paper: lr_iw."""
    weights_decay: NotNegative = 2.0
    """Pull of the weights towards their initial values; paper: lambda_iw."""
    weights_warmup: Share = 0.1
    """Share of all steps over which the weights go from 1 to their values."""
    caution: Share = 0.25
    """Share of "no shift" in the initial weights; paper: lambda_iw_init."""
    momentum: Share = 5e-3
    """Momentum of the running statistics; the paper does not state it."""


@dataclass(frozen=True)
class DistillationSettings:
    """How to distill; the defaults are the paper's (appendix C.2)."""

    temperature: Positive = 3.0
    source_weight: NotNegative = 0.1
    """Weight of the loss on the source's labels."""
    frozen_layers: CountFrom0 = 3
    """Frozen layers of the student, from the bottom, together with its embeddings; 0: none."""


@dataclass(frozen=True)
class SelfTrainingSettings:
    """How to choose; the paper takes 0.05 % to 2 % of the target's examples per round (appendix C.2)."""

    share: Share = 0.02
    """Share of the target's examples taken per round."""
    reread: Share = 1.0
    """Share of the target's examples that a round reads to find them; 1: all, which is the paper's way.

    Less: half of it the surest of each class when last read, half those not read for the longest time.
    """

    def __post_init__(self) -> None:
        """Refuse to read fewer examples than leave a choice."""
        if self.reread < min(1.0, 2 * self.share):
            raise InputError(
                f"adaptation: reread is {self.reread}, but rounds take {self.share} of the examples; "
                "read at least twice as many"
            )
