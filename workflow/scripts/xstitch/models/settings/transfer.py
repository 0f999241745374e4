"""How models are adapted to an unlabelled language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.settings import Count, CountFrom0, NotNegative, Positive, Share


@dataclass(frozen=True)
class AdversarialSettings:
    """How to align; the defaults are the paper's (appendix C.2)."""

    weights: Literal["estimated", "oracle", "none"] = "estimated"
    """Of classes: oracle takes them from the target's labels; none: all classes count 1."""
    strength: NotNegative = 5e-3
    """What the critic's gradient counts for the classifier; paper: lambda_da."""
    strength_warmup: Share = 0.1
    """Share of all steps in which it grows from 0."""
    penalty: NotNegative = 10.0
    """On the critic's squared gradient norm; paper: lambda_gp."""
    hidden: Count = 2048
    """The critic's hidden layer."""
    critic_learning_rate: Positive = 5e-4
    critic_decay: NotNegative = 0.01
    critic_schedule: Literal["constant", "linear"] = "constant"
    """Linear: warm-up and all, as the classifier's."""
    critic_steps: CountFrom0 = 0
    """Updates of the critic alone before each update of all; paper, Table 5: 4."""
    weights_learning_rate: Positive = 5e-4
    """Paper: lr_iw."""
    weights_decay: NotNegative = 2.0
    """Pull of the weights to their start; paper: lambda_iw."""
    caution: Share = 0.25
    """Share of "no shift" in the weights' start; paper: lambda_iw_init."""
    momentum: Share = 5e-3
    """Of the running statistics; not stated."""


@dataclass(frozen=True)
class DistillationSettings:
    """How to distill; the defaults are the paper's (appendix C.2)."""

    temperature: Positive = 3.0
    source_weight: NotNegative = 0.1
    """Of the loss on the source's labels."""
    frozen_layers: CountFrom0 = 3
    """Of the student, from below, with its embeddings; 0: none."""


@dataclass(frozen=True)
class SelfTrainingSettings:
    """How to choose; the paper takes 0.05 % to 2 % of the target's examples at a time (appendix C.2)."""

    share: Share = 0.02
    """Of target examples a round."""
