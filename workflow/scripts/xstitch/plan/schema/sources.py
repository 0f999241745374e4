"""What a run reads: languages, corpora, lexica, parallel sentences, images."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from xstitch.core.settings import Count, Positive, Share, ShareAbove0
from xstitch.plan.schema.searches import LexiconSearch
from xstitch.plan.schema.types import (
    Distinct,
    Entry,
    Files,
    FilledText,
    GivenFile,
    LanguageName,
    LexiconName,
    Texts,
    VectorsName,
    refusal,
    worded,
)

MeaningFile = worded(
    r"^[^{}]*\{iso\}([^{}]|\{shard\})*$",
    "a name with {iso} and, where a language has several files, {shard}; no other braces",
)
OpusCorpus = worded(r"^[\w.-]+/[\w.-]+$", "NAME/VERSION")


class LanguageEntry(Entry):
    """A language of the run; what config/languages.tsv says of it can be said otherwise."""

    lexicon: LexiconName = Field(None, description="Lexicon that links the source to this language.")
    name: FilledText = Field(None, description="Needed where config/languages.tsv lacks the language.")
    family: str = None
    script: str = None
    tokenizer: Literal["unicode", "udpipe", "icu", "jieba", "fugashi"] = Field(
        None, description="unicode if not given."
    )
    ebible: str = Field(None, description="Its file in eBible's corpus.")
    panlex: str = Field(None, description="Its PanLex variety, such as fao-000.")
    cc100: str = Field(None, description="Its name in CC100, where that differs.")
    tatoeba: str = Field(None, description="Its code in the file names of Tatoeba, such as deu.")
    conll: str = Field(None, description="Its file of the CoNLL shared tasks, such as 2003/eng.")


class Corpus(Entry):
    """Sentences of each language."""

    sentences: Count = Field(description="At most so many a language.")
    share: ShareAbove0 = Field(description="Of documents that are read.")
    min_tokens: Count = Field(description="Shorter sentences are left out.")
    min_sentences: Count = Field(description="Shorter paragraphs are left out.")
    part: Annotated[list[Count], Field(min_length=2, max_length=2)] = Field(
        None, description="[1, 2]: the first of two parts of the sample, which share no document."
    )
    files: Files = Field(None, description="Texts in the place of CC100's, by language.")

    @model_validator(mode="after")
    def _has_the_part(self) -> Self:
        if self.part and self.part[0] > self.part[1]:
            raise refusal(f"there is no part {self.part[0]} of {self.part[1]}", "part")
        return self


class Lexicon(Entry):
    """Pairs of words with scores."""

    min_score: float = Field(None, description="Pairs below this score are left out.")


class MuseLexicon(Lexicon):
    """A MUSE dictionary: the whole, or its training part."""

    kind: Literal["muse", "muse-train"]
    reverse: bool = Field(None, description="Take the {target}-{source} file.")


class OwnLexicon(Lexicon):
    """Files of one's own."""

    kind: Literal["tsv"]
    folder: str = Field(description="Holds {source}-{target}.tsv.")
    reverse: bool = Field(None, description="Take the {target}-{source} file.")


class PanlexLexicon(Lexicon):
    """PanLex' database, or its lists of basic words."""

    kind: Literal["panlex-lite", "panlex-swadesh"]


class MeaningsLexicon(Lexicon):
    """PanLex' meanings, one or several files a language."""

    kind: Literal["panlex-meanings"]
    dataset: str = Field(description="Row of datasets.tsv.")
    file: MeaningFile = Field(description="{iso} stands for the ISO code, {shard} for a part's number.")
    shards: dict[LanguageName, Count] = Field(
        None, description="Files of languages that have several; the others have one."
    )


class UnitedLexicon(Lexicon):
    """Every pair of several lexica."""

    kind: Literal["union"]
    lexica: Annotated[list[LexiconName], Field(min_length=2), Distinct()] = Field(
        description="Lexica whose scores add up."
    )
    weights: dict[str, Positive] = Field(
        None, description="What the scores of a lexicon count; 1 if not given."
    )

    @model_validator(mode="after")
    def _weighs_its_own(self) -> Self:
        for name in self.weights or ():
            if name not in self.lexica:
                raise refusal(
                    f"{name!r} is not one of its lexica; legal: {', '.join(self.lexica)}", "weights"
                )
        return self


class PivotLexicon(Lexicon):
    """Pairs through a third language."""

    kind: Literal["pivot"]
    lexica: Annotated[list[LexiconName], Field(min_length=2, max_length=2)] = Field(
        description="A lexicon into the third language, one out of it."
    )
    through: LanguageName = Field(description="The third language.")
    discount: Share = Field(description="What a path counts of its weaker half.")


class BootstrappedLexicon(Lexicon):
    """Pairs found from a few."""

    kind: Literal["bootstrap"]
    lexica: Annotated[list[LexiconName], Field(min_length=1, max_length=1)] = Field(
        description="The one whose best pairs are the seeds."
    )
    vectors: VectorsName = Field(description="Vectors of both languages.")
    search: LexiconSearch = Field(description="How pairs are searched for.")


AnyLexicon = Annotated[
    MuseLexicon
    | OwnLexicon
    | PanlexLexicon
    | MeaningsLexicon
    | UnitedLexicon
    | PivotLexicon
    | BootstrappedLexicon,
    Field(discriminator="kind"),
]


class ParallelSentences(Entry):
    """Sentences of a language and their translations into the source language."""

    pairs: Count = Field(description="At most so many a language are drawn.")
    corpora: dict[str, Annotated[list[OpusCorpus], Field(min_length=1)]] = Field(
        description="Corpora of OPUS by language, each as NAME/VERSION."
    )
    files: dict[LanguageName, Annotated[list[GivenFile], Field(min_length=2, max_length=2)]] = Field(
        None,
        description="Two plain files by language in the place of OPUS': its own sentences, the source's.",
    )


class Images(Entry):
    """A collection of images: a data set's, or a folder's."""

    dataset: Literal["cifar10"] = Field(None, description="A row of datasets.tsv.")
    files: Texts = Field(None, description="Batches in the archive of the data set.")
    folder: FilledText = Field(None, description="Image files of your own, in the place of a data set.")
    size: Count | None = Field(description="First so many images; null: all.")

    @model_validator(mode="after")
    def _come_from_one_place(self) -> Self:
        named = [self.dataset is not None, self.files is not None]
        if not (all(named) and self.folder is None) and not (self.folder is not None and not any(named)):
            raise refusal("needs 'dataset' and 'files', or 'folder', and one of them only")
        return self
