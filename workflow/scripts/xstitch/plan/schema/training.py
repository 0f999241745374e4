"""How models are trained and adapted."""

from __future__ import annotations

from xstitch.models.settings.transfer import AdversarialSettings, DistillationSettings, SelfTrainingSettings
from xstitch.plan.schema.derived import keys_of, some_keys_of
from xstitch.training.schedule import Schedule

SomeTraining = some_keys_of(Schedule, "SomeTraining")  # a recipe's, a task's and a recipe's on a task add up
Adversarial = keys_of(AdversarialSettings)
Distillation = keys_of(DistillationSettings)
SelfTraining = keys_of(SelfTrainingSettings)


class AnyAdaptation(SelfTraining, Distillation, Adversarial):
    """The keys of any way to adapt: which one a recipe takes is said by the recipe."""
