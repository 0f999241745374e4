"""Inputs and settings of encoders: pre-trained, imported from a folder, or trained further from another."""

from __future__ import annotations

from typing import Any

from xstitch.plan.addresses import (
    aligned_file,
    corpus_file,
    encoder_folder,
    links_file,
    parallel_file,
    vectors_file,
)
from xstitch.plan.run import Files, Run, Wildcards
from xstitch.sources.fetch.model_folders import model_files, model_folder, model_version

NAMED = ("origin", "base", "corpus", "alignment", "parallel")  # keys whose files come as input


def named_encoder(_: Run, wildcards: Wildcards) -> str:
    """The encoder that a job is about."""
    return encoder_folder(wildcards.encoder)


def encoder_corpora(run: Run, wildcards: Wildcards) -> list[str]:
    """The corpora that an encoder is pre-trained on."""
    encoder = run.encoders[wildcards.encoder]
    return [corpus_file(encoder["corpus"], lang) for lang in encoder["languages"]]


def imported_files(run: Run, wildcards: Wildcards) -> list[str]:
    """The files of an encoder that the user provides."""
    folder = model_folder(run.encoders[wildcards.encoder], f"encoders.{wildcards.encoder}")
    return [str(file) for file in model_files(folder)]


def imported_version(run: Run, wildcards: Wildcards) -> str:
    """The version of an encoder that the user provides."""
    return model_version(run.encoders[wildcards.encoder])


def text_pooling(run: Run, wildcards: Wildcards) -> str:
    """How an encoder makes one vector of a text's hidden states."""
    return run.encoders[wildcards.encoder].get("pooling", "mean")


def base_encoder(run: Run, wildcards: Wildcards) -> str:
    """The encoder that another one starts from."""
    return encoder_folder(run.encoders[wildcards.encoder]["base"])


def later_training_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The keys of an encoder that say how it is trained further."""
    encoder = run.encoders[wildcards.encoder]
    return {key: value for key, value in encoder.items() if key not in NAMED}


def aligning_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The keys of an encoder that say how it is aligned; its languages are a separate parameter."""
    return objective_settings(run, wildcards.encoder)


def objective_settings(run: Run, encoder: str) -> dict[str, Any]:
    """The keys of an encoder that say what it learns further and how, whatever its languages."""
    keys = {*NAMED, "languages"}
    return {key: value for key, value in run.encoders[encoder].items() if key not in keys}


def tied_languages(run: Run, wildcards: Wildcards) -> list[str]:
    """The languages, other than the source, whose words are tied to vectors; none without vectors."""
    encoder = run.encoders[wildcards.encoder]
    return [lang for lang in encoder["languages"] if lang != run.source] if "alignment" in encoder else []


def continuation_input(run: Run, wildcards: Wildcards) -> Files:
    """The encoder to start from, corpora and, if words are tied to vectors, those of every language."""
    files: Files = {
        "encoder": base_encoder(run, wildcards),
        "corpora": encoder_corpora(run, wildcards),
    }
    if targets := tied_languages(run, wildcards):
        alignment = run.encoders[wildcards.encoder]["alignment"]
        vectors = run.config["alignments"][alignment]["vectors"]
        files["words"] = [vectors_file(vectors, lang) for lang in [run.source, *targets]]
        files["aligned"] = [aligned_file(alignment, run.source, tgt) for tgt in targets]
    return files


def adapter_input(run: Run, wildcards: Wildcards) -> Files:
    """The encoder that a language's adapter is trained in, and the language's text."""
    adapters = run.config["adapters"][wildcards.adapters]
    return {
        "encoder": encoder_folder(adapters["encoder"]),
        "corpus": corpus_file(adapters["corpus"], wildcards.lang),
    }


def adapter_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The keys of language adapters that say how they are trained."""
    adapters = run.config["adapters"][wildcards.adapters]
    return {key: value for key, value in adapters.items() if key not in ("encoder", "corpus")}


def encoder_parallel(run: Run, wildcards: Wildcards) -> list[str]:
    """The parallel sentences, per language, that an encoder is aligned with."""
    encoder = run.encoders[wildcards.encoder]
    return [parallel_file(encoder["parallel"], lang) for lang in encoder["languages"]]


def aligning_input(run: Run, wildcards: Wildcards) -> Files:
    """The encoder to align, parallel sentences and, for the L2 baseline, the links between their words."""
    encoder = run.encoders[wildcards.encoder]
    files: Files = {
        "encoder": base_encoder(run, wildcards),
        "parallel": encoder_parallel(run, wildcards),
    }
    if encoder["loss"] == "l2":
        files["links"] = [links_file(wildcards.encoder, lang) for lang in encoder["languages"]]
    return files


def linked_pairs(run: Run, wildcards: Wildcards) -> str:
    """The parallel sentences of one language whose words are linked for an encoder."""
    return parallel_file(run.encoders[wildcards.encoder]["parallel"], wildcards.lang)


def longest_linked(run: Run, wildcards: Wildcards) -> int | None:
    """The most words of a sentence whose words are linked; None: any number."""
    return run.encoders[wildcards.encoder].get("max_words")
