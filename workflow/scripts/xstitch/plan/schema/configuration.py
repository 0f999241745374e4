"""The configuration as a whole."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from xstitch.core.settings import Count, Seed
from xstitch.plan.schema.encoders import AnyEncoder, LanguageAdapters
from xstitch.plan.schema.gradients import Gradients
from xstitch.plan.schema.recipes import AnyRecipe
from xstitch.plan.schema.recommend import Recommend
from xstitch.plan.schema.sources import AnyLexicon, Corpus, Images, LanguageEntry, ParallelSentences
from xstitch.plan.schema.spaces import Anchors, AnyAlignment, AnyVectors
from xstitch.plan.schema.tasks import AnyTask
from xstitch.plan.schema.types import (
    Distinct,
    EntryName,
    FilledText,
    Language,
    LanguageName,
    Languages,
    Model,
    named,
)
from xstitch.plan.schema.world import World

Scale = Literal["mini", "real", "paper"]


class Configuration(Model):
    """The configuration of xstitch. Unknown keys are errors at every level."""

    scale: Scale = Field(
        description="Which file of config/ goes on top of the base; recorded in every score."
    )
    on: Scale = Field(
        None, description="In an overlay: the scale it is made for; other scales refuse the overlay."
    )
    portable: bool = Field(
        description="Whether jobs use only kernels that all x86-64 processors with AVX2 have."
    )
    rehearsal: bool = Field(
        False,
        description="Whether data and weights are generated: scores are recorded as a rehearsal's.",
    )
    source: LanguageName = Field(description="The language with a model and labels.")
    seed: Seed = Field(description="Seed of samples, vectors and encoders, in the first chain.")
    chains: Count = Field(
        description="How often everything before fine-tuning is drawn: worlds or samples, vectors, encoders."
    )
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        description="Seeds of fine-tuning, each listed once."
    )
    without: Annotated[list[named("recipes", "alignments")], Distinct()] = Field(
        description="Recipes or alignments that this run leaves out; their table rows stay empty."
    )
    averages: dict[str, Languages] = Field(
        description="Languages of this run to add to the papers' groups: of averaged columns and of claims."
    )
    mirror: str = Field(
        description="Folder or http(s) address that replaces the network; empty: the network."
    )
    lock: FilledText = Field(description="File with the checksums of downloads.")
    local: dict[str, str] = Field(description="Folders of data sets that cannot be downloaded.")
    udpipe: str = Field(description="Folder with {language}.udpipe files; empty: none.")
    longest_job: Count | None = Field(
        description="Minutes that a site lets a job run; longer trainings go on in the next attempt."
    )
    world: World = Field(None, description="The mini world; for scale mini only.")
    languages: dict[Language, LanguageEntry] = Field(description="Languages of the run.")
    corpora: dict[EntryName, Corpus]
    lexica: dict[EntryName, AnyLexicon]
    vectors: dict[EntryName, AnyVectors]
    alignments: dict[EntryName, AnyAlignment]
    anchors: dict[EntryName, Anchors]
    parallel: dict[EntryName, ParallelSentences] = Field(
        description="Sentences of a language and their translations into the source language."
    )
    encoders: dict[EntryName, AnyEncoder]
    adapters: dict[EntryName, LanguageAdapters] = Field(
        description="Language adapters of encoders, one for each language that needs it."
    )
    images: dict[EntryName, Images] = Field(description="Collections of images.")
    tasks: dict[EntryName, AnyTask]
    recipes: dict[EntryName, AnyRecipe]
    recommend: Recommend = Field(description="What a language's model is chosen from, without labels.")
    gradients: Gradients = Field(description="What is compared with a task's gradient over a fine-tuning.")
