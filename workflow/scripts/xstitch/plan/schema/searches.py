"""Where the parallel anchors of two spaces come from."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from xstitch.core.settings import Count, CountFrom0
from xstitch.plan.schema.derived import NOT_CONFIGURED, keys_of
from xstitch.plan.schema.types import Model, RecipeName
from xstitch.spaces.settings.alignment import SelfLearning
from xstitch.spaces.settings.search import (
    AlternationSettings,
    CentroidSettings,
    GromovSettings,
    OptimisationSettings,
)


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


class _Pairs(Model):
    anchors: Count = Field(description="Number of pairs, the known ones included.")
    seeds: CountFrom0 | None = Field(
        description="Number of known pairs; null: all of the lexicon; 0: it is not read."
    )


class KnownPairs(_Pairs):
    """No search: the known pairs alone, for comparison."""

    kind: Literal["seeds"]


class OptimisedPairs(_Pairs, OptimisedAnchors):
    """Algorithm 1 on the frequent words of two vocabularies: every step compares all pairs."""

    vocabulary: Count = Field(description="Number of most frequent words on each side.")


class AlternatingPairs(_Pairs, AlternatingAnchors):
    """Alternation between languages; without known pairs it starts like VecMap's unsupervised mode."""


class CentroidPairs(_Pairs, keys_of(CentroidSettings)):
    """Centroids of both spaces are matched by their similarities among themselves, as in mini-vec2vec."""

    kind: Literal["centroids"]
    vocabulary: Count = Field(description="Number of most frequent words on each side.")


class GromovPairs(_Pairs, keys_of(GromovSettings)):
    """A Gromov-Wasserstein plan between frequent words."""

    kind: Literal["gromov"]
    vocabulary: Count = Field(description="Number of most frequent words on each side.")


Search = Annotated[
    KnownAnchors | OptimisedAnchors | AlternatingAnchors | NearestWords, Field(discriminator="kind")
]
LexiconSearch = Annotated[
    KnownPairs | OptimisedPairs | AlternatingPairs | CentroidPairs | GromovPairs, Field(discriminator="kind")
]
