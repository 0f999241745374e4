"""Tasks, by kind of data."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from xstitch.core.settings import Count, Positive
from xstitch.models.settings.reading import ReadingSettings
from xstitch.plan.schema.derived import keys_of
from xstitch.plan.schema.training import AnyAdaptation, SomeTraining
from xstitch.plan.schema.types import (
    Distinct,
    EncoderName,
    Entry,
    FilledText,
    GivenFile,
    ImagesName,
    LanguageName,
    LexiconName,
    Model,
    RecipeName,
    VectorsName,
    refusal,
    worded,
)
from xstitch.spaces.settings.search import WordRules

Treebank = worded("^[^ ]+/[^ ]+( (train|dev|test))*$", "FOLDER/STEM, then any of train, dev and test")
SpaceName = worded("^[A-Za-z0-9]+$", "letters and digits")


class SplitFiles(Model):
    """Files of a language."""

    train: GivenFile = None
    dev: GivenFile = None
    test: GivenFile = None


class ForRecipe(Model):
    """What one recipe does differently."""

    training: SomeTraining = None
    adaptation: AnyAdaptation = None


class Samples(Model):
    """Target sets with other class priors, for the analyses of shifts."""

    sets: Count = Field(description="Sets per language to measure shifts on.")
    size: Count = Field(description="Texts or sentences per set.")
    adapted_sets: Count = Field(description="Sets to adapt to.")
    adapted_size: Count
    adapted_per_job: Count = Field(1, description="Sets that a job adapts to, one after the other.")


class _Targets(Entry):
    targets: Annotated[list[LanguageName], Distinct()] = Field(
        description="Languages it is measured on; [] if a scale does not run it."
    )


class MeasuredTask(_Targets):
    """Measured on vectors or anchors; nothing is trained."""

    kind: Literal["muse", "semeval2017", "anchors"]


class PairsTask(_Targets):
    """Pairs that a search found between two languages, judged by a lexicon; nothing is trained."""

    kind: Literal["pairs"]
    lexicon: LexiconName = Field(description="The lexicon that judges.")


class RetrievalTask(_Targets):
    """Sentences and their translations; nothing is trained."""

    kind: Literal["tatoeba"]
    max_length: Count = Field(description="In tokens.")
    layer: Count = Field(description="The layer whose hidden states are averaged.")


class SentencesTask(_Targets):
    """Sentences that translate each other, with the same id in every language; they serve as anchors."""

    kind: Literal["wikimatrix"]
    max_length: Count = Field(description="In tokens.")
    threshold: Positive = Field(description="The lowest margin score of a pair.")


class _Trained(_Targets):
    max_length: Count = Field(description="In tokens; longer sentences are split into pieces.")
    files: dict[LanguageName, SplitFiles] = Field(
        None,
        description="Files to use instead of the data set's, by language and split: id TAB label TAB text "
        "for labelled texts, the data set's own format for everything else.",
    )
    train_limit: Count | None = Field(None, description="Training texts, sampled by seed; null: all.")
    training: SomeTraining = Field(None, description="Training values that override the recipes'.")
    by_recipe: dict[RecipeName, ForRecipe] = Field(
        None,
        description="Values for one recipe on this task; they override the task's and the recipe's own.",
    )
    samples: Samples = None


class LabelledTask(_Trained):
    """Texts or sentences with labels, from data sets that need no further keys."""

    kind: Literal["taxi1500", "panx", "wikiann", "conll"]


class ReviewsTask(_Trained):
    """The Amazon reviews corpus."""

    kind: Literal["marc"]
    classes: Literal[3, 5] = Field(description="Three classes of stars, or five stars.")
    fields: Annotated[list[Literal["review_title", "review_body"]], Field(min_length=1), Distinct()] = Field(
        description="Parts of a review that make up its text, in this order."
    )


class OwnTask(_Trained):
    """The user's own labelled texts."""

    kind: Literal["tsv"]
    labels: Annotated[list[FilledText], Field(min_length=2), Distinct()] = Field(
        description="All labels, in the order in which models number them."
    )
    files: dict[LanguageName, SplitFiles] = Field(description="By language and split: id TAB label TAB text.")


class Portions(Model):
    """Pairs per split."""

    train: Count
    dev: Count
    test: Count


class InferenceTask(_Trained):
    """XNLI."""

    kind: Literal["xnli"]
    portions: Portions = Field(
        None, description="Pairs per split, all taken from the translated training pairs."
    )


class QuestionsTask(
    keys_of(ReadingSettings, needed=("max_length", "stride", "max_question", "max_answer")), _Trained
):
    """Questions about texts, read in windows."""

    kind: Literal["squad", "tydiqa"]


class TreebanksTask(_Trained):
    """Parts of speech."""

    kind: Literal["universal_dependencies"]
    treebanks: dict[str, Annotated[list[Treebank], Field(min_length=1)]] = Field(
        description="By language: FOLDER/STEM, followed by its splits if it does not have all."
    )
    words: Literal["syntactic", "xtreme"] = Field(
        None,
        description="Syntactic words, or words as written, as XTREME has them: `du` is one, with the tag of "
        "the highest of its words in the tree.",
    )


class Space(Model):
    """A space: of words, or of images."""

    name: SpaceName
    vectors: VectorsName = Field(None, description="Vectors of the source language's words.")
    images: ImagesName = None
    encoder: EncoderName = Field(None, description="What encodes the images.")

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        images = [self.images is not None, self.encoder is not None]
        if not (all(images) and self.vectors is None) and not (self.vectors is not None and not any(images)):
            raise refusal("needs either 'vectors', or 'images' and 'encoder'")
        return self


WordKeys = keys_of(WordRules)


class SpacesTask(Entry):
    """Two spaces of the same words or images; anchors are searched for in the second."""

    kind: Literal["spaces"]
    spaces: Annotated[list[Space], Field(min_length=2, max_length=2)]
    exchanged: bool = Field(
        None, description="Search in the first space instead, for the same anchors among the same words."
    )
    words: WordKeys = Field(description="Which shared words are compared.")
    k: Count = Field(description="Neighbours that count.")
    jaccard: Literal["target", "source"] = Field(
        description="What a word's nearest target words are compared with: those of its partner (target), "
        "or the word's nearest source words (source)."
    )


class SettingsTask(Entry):
    """A table of settings."""

    kind: Literal["settings"]
    recipes: dict[str, RecipeName] = Field(
        description="The recipe whose settings are listed, by column of the table."
    )


AnyTask = Annotated[
    LabelledTask
    | ReviewsTask
    | OwnTask
    | InferenceTask
    | QuestionsTask
    | TreebanksTask
    | RetrievalTask
    | SentencesTask
    | MeasuredTask
    | PairsTask
    | SpacesTask
    | SettingsTask,
    Field(discriminator="kind"),
]
