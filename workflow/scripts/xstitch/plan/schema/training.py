"""How models are trained and adapted."""

from __future__ import annotations

from xstitch.models.settings.transfer import AdversarialSettings, DistillationSettings, SelfTrainingSettings
from xstitch.plan.schema.derived import keys_of, some_keys_of
from xstitch.training.schedule import Schedule

SomeTraining = some_keys_of(Schedule, "SomeTraining")  # recipe, task and `by_recipe` are merged
Adversarial = keys_of(AdversarialSettings)
Distillation = keys_of(DistillationSettings)
SelfTraining = keys_of(SelfTrainingSettings)


class AnyAdaptation(SelfTraining, Distillation, Adversarial):
    """The keys of every method of adapting; the recipe's method determines which apply."""
