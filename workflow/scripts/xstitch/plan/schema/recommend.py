"""What `xstitch recommend` chooses from."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from xstitch.core.settings import Count, Positive
from xstitch.plan.schema.types import Distinct, FilledText, Model, RecipeName


class Recommend(Model):
    """The recipes that a language's model is chosen from, without labels in that language."""

    candidates: Annotated[list[RecipeName], Field(min_length=2), Distinct()] = Field(
        description="Recipes to try, those that are named first being preferred where all else is equal."
    )
    minutes: Positive = Field(
        description="Minutes on one core, as estimated, that all candidates may take; cheap ones come first."
    )
    texts: Count = Field(description="How many unlabelled texts of a language are read, at most.")
    curves: list[FilledText] = Field(
        description="Tables of curves over pairs, sentences or labels; those that do not exist are left out."
    )
