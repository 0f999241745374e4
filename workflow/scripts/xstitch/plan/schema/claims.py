"""Claims of papers, in config/papers/*.yaml: what a paper says, where, and what it amounts to."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Annotated, Literal

from pydantic import Field, create_model

from xstitch.plan.schema.derived import keys_of
from xstitch.plan.schema.types import EntryName, FilledText, Model, Texts
from xstitch.results.settings.claims import KINDS

PREDICATES = [
    create_model(settings.__name__, __base__=keys_of(settings), kind=(Literal[kind], ...))
    for kind, settings in KINDS.items()
]
AnyPredicate = Annotated[reduce(or_, PREDICATES), Field(discriminator="kind")]


class Claim(Model):
    """A claim that holds if all of its predicates do."""

    says: FilledText = Field(description="The claim, in a sentence.")
    place: FilledText = Field(description="Where the paper makes it: section, table, figure.")
    predicates: Annotated[list[AnyPredicate], Field(min_length=1)]


class PaperClaims(Model):
    """What a paper's file has for claims."""

    groups: dict[EntryName, Texts] = Field({}, description="Languages, by the name of their group.")
    claims: dict[EntryName, Claim] = Field({}, description="The paper's headline claims.")
