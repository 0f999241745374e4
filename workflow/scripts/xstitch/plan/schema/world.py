"""The mini world."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from xstitch.plan.schema.derived import keys_of
from xstitch.plan.schema.types import Language, refusal
from xstitch.sources.world.settings import PIVOT, LanguageSettings, WorldSettings

LanguageKeys = keys_of(LanguageSettings)


class World(keys_of(WorldSettings, leave_out=("languages",))):
    """How the mini world is generated."""

    languages: dict[Language, LanguageKeys | None] = Field(
        None, description="The languages that exist; known codes have their own defaults."
    )

    @model_validator(mode="after")
    def _has_the_pivot(self) -> Self:
        if self.languages is not None and PIVOT not in self.languages:
            raise refusal(f"the source language {PIVOT} is missing; add it", "languages")
        return self
