"""Inputs of the rules that read lexica, corpora, vectors, parallel sentences and images."""

from __future__ import annotations

from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import aligned_file, corpus_file, encoder_folder, vectors_file
from xstitch.plan.availability import moses_zip
from xstitch.plan.downloads import given, resource, unpacked
from xstitch.plan.given import given_path
from xstitch.plan.heads import corpus_head, text_file
from xstitch.plan.run import Entry, Files, Run, Wildcards
from xstitch.plan.segmentation import sentence_tool


def lexicon_input(run: Run, wildcards: Wildcards) -> Files:
    """The files of a lexicon, by its kind; `reverse` takes the file of the opposite direction."""
    lexicon = run.config["lexica"][wildcards.lexicon]
    kind, pair = lexicon["kind"], f"{wildcards.src}-{wildcards.tgt}"
    if lexicon.get("reverse"):
        pair = f"{wildcards.tgt}-{wildcards.src}"
    if kind == "panlex-meanings":
        sides = {"source": wildcards.src, "target": wildcards.tgt}
        return {side: _meaning_files(run, lexicon, lang) for side, lang in sides.items()}
    if kind == "tsv":
        key = f"lexica.{wildcards.lexicon}.folder"
        return {"file": given_path(f"{lexicon['folder']}/{pair}.tsv", key)}
    if kind == "panlex-lite":
        return {"file": unpacked(run, "panlex-lite", "panlex_lite/db.sqlite")}
    if kind == "panlex-swadesh":
        return {"file": resource(run, "panlex-swadesh", "panlex_swadesh.zip")}
    return {"file": resource(run, "muse", f"{pair}.txt" if kind == "muse" else f"{pair}.0-5000.txt")}


def _meaning_files(run: Run, lexicon: Entry, lang: str) -> list[str]:
    """A language's files of PanLex meanings, named by ISO code; large ones may come in shards."""
    iso = run.languages[lang]["panlex"].partition("-")[0]
    files = [
        lexicon["file"].format(iso=iso, shard=shard)
        for shard in range(lexicon.get("shards", {}).get(lang, 1))
    ]
    return [resource(run, lexicon["dataset"], file) for file in files]


def combined_lexicon_input(run: Run, wildcards: Wildcards) -> list[str]:
    """The lexica that a lexicon is made from: of the same pair, or into and out of a third language."""
    lexicon = run.config["lexica"][wildcards.lexicon]
    src, tgt, through = wildcards.src, wildcards.tgt, lexicon.get("through")
    if through in (src, tgt):
        raise InputError(
            f"config: lexica.{wildcards.lexicon}.through: {through} is itself one of {src}-{tgt}; "
            "name another language"
        )
    parts = lexicon["lexica"]
    pairs = [f"{src}-{through}", f"{through}-{tgt}"] if through else [f"{src}-{tgt}"] * len(parts)
    return [f"results/lexica/{part}/{pair}.parquet" for part, pair in zip(parts, pairs, strict=True)]


def induced_lexicon_input(run: Run, wildcards: Wildcards) -> Files:
    """The lexicon that provides the seeds, and the vectors of both languages."""
    lexicon = run.config["lexica"][wildcards.lexicon]
    return {
        "lexicon": f"results/lexica/{lexicon['lexica'][0]}/{wildcards.src}-{wildcards.tgt}.parquet",
        "source": vectors_file(lexicon["vectors"], wildcards.src),
        "target": vectors_file(lexicon["vectors"], wildcards.tgt),
    }


def corpus_input(run: Run, wildcards: Wildcards) -> str:
    """Text of a language: the user's own, or a data set's."""
    corpus, lang = run.config["corpora"][wildcards.corpus], wildcards.lang
    if file := given(f"corpora.{wildcards.corpus}", corpus.get("files", {}), lang):
        return file
    return resource(run, *text_file(run, corpus, lang), corpus_head(run, corpus, lang))


def sampling_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The keys of a corpus that say how it is sampled, and how much of a text it uses; files are inputs."""
    corpus = run.config["corpora"][wildcards.corpus]
    named = ("files", "dataset", "file", "bytes_per_sentence")
    settings = {key: value for key, value in corpus.items() if key not in named}
    return {**settings, "head": corpus_head(run, corpus, wildcards.lang)}


def vectors_input(run: Run, wildcards: Wildcards) -> str:
    """The file of imported vectors: the user's own, or a data set's."""
    vectors, key = run.config["vectors"][wildcards.vectors], f"vectors.{wildcards.vectors}"
    if file := given(key, vectors.get("files", {}), wildcards.lang):
        return file
    if "dataset" not in vectors:
        raise InputError(
            f"config: {key}.files.{wildcards.lang} is missing: name a file of vectors, or its address"
        )
    return resource(run, vectors["dataset"], vectors["file"].format(lang=wildcards.lang))


def vectors_corpus(run: Run, wildcards: Wildcards) -> str:
    """The corpus that vectors are trained on or distilled from."""
    return corpus_file(run.config["vectors"][wildcards.vectors]["corpus"], wildcards.lang)


def distilled_encoder(run: Run, wildcards: Wildcards) -> str:
    """The encoder that vectors are distilled from."""
    return encoder_folder(run.config["vectors"][wildcards.vectors]["encoder"])


def distilling_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The keys of vectors that say how they are distilled; what they name is an input."""
    vectors, named = run.config["vectors"][wildcards.vectors], ("origin", "corpus", "encoder")
    return {key: value for key, value in vectors.items() if key not in named}


def taken_alignment(run: Run, wildcards: Wildcards) -> Files:
    """The alignment whose target side is used as vectors, and the words of that side."""
    alignment = run.config["vectors"][wildcards.vectors]["alignment"]
    return {
        "aligned": aligned_file(alignment, run.source, wildcards.lang),
        "words": vectors_file(run.config["alignments"][alignment]["vectors"], wildcards.lang),
    }


def parallel_files(run: Run, wildcards: Wildcards) -> dict[str, list[str]]:
    """Moses files of a language and the source, by corpus: two of the user's own, or zips of OPUS."""
    parallel, lang = run.config["parallel"][wildcards.parallel], wildcards.lang
    key = f"parallel.{wildcards.parallel}"
    if lang in parallel.get("files", {}):
        return {"own": [given_path(file, f"{key}.files.{lang}") for file in parallel["files"][lang]]}
    if lang not in parallel["corpora"]:
        raise InputError(
            f"config: {key}.corpora.{lang} is missing: name corpora of OPUS, or two files under files.{lang}"
        )
    return {name: [resource(run, "opus", moses_zip(run, name, lang))] for name in parallel["corpora"][lang]}


def parallel_input(run: Run, wildcards: Wildcards) -> list[str]:
    """The Moses files of all corpora, one after the other."""
    return [file for files in parallel_files(run, wildcards).values() for file in files]


def parallel_corpora(run: Run, wildcards: Wildcards) -> dict[str, int]:
    """The number of files per corpus."""
    return {name: len(files) for name, files in parallel_files(run, wildcards).items()}


def parallel_tokenizers(run: Run, wildcards: Wildcards) -> list[str]:
    """What splits sentences of a language and the source into words."""
    return [sentence_tool(run, lang) for lang in (wildcards.lang, run.source)]


def image_files(run: Run, wildcards: Wildcards) -> list[str]:
    """Batches of images; none if they are in a folder, which is a parameter."""
    images = run.config["images"][wildcards.images]
    return [unpacked(run, images["dataset"], file) for file in images.get("files", [])]


def image_folder(run: Run, wildcards: Wildcards) -> str:
    """The folder of images; empty if they come in batches."""
    return run.config["images"][wildcards.images].get("folder", "")
