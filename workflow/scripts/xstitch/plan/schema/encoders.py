"""Encoders, by where they come from."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from xstitch.core.settings import Count
from xstitch.encoders.settings.adapters import LanguageAdapterSettings
from xstitch.encoders.settings.continued import ContinuationSettings
from xstitch.encoders.settings.pretraining import EncoderSettings
from xstitch.encoders.settings.wordot import WordotSettings
from xstitch.plan.schema.derived import NOT_CONFIGURED, keys_of
from xstitch.plan.schema.types import (
    AlignmentName,
    CorpusName,
    EncoderName,
    Entry,
    FilledText,
    LanguageName,
    ParallelName,
    Texts,
    missing,
    refusal,
    worded,
)

Commit = worded("^[0-9a-f]{40}$", "a commit of 40 hexadecimal digits")
Package = worded("^[A-Za-z_][A-Za-z0-9_]*$", "letters, digits and underscores, not starting with a digit")


TRANSPORT_KEYS = ("units", "subword", "layer", "problem", "cost", "blur", "drift")


class _Trained(Entry):
    languages: Annotated[list[LanguageName], Field(min_length=1)]


class PretrainedEncoder(keys_of(EncoderSettings), _Trained):
    """A small BERT, trained here."""

    origin: Literal["pretrain"]
    corpus: CorpusName


class ContinuedEncoder(keys_of(ContinuationSettings, needed=("loss",)), _Trained):
    """Continued pre-training, with words tied to static vectors."""

    origin: Literal["continue"]
    base: EncoderName = Field(description="The encoder to start from.")
    corpus: CorpusName
    alignment: AlignmentName = Field(None, description="Aligned vectors that words are tied to.")

    @model_validator(mode="after")
    def _has_vectors(self) -> Self:
        if self.loss != "none" and self.alignment is None:
            raise missing("alignment", f"loss {self.loss}")
        return self

    @model_validator(mode="after")
    def _has_whole_parts(self) -> Self:
        words, part = self.words_batch or ContinuationSettings.words_batch, self.words_part
        if part and words % part:
            raise refusal(f"{part} does not divide words_batch ({words})", "words_part")
        return self


class AlignedEncoder(keys_of(WordotSettings, needed=("loss",)), _Trained):
    """An encoder whose languages are aligned with parallel sentences."""

    origin: Literal["align"]
    base: EncoderName = Field(description="The encoder to start from.")
    parallel: ParallelName = Field(description="Parallel sentences.")

    @model_validator(mode="after")
    def _has_keys_of_its_loss(self) -> Self:
        extra = [key for key in TRANSPORT_KEYS if key in self.model_fields_set]
        if self.loss == "l2" and extra:
            raise refusal(f"loss l2 links words; remove {', '.join(extra)}: only for transport")
        return self


class _Given(Entry):
    pooling: Literal["mean", "first"] = Field(
        None, description="A text's vector: the mean of its hidden states (default), or the first token's."
    )


class DownloadedEncoder(_Given):
    """A model from the hub."""

    origin: Literal["download"]
    repo: str = Field(description="Hub id, owner/name or name.")
    revision: Commit
    files: Texts


class FolderEncoder(_Given):
    """A folder saved by transformers."""

    origin: Literal["folder"]
    folder: FilledText


class PackagedEncoder(_Given):
    """A folder inside an installed package."""

    origin: Literal["package"]
    package: Package = Field(description="The name to import it by.")
    folder: FilledText = Field(description="Inside the package.")


class RandomEncoder(Entry):
    """A vision transformer with random weights."""

    origin: Literal["random"]
    layers: Count
    width: Count
    heads: Count
    image_size: Count = Field(description="Pixels per side.")
    patch_size: Count = Field(description="Pixels per side of a patch, which becomes a token.")


class LanguageAdapters(
    keys_of(LanguageAdapterSettings, leave_out=(*NOT_CONFIGURED, "language_exponent")), Entry
):
    """Adapters trained by masked language modelling, each on one language's text, in a frozen encoder."""

    encoder: EncoderName
    corpus: CorpusName


AnyEncoder = Annotated[
    PretrainedEncoder
    | ContinuedEncoder
    | AlignedEncoder
    | DownloadedEncoder
    | FolderEncoder
    | PackagedEncoder
    | RandomEncoder,
    Field(discriminator="origin"),
]
