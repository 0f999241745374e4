"""Where the parallel anchors of two spaces come from."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from xstitch.core.settings import Count
from xstitch.plan.schema.derived import NOT_CONFIGURED, keys_of
from xstitch.plan.schema.types import Model, RecipeName
from xstitch.spaces.settings.alignment import SelfLearning
from xstitch.spaces.settings.search import AlternationSettings, OptimisationSettings


class _Anchors(Model):
    anchors: Count = Field(description="Number of anchors.")
    seeds: Count | None = Field(description="Number of known pairs; null, in a lexicon: all of them.")


class KnownAnchors(_Anchors):
    """No search: all anchors are known (given), only the seeds are (seeds), or none are used (none)."""

    kind: Literal["none", "given", "seeds"]


class NearestWords(_Anchors):
    """The words, texts or images nearest to the anchors that another recipe found: step 10 of Algorithm 1."""

    kind: Literal["words"]
    of: RecipeName = Field(description="The recipe that searches; it has as many anchors and seeds.")


class OptimisedAnchors(
    _Anchors, keys_of(OptimisationSettings, needed=("steps", "learning_rate", "sinkhorn"))
):
    """Algorithm 1 of the paper."""

    kind: Literal["optimise"]


MatchLearning = keys_of(
    SelfLearning, leave_out=(*NOT_CONFIGURED, "start_words", "restarts"), name="MatchLearning"
)


class AlternatingAnchors(
    _Anchors,
    keys_of(
        AlternationSettings,
        leave_out=(*NOT_CONFIGURED, "learning"),
        needed=("start", "vocabulary", "restarts"),
    ),
):
    """Words are matched starting from the seeds; anchors are solved for in closed form."""

    kind: Literal["alternate"]
    learning: MatchLearning


class OptimisedPairs(OptimisedAnchors):
    """Algorithm 1 on the frequent words of two vocabularies: every step compares all pairs."""

    vocabulary: Count = Field(description="Number of most frequent words on each side.")


Search = Annotated[
    KnownAnchors | OptimisedAnchors | AlternatingAnchors | NearestWords, Field(discriminator="kind")
]
LexiconSearch = Annotated[OptimisedPairs | AlternatingAnchors, Field(discriminator="kind")]
