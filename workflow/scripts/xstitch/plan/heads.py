"""How much of a text a corpus uses, its head: no more of it is fetched, and no more is read."""

from __future__ import annotations

from xstitch.plan.run import Entry, Run

LEAST = 1_000_000  # bytes; cutting smaller files saves nothing


def text_file(run: Run, corpus: Entry, lang: str) -> tuple[str, str]:
    """The data set and file of a corpus' text: CC100's by default, which has its own codes of languages."""
    if "dataset" in corpus:
        return corpus["dataset"], corpus["file"].format(lang=lang)
    return "cc100", f"{run.languages[lang]['cc100'] or lang}.txt.xz"


def corpus_head(run: Run, corpus: Entry, lang: str) -> int | None:
    """The first bytes of a text that a corpus uses; None: all of them, as of the user's own texts.

    They have its sentences in the share of documents that is read first. If they turn out to have fewer,
    further readings take more of the documents: there is 1 / share times as much text as is needed. A file
    whose checksum is in config/datasets.tsv is not cut, because nothing else would verify it.
    """
    dataset, _ = text_file(run, corpus, lang)
    own = lang in corpus.get("files", {})
    if "bytes_per_sentence" not in corpus or own or run.datasets[dataset].sha256:
        return None
    return max(LEAST, round(corpus["sentences"] / corpus["share"] * corpus["bytes_per_sentence"]))
