"""How much data there is, as far as it is known before anything is downloaded: rows, sentences, words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

from xstitch.core.tsv import read_records
from xstitch.plan.costs.architectures import TABLES, Architecture, architecture_of
from xstitch.plan.run import Run
from xstitch.sources.tasks.readers import READERS

WORLD_ROWS = {  # the part of the mini world's settings that has a task's sizes, by its kind
    "taxi1500": "verses",
    "marc": "reviews",
    "xnli": "xnli",
    "squad": "squad",
    "tydiqa": "tydiqa",
    "panx": "names",
    "wikiann": "names",
    "conll": "names",
    "universal_dependencies": "treebanks",
}
# Texts were counted, questions fitted to a run, the others are assumed.
WORLD_TOKENS = {"texts": 28, "pairs": 34, "questions": 40, "sentences": 20, "translations": 14}
WORLD_SENTENCE, WORLD_WORDS = 15, 2.4  # tokens of a sentence; words with vectors per concept; counted
SENTENCE_TOKENS = {"sentence": 32, "paragraph": 120}  # of running text; assumed
PAIR_TOKENS = 35  # of a sentence in a parallel corpus; assumed
PADDED = {"by-length": 1.1, "random": 1.6}  # tokens of a batch, padding included, per token of its texts
WORDS = 200_000  # that a large corpus gives vectors to
WHOLE_FILE = 3_000_000  # words of word2vec's released vectors, the largest file that is read whole
DIMENSIONS = 300  # of published vectors
DISTINCT_ANCHORS = 7_000  # pairs of a large lexicon that both vocabularies know (mosecrot, Table 4: 6,731)


@dataclass(frozen=True)
class Amounts:
    """The amounts of a run's data. With `longest`, texts fill what models read, as limits must allow for."""

    run: Run
    longest: bool = False

    @property
    def generated(self) -> bool:
        """Whether the data are those of the mini world."""
        return "world" in self.run.config

    def encoder(self, name: str) -> Architecture:
        """The shape of an encoder."""
        return architecture_of(self.run, name)

    def rows(self, task: str, split: str, lang: str | None = None) -> int:
        """The rows of a task's split in a language, the source by default."""
        entry, lang = self.run.tasks[task], lang or self.run.source
        if lang in entry.get("files", {}):
            rows = _counted(entry["files"][lang].get(split), entry["kind"], split)
        elif "portions" in entry:
            rows = entry["portions"][split]
        elif self.generated:
            rows = self._world_rows(entry["kind"], split)
        else:
            rows = _table()[entry["kind"]][split]
        limit = entry.get("train_limit") if split == "train" else None
        return min(rows, limit) if limit else rows

    def _world_rows(self, kind: str, split: str) -> int:
        if kind in WORLD_ROWS:
            return getattr(getattr(self.run.world, WORLD_ROWS[kind]), split)
        return self.run.world.tatoeba if split == "test" else 0

    def length(self, task: str, grouping: str = "by-length") -> float:
        """The tokens of a row in a batch, padding included."""
        entry = self.run.tasks[task]
        if self.longest:
            return entry["max_length"]
        kind = entry["kind"]
        tokens = WORLD_TOKENS[READERS[kind]] if self.generated else _table()[kind]["tokens"]
        return min(entry["max_length"], tokens * PADDED[grouping])

    def sentences(self, corpus: str, lang: str) -> int:
        """The sentences or paragraphs of a corpus."""
        most = self.run.config["corpora"][corpus]["sentences"]
        if self.generated and lang in self.run.world.languages:
            return min(most, self.run.world.languages[lang].sentences)
        return most

    def sentence_tokens(self, corpus: str) -> float:
        """The tokens of a sentence or paragraph."""
        unit = self.run.config["corpora"][corpus].get("unit", "sentence")
        return WORLD_SENTENCE if self.generated else SENTENCE_TOKENS[unit]

    def words(self, vectors: str) -> int:
        """The words that have vectors."""
        entry = self.run.config["vectors"][vectors]
        if entry["origin"] == "aligned":
            return self.words(self.run.config["alignments"][entry["alignment"]]["vectors"])
        if self.generated:
            return round(WORLD_WORDS * self.run.world.concepts)
        if entry["origin"] == "import":
            return entry["limit"] or WHOLE_FILE
        return min(WORDS, entry.get("max_words") or WORDS)

    def dimensions(self, vectors: str) -> int:
        """The length of a vector."""
        entry = self.run.config["vectors"][vectors]
        if entry["origin"] == "aligned":
            return self.dimensions(self.run.config["alignments"][entry["alignment"]]["vectors"])
        if entry["origin"] == "distill":
            return self.encoder(entry["encoder"]).width
        return entry.get("dimensions", DIMENSIONS)

    def pairs(self, parallel: str) -> int:
        """The sentence pairs of a language that are kept."""
        most = self.run.config["parallel"][parallel]["pairs"]
        return min(most, self.run.world.parallel) if self.generated else most

    def anchors(self, name: str) -> int:
        """The anchors of a pair of languages, at most."""
        most = round(self.run.world.concepts * 1.5) if self.generated else DISTINCT_ANCHORS
        return min(most, self.run.config["anchors"][name].get("size") or most)


@cache
def _table(file: Path = TABLES / "rows.tsv") -> dict[str, dict[str, int]]:
    """The sizes of published data sets, by kind of task."""
    return {
        row["kind"]: {key: int(row[key]) for key in ("train", "dev", "test", "tokens")}
        for row in read_records(file)
    }


@cache
def _counted(file: str | None, kind: str, split: str) -> int:
    """The rows of a user's file; if it is not there yet, as many as were published; none without a file."""
    if file is None:
        return 0
    path = Path(file).expanduser()
    if not path.is_file():
        return _table()[kind][split]
    with path.open("rb") as stream:
        match READERS[kind]:
            case "sentences":  # a word a line, and an empty line after a sentence
                return sum(filled for filled, _ in groupby(stream, key=lambda line: bool(line.strip())))
            case "questions":  # JSON
                return sum(line.count(b'"question"') for line in stream)
        return sum(1 for _ in stream)
