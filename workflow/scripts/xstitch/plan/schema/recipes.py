"""Recipes, by their method."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from xstitch.core.settings import Count, NotNegative, Positive, Seed, Share
from xstitch.encoders.settings.adapters import TaskAdapterSettings
from xstitch.models.settings.contrastive import ContrastiveSettings
from xstitch.models.settings.frozen import FrozenSettings, RefitSettings
from xstitch.models.settings.heads import HeadSettings
from xstitch.models.settings.labelled import LabelledSettings, Labels
from xstitch.plan.schema.derived import keys_of
from xstitch.plan.schema.searches import Search
from xstitch.plan.schema.training import Adversarial, Distillation, SelfTraining, SomeTraining
from xstitch.plan.schema.types import (
    AdaptersName,
    AlignmentName,
    AnchorsName,
    Distinct,
    EncoderName,
    Entry,
    LanguageName,
    Languages,
    LexiconName,
    Model,
    RecipeName,
    TaskName,
    VectorsName,
    missing,
    refusal,
)
from xstitch.spaces.settings.relative import RelativeMapping

LEXICON = "Lexicon to use instead of the language's."


class _Recipe(Entry):
    targets: Languages = Field(None, description="Which of the task's targets it runs on; default: all.")


class LogisticRegression(_Recipe):
    """A classifier on mean vectors, trained in the target language."""

    method: Literal["logistic-regression"]
    vectors: VectorsName
    labels: Labels = Field(None, description="Labelled texts, drawn by the seeds; default: all.")
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        None, description="Seeds of draws of labelled texts; default: one draw."
    )


StandardisedBy = Annotated[
    Literal["source", "own"],
    Field(
        description="Whose texts give the target's features mean and spread: the texts it learns from, or "
        "unlabelled texts of the target; default: source."
    ),
]


class AlignedRegression(_Recipe):
    """A classifier on mean vectors, trained on source texts, in a space that both languages share."""

    method: Literal["aligned-regression"]
    alignment: AlignmentName
    standardised_by: StandardisedBy = None


class TranslatedRegression(_Recipe):
    """A classifier on mean vectors, trained on source texts that are translated word by word."""

    method: Literal["translated-regression"]
    vectors: VectorsName
    lexicon: LexiconName = Field(None, description=LEXICON)
    standardised_by: StandardisedBy = None


class Skew(Model):
    """How training data are skewed."""

    prior: list[NotNegative] = Field(None, description="The prior of the labels.")
    containing: str = Field(None, description="Only sentences with this label.")

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if (self.prior is None) == (self.containing is None):
            raise refusal("needs either 'prior' or 'containing'")
        return self


class _Finetuned(_Recipe):
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        None, description="Seeds of fine-tuning, each listed once; default: the run's."
    )
    freeze_embeddings: bool = None
    skew: dict[TaskName, Skew] = Field(None, description="How training data are skewed, by task.")


class Finetuned(_Finetuned):
    """An encoder fine-tuned on labels of the source (zero-shot), the target (in-language) or both."""

    method: Literal["zero-shot", "in-language", "bilingual"]
    encoder: EncoderName
    training: SomeTraining


class AdaptedByLanguage(_Recipe):
    """A task adapter on top of the source's language adapter, which gives way to the target's (MAD-X)."""

    method: Literal["adapters"]
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        None, description="Seeds of fine-tuning, each listed once; default: the run's."
    )
    adapters: AdaptersName = Field(description="The language adapters, and with them the encoder.")
    task_adapter: keys_of(TaskAdapterSettings) = None
    training: SomeTraining


class LinearMapping(Model):
    """Target vectors mapped into the model's space, learned from the anchors."""

    kind: Literal["least-squares", "orthogonal", "vecmap", "inverse-relative"]
    rescale: bool = Field(None, description="Bring mapped rows to the mean norm of the model's embeddings.")


class Relative(keys_of(RelativeMapping)):
    """Both sides as relative representations with respect to the anchors."""

    kind: Literal["relative"]
    centre: bool = Field(None, description="Subtract the mean of the anchors in each space.")
    original: Share = Field(None, description="Share of the original rows on the source side.")


class Wechsel(Model):
    """Target words as the mean of their nearest source words in an aligned space."""

    kind: Literal["wechsel"]
    alignment: AlignmentName = Field(description="Of the vectors that the anchors have, too.")
    k: Count = Field(description="Nearest source words that count.")
    tau: Positive = Field(description="Temperature of the softmax over their cosines.")


RESCALE = "Bring rows to the mean norm of the model's embeddings."


class DictionaryTokens(Model):
    """Target words as the mean of their translations' subwords; the lexicon is that of the anchors."""

    kind: Literal["dictionary"]
    rescale: bool = Field(None, description=RESCALE)


class Focus(Model):
    """Words that the model knows keep their rows, the others are sparse means of these."""

    kind: Literal["focus"]
    rescale: bool = Field(None, description=RESCALE)


class RowRegression(Model):
    """Ridge regression from static source vectors to the model's rows, applied to aligned target vectors."""

    kind: Literal["regression"]
    alignment: AlignmentName = Field(description="Of the vectors that the anchors have, too.")
    penalties: Annotated[list[Positive], Field(min_length=1), Distinct()] = Field(
        description="Penalties to try on held-out source words, relative to the mean variance of features."
    )
    rescale: bool = Field(None, description=RESCALE)


class Stitched(_Finetuned):
    """A fine-tuned model with the target's vectors; encoder and training come from `base`, if it has one."""

    method: Literal["stitch"]
    anchors: AnchorsName
    mapping: Annotated[
        LinearMapping | Relative | Wechsel | DictionaryTokens | Focus | RowRegression,
        Field(discriminator="kind"),
    ]
    base: RecipeName = Field(None, description="Recipe whose fine-tuned model is stitched.")
    encoder: EncoderName = None
    training: SomeTraining = None

    @model_validator(mode="after")
    def _has_one_model(self) -> Self:
        for key in ("encoder", "training"):
            if self.base is None and getattr(self, key) is None:
                raise missing(key, self.method)
            if self.base is not None and getattr(self, key) is not None:
                raise refusal("not allowed with 'base', which has its own; remove it", key)
        return self


class Frozen(_Recipe):
    """Logistic regression on the states of an encoder that stays as it is; the same for every seed."""

    method: Literal["frozen"]
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        None, description="The seeds its scores are listed under; one is enough."
    )
    encoder: EncoderName
    head: keys_of(FrozenSettings) = None


class Glossed(_Recipe):
    """The base's model reads the target's texts word by word in the source language."""

    method: Literal["gloss"]
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        None, description="The base's seeds; default: the run's."
    )
    base: RecipeName = Field(description="Recipe whose model, in the source language, reads the glosses.")
    lexicon: LexiconName = Field(None, description=LEXICON)


class StandardisedRecipe(_Recipe):
    """The base's features standardised by unlabelled texts of the target."""

    method: Literal["standardise"]
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        None, description="The base's seeds; default: the run's."
    )
    base: RecipeName = Field(description="Recipe whose model in the target language is standardised.")


class Refitted(_Recipe):
    """The base's head fitted once more, with the help of unlabelled texts of the target."""

    method: Literal["refit"]
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        None, description="The base's seeds; default: the run's."
    )
    base: RecipeName = Field(description="Recipe whose model in the target language gets another head.")
    refit: keys_of(RefitSettings) = None


class Ensemble(_Recipe):
    """The mean of several models' probabilities."""

    method: Literal["ensemble"]
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        None, description="Seeds that all members have; default: the run's."
    )
    members: Annotated[list[RecipeName], Field(min_length=2), Distinct()] = Field(
        description="Recipes whose models answer together."
    )


class _FewLabels(_Recipe):
    labels: Labels | None = Field(description="Labelled target texts, drawn by the seeds; null: all.")
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        None, description="Seeds of draws of labelled texts; default: one draw."
    )


class LabelledHead(_FewLabels):
    """Logistic regression on a stitched model's features, fitted to labelled texts of the target."""

    method: Literal["labelled-head"]
    base: RecipeName = Field(description="Recipe with a frozen body whose stitched model gives the features.")
    source_labels: bool = Field(
        None, description="Learn from the source's labelled texts, too; default: yes."
    )
    head: keys_of(LabelledSettings) = None


class ContrastiveHead(_FewLabels):
    """A stitched model's body tuned on pairs of labelled texts of the target, then logistic regression."""

    method: Literal["contrastive-head"]
    base: RecipeName = Field(description="Recipe with a frozen body whose stitched model is tuned.")
    contrast: keys_of(ContrastiveSettings) = None
    training: SomeTraining


class Recommended(_Recipe):
    """In every language the candidate that is chosen without labels there (`recommend`)."""

    method: Literal["recommended"]


class _Relative(_Recipe):
    seeds: Annotated[list[Seed], Field(min_length=1), Distinct()] = Field(
        None, description="Seeds of its runs, each of which draws other anchors; default: the run's `seeds`."
    )


class RelativeSpaces(_Relative):
    """Words or images of two spaces, compared through anchors."""

    method: Literal["relative"]
    search: Search


class RelativeHeads(_Relative):
    """Classifiers on cosines to anchors, trained on one language, applied to another's encoder."""

    method: Literal["relative-heads"]
    search: Search
    encoders: dict[LanguageName, EncoderName] = Field(description="The encoder of each language.")
    texts: TaskName = Field(description="The task whose texts with the same id are translations.")
    searched_texts: Count | None = Field(
        description="Anchors other than the seeds are among so many of the task's own training texts of each "
        "language; null: among the parallel texts."
    )
    head: keys_of(HeadSettings, needed=("layers", "width", "activation", "normalisation", "rectified"))
    training: SomeTraining


class _Adapted(_Recipe):
    base: RecipeName = Field(description="Recipe whose fine-tuned model is adapted.")
    training: SomeTraining


class AdversarialRecipe(_Adapted):
    """Domains aligned adversarially."""

    method: Literal["adversarial"]
    adaptation: Adversarial = None


class RateCandidates(Model):
    """Learning rates to choose from."""

    learning_rate: Annotated[list[Positive], Field(min_length=1), Distinct()]


class ShareCandidates(Model):
    """Shares of the target's examples to choose from."""

    share: Annotated[list[Share], Field(min_length=1), Distinct()]


CANDIDATES = "Values to choose from by the score on the source's development texts."


class DistilledRecipe(_Adapted):
    """A student distilled from the base."""

    method: Literal["distill"]
    adaptation: Distillation = None
    candidates: RateCandidates = Field(None, description=CANDIDATES)

    @model_validator(mode="after")
    def _has_one_rate(self) -> Self:
        if self.candidates is not None and self.training.learning_rate is not None:
            raise refusal("not allowed with 'candidates', which has 'learning_rate'; remove it", "training")
        return self


class SelfTrainedRecipe(_Adapted):
    """A model that learns from its own most confident predictions."""

    method: Literal["self-train"]
    adaptation: SelfTraining = None
    candidates: ShareCandidates = Field(None, description=CANDIDATES)

    @model_validator(mode="after")
    def _has_one_share(self) -> Self:
        if self.candidates is not None and "share" in (self.adaptation or SelfTraining()).model_fields_set:
            raise refusal("not allowed with 'candidates', which has 'share'; remove it", "adaptation")
        return self


AnyRecipe = Annotated[
    LogisticRegression
    | AlignedRegression
    | TranslatedRegression
    | Finetuned
    | AdaptedByLanguage
    | Stitched
    | Frozen
    | Glossed
    | StandardisedRecipe
    | Refitted
    | Ensemble
    | LabelledHead
    | ContrastiveHead
    | Recommended
    | RelativeSpaces
    | RelativeHeads
    | AdversarialRecipe
    | DistilledRecipe
    | SelfTrainedRecipe,
    Field(discriminator="method"),
]
