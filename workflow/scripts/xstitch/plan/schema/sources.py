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
    missing,
    refusal,
    worded,
)

MeaningFile = worded(
    r"^[^{}]*\{iso\}([^{}]|\{shard\})*$",
    "a name with {iso} and, where a language has several files, {shard}; no other braces",
)
OpusCorpus = worded(r"^[\w.-]+/[\w.-]+$", "NAME/VERSION")


class LanguageEntry(Entry):
    """A language of the run; its keys override config/languages.tsv."""

    lexicon: LexiconName = Field(None, description="Lexicon that links the source to this language.")
    name: FilledText = Field(None, description="Required if config/languages.tsv does not list the language.")
    family: str = None
    script: str = None
    tokenizer: Literal["unicode", "udpipe", "icu", "jieba", "fugashi"] = Field(
        None, description="Default: the language's in config/languages.tsv, else unicode."
    )
    ebible: str = Field(None, description="Its file in eBible's corpus.")
    panlex: str = Field(None, description="Its PanLex variety, such as fao-000.")
    cc100: str = Field(None, description="Its code in CC100, if that differs.")
    tatoeba: str = Field(None, description="Its code in the file names of Tatoeba, such as deu.")
    conll: str = Field(None, description="Its file of the CoNLL shared tasks, such as 2003/eng.")


class Corpus(Entry):
    """Sentences of each language."""

    dataset: FilledText = Field(None, description="Data set of the texts; default: cc100.")
    file: FilledText = Field(None, description="Name of a text in the data set, with {lang}.")
    unit: Literal["sentence", "paragraph"] = Field(
        None, description="Tokenised sentences, the default, or paragraphs as they are written."
    )
    sentences: Count = Field(description="Maximum number of them per language.")
    share: ShareAbove0 = Field(
        description="Share of documents to take first; doubled until there are enough sentences."
    )
    bytes_per_sentence: Count = Field(
        None,
        description="Bytes that a sentence takes in the published file: no more than sentences / share times "
        "as much of a file is fetched and used, from its start. Default: all of it.",
    )
    min_tokens: Count = Field(None, description="Shorter sentences are left out.")
    min_sentences: Count = Field(None, description="Shorter paragraphs are left out.")
    contractions: Literal["written", "split"] = Field(
        None,
        description="Tokens of UDPipe, with contractions as written, the default (du), or split (de le).",
    )
    part: Annotated[list[Count], Field(min_length=2, max_length=2)] = Field(
        None, description="[1, 2]: the first of two parts of the sample, which share no document."
    )
    files: Files = Field(None, description="Texts to use instead of CC100's, by language.")

    @model_validator(mode="after")
    def _has_the_part(self) -> Self:
        if self.part and self.part[0] > self.part[1]:
            raise refusal(f"there is no part {self.part[0]} of {self.part[1]}", "part")
        return self

    @model_validator(mode="after")
    def _has_the_keys_of_its_unit(self) -> Self:
        for key in ("min_tokens", "min_sentences"):
            given = getattr(self, key) is not None
            if self.unit == "paragraph" and given:
                raise refusal("not for paragraphs; leave it out", key)
            if self.unit != "paragraph" and not given:
                raise missing(key, "sentences")
        if (self.dataset is None) != (self.file is None):
            raise refusal("needs both 'dataset' and 'file', or neither")
        return self


class Lexicon(Entry):
    """Pairs of words with scores."""

    min_score: float = Field(None, description="Pairs below this score are left out.")


class MuseLexicon(Lexicon):
    """A MUSE dictionary: all of it, or its training part."""

    kind: Literal["muse", "muse-train"]
    reverse: bool = Field(None, description="Read the {target}-{source} file.")


class OwnLexicon(Lexicon):
    """The user's own files."""

    kind: Literal["tsv"]
    folder: str = Field(description="Folder with {source}-{target}.tsv files.")
    reverse: bool = Field(None, description="Read the {target}-{source} file.")


class PanlexLexicon(Lexicon):
    """PanLex's database, or its lists of basic words."""

    kind: Literal["panlex-lite", "panlex-swadesh"]


class MeaningsLexicon(Lexicon):
    """PanLex's meanings, one or several files per language."""

    kind: Literal["panlex-meanings"]
    dataset: str = Field(description="Row of datasets.tsv.")
    file: MeaningFile = Field(description="{iso} stands for the ISO code, {shard} for the file's number.")
    shards: dict[LanguageName, Count] = Field(
        None, description="Number of files, for languages that have more than one."
    )


class UnitedLexicon(Lexicon):
    """Every pair of several lexica."""

    kind: Literal["union"]
    lexica: Annotated[list[LexiconName], Field(min_length=2), Distinct()] = Field(
        description="Lexica whose scores add up."
    )
    weights: dict[str, Positive] = Field(None, description="Weights of the scores, by lexicon; default: 1.")

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
        description="A lexicon into the third language, and one out of it."
    )
    through: LanguageName = Field(description="The third language.")
    discount: Share = Field(description="Score of a path, as a share of its weaker half's score.")


class BootstrappedLexicon(Lexicon):
    """Pairs grown from a few seeds."""

    kind: Literal["bootstrap"]
    lexica: Annotated[list[LexiconName], Field(min_length=1, max_length=1)] = Field(
        description="The lexicon whose best pairs are the seeds."
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

    pairs: Count = Field(description="Maximum number to draw per language.")
    words: Literal["moses", "language"] = Field(
        description="What splits sentences into words: Moses' tokenizer, or the language's own."
    )
    corpora: dict[str, Annotated[list[OpusCorpus], Field(min_length=1)]] = Field(
        description="Corpora of OPUS by language, each as NAME/VERSION."
    )
    files: dict[LanguageName, Annotated[list[GivenFile], Field(min_length=2, max_length=2)]] = Field(
        None,
        description="Two plain files per language, instead of OPUS's: its sentences, then the source's.",
    )


class Images(Entry):
    """A collection of images, from a data set or a folder."""

    dataset: Literal["cifar10"] = Field(None, description="A row of datasets.tsv.")
    files: Texts = Field(None, description="Batches in the archive of the data set.")
    folder: FilledText = Field(None, description="Your own image files, instead of a data set.")
    size: Count | None = Field(description="Number of images, the first ones; null: all.")

    @model_validator(mode="after")
    def _come_from_one_place(self) -> Self:
        named = [self.dataset is not None, self.files is not None]
        if not (all(named) and self.folder is None) and not (self.folder is not None and not any(named)):
            raise refusal("needs either 'dataset' and 'files', or 'folder'")
        return self
