"""What is compared with the gradient of a task over a fine-tuning."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from xstitch.models.settings.gradients import GradientSettings
from xstitch.plan.schema.derived import keys_of
from xstitch.plan.schema.types import Distinct, EncoderName, LanguageName, RecipeName


class Gradients(keys_of(GradientSettings)):
    """Gradients of alignment losses, compared with that of a task over a fine-tuning."""

    targets: Annotated[list[LanguageName], Distinct()] = Field(
        description="Languages that losses align with the source; [] if a scale does not measure gradients."
    )
    wordot: EncoderName = Field(description="Encoder with loss transport, which says how WordOT's is taken.")
    dcca: EncoderName = Field(description="Encoder with loss dcca, which says how DCCA's is taken.")
    critic: RecipeName = Field(description="Adversarial recipe, which says how the critic's is taken.")
