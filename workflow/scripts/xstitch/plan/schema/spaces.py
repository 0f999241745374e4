"""Word vectors, alignments of two spaces, anchors."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from xstitch.core.settings import Count, CountFrom0, Positive
from xstitch.encoders.settings.distillation import DistillSettings
from xstitch.plan.schema.derived import NOT_CONFIGURED, keys_of
from xstitch.plan.schema.types import (
    AlignmentName,
    CorpusName,
    EncoderName,
    Entry,
    Files,
    Languages,
    LexiconName,
    VectorsName,
    missing,
    named,
    refusal,
    worded,
)
from xstitch.spaces.settings.alignment import RcslsSettings, SelfLearning, VecmapSettings
from xstitch.spaces.settings.anchors import Agreement, AnchorRules

DICTIONARY = "A lexicon, or an alignment whose induced dictionary is used."
DictionaryName = named("lexica", "alignments")
VectorFile = worded(r"^([^{}]|\{lang\})+$", "a name with {lang} for the language; no other braces")


class TrainedVectors(Entry):
    """Vectors trained on a corpus."""

    origin: Literal["train"]
    corpus: CorpusName
    program: Literal["fasttext", "word2vec"] = "fasttext"
    dimensions: Count
    epochs: Count
    window: Count
    negatives: Count
    learning_rate: Positive
    min_count: Count
    buckets: CountFrom0 = Field(None, description="Buckets for fastText's subword n-grams.")
    sentences: Count = Field(None, description="Size of a seeded sample of the corpus; default: all of it.")

    @model_validator(mode="after")
    def _has_buckets(self) -> Self:
        if self.program == "fasttext" and self.buckets is None:
            raise missing("buckets", self.program)
        return self


class ImportedVectors(Entry):
    """Vectors of a data set, or from the user's own files."""

    origin: Literal["import"]
    dataset: str = Field(None, description="Row of datasets.tsv.")
    file: VectorFile = Field(None, description="File name; {lang} stands for the language.")
    files: Files = Field(None, description="Files to use instead of the data set's, by language.")
    limit: Count | None = Field(description="Number of rows, the first ones; null: all.")

    @model_validator(mode="after")
    def _come_from_somewhere(self) -> Self:
        named = [key for key in (self.dataset, self.file) if key is not None]
        if len(named) == 1 or not (named or self.files):
            raise refusal("needs 'dataset' and 'file', or 'files' by language")
        return self


class DistilledVectors(keys_of(DistillSettings, needed=("layer",)), Entry):
    """Static vectors from a contextual encoder."""

    origin: Literal["distill"]
    encoder: EncoderName
    corpus: CorpusName


class AlignedVectors(Entry):
    """Vectors after alignment."""

    origin: Literal["aligned"]
    alignment: AlignmentName = Field(description="The alignment whose target side is used.")


AnyVectors = Annotated[
    TrainedVectors | ImportedVectors | DistilledVectors | AlignedVectors, Field(discriminator="origin")
]


class _Alignment(Entry):
    vectors: VectorsName
    targets: Languages = Field(None, description="Which of a task's targets it has; default: all.")


class NoAlignment(_Alignment):
    """Both spaces as they are."""

    method: Literal["none"]


class _ByVecmap(keys_of(VecmapSettings, leave_out=("mode", "learning"), name="VecmapKeys"), _Alignment):
    select: bool = Field(
        None, description="Keep vectors unaligned if held-out pairs are then translated better."
    )


class SupervisedAlignment(_ByVecmap):
    """One step from a dictionary."""

    method: Literal["orthogonal", "supervised"]
    dictionary: DictionaryName = Field(description=DICTIONARY)


class SelfLearnedAlignment(keys_of(SelfLearning), _ByVecmap):
    """Self-learning: from a dictionary, from identically spelled words, or from nothing."""

    method: Literal["semi-supervised", "identical", "unsupervised"]
    dictionary: DictionaryName = Field(None, description=DICTIONARY)
    validation: LexiconName = Field(None, description="A lexicon; every iteration logs its accuracy on it.")

    @model_validator(mode="after")
    def _has_a_start(self) -> Self:
        if self.method == "semi-supervised" and self.dictionary is None:
            raise missing("dictionary", self.method)
        return self


class RcslsAlignment(keys_of(RcslsSettings), _Alignment):
    """Joulin et al. 2018."""

    method: Literal["rcsls"]
    dictionary: DictionaryName = Field(description=DICTIONARY)


AnyAlignment = Annotated[
    NoAlignment | SupervisedAlignment | SelfLearnedAlignment | RcslsAlignment, Field(discriminator="method")
]


AgreementKeys = keys_of(Agreement, needed=("k",))


class Anchors(
    keys_of(
        AnchorRules,
        leave_out=(*NOT_CONFIGURED, "stop_words", "fold_target"),
        needed=("choice", "min_score", "size"),
    ),
    Entry,
):
    """Parallel words of two vocabularies."""

    vectors: VectorsName
    lexicon: LexiconName = Field(None, description="Lexicon to use instead of the language's.")
    agreement: AgreementKeys | None = Field(
        None,
        description="Keep only pairs that are among each other's k nearest under a map of the others.",
    )
    stop_words: list[str] | CountFrom0 | Literal["package"] = Field(
        description="Source words that cannot be anchors: a list, or the number of most frequent ones."
    )
