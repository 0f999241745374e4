"""Inputs of the report on one language."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

from xstitch.plan.addresses import (
    anchors_file,
    corpus_file,
    finetuned_behind,
    labelled_texts,
    lexicon_file,
    model_of,
    predictions_file,
    scores_file,
    target_vectors,
)
from xstitch.plan.run import Files, Run, Wildcards
from xstitch.plan.segmentation import task_tool
from xstitch.plan.tasks import has_test

UNSPACED = ("icu", "jieba", "fugashi")  # tools that split text without spaces between words


class CoveredText(NamedTuple):
    """A text whose words are looked up in a language's vectors."""

    name: str
    file: str


def coverage_input(run: Run, wildcards: Wildcards) -> Files:
    """Vectors, lexicon and anchors of a language and, if it has one, a text whose words are looked up."""
    recipe, src, tgt = wildcards.recipe, wildcards.src, wildcards.tgt
    text = covered_text(run, wildcards)
    return {
        "vectors": target_vectors(run, wildcards),
        "lexicon": lexicon_file(run, run.recipes[recipe]["anchors"], src, tgt),
        "anchors": anchors_file(run, recipe, src, tgt),
        **({"text": text.file} if text else {}),
    }


def covered_text(run: Run, wildcards: Wildcards) -> CoveredText | None:
    """Test texts of a language; without them the corpus of its vectors, if they are trained here."""
    task, tgt = wildcards.task, wildcards.tgt
    anchors = run.recipes[wildcards.recipe]["anchors"]
    if has_test(run, task, tgt):
        return CoveredText("test texts", labelled_texts(run, task, tgt, "test"))
    if corpus := run.config["vectors"][run.config["anchors"][anchors]["vectors"]].get("corpus"):
        return CoveredText("corpus", corpus_file(corpus, tgt))
    return None


def covered_name(run: Run, wildcards: Wildcards) -> str:
    """What kind of text the covered text is; empty if there is none."""
    text = covered_text(run, wildcards)
    return text.name if text else ""


def source_input(run: Run, wildcards: Wildcards) -> Files:
    """The models behind a language's, before they are stitched, and the source's test texts."""
    recipe, task, src, tgt = wildcards.recipe, wildcards.task, wildcards.src, wildcards.tgt
    return {
        "models": [finetuned_behind(run, recipe, task, src, tgt, seed) for seed in run.seeds_of(recipe)],
        "test": labelled_texts(run, task, src, "test"),
    }


def source_seeds(run: Run, wildcards: Wildcards) -> list[int]:
    """The seeds of these models."""
    return run.seeds_of(wildcards.recipe)


def report_input(run: Run, wildcards: Wildcards) -> Files:
    """Coverage and models of a language, the trained models behind them and, with test texts, scores.

    The scores are its own, and the source's.
    """
    recipe, task, src, tgt = wildcards.recipe, wildcards.task, wildcards.src, wildcards.tgt
    cases = [(run, recipe, task, src, tgt, seed) for seed in run.seeds_of(recipe)]
    files: Files = {
        "coverage": f"results/reports/{recipe}/{task}/{src}-{tgt}.coverage.tsv",
        "models": [model_of(*case) for case in cases],
        "finetuned": [finetuned_behind(*case) for case in cases],
    }
    if has_test(run, task, tgt):
        files["scores"] = scores_file(recipe, task, src)
        files["predictions"] = predictions_file(recipe, task, src)
        files["test"] = labelled_texts(run, task, tgt, "test")
    if has_test(run, task, src):
        files["source_scores"] = f"results/reports/{recipe}/{task}/{src}-{tgt}.source.tsv"
        files["source_predictions"] = f"results/reports/{recipe}/{task}/{src}-{tgt}.source.parquet"
    return files


def report_about(run: Run, wildcards: Wildcards) -> dict[str, str]:
    """What a report says about a language before any number."""
    source, target = run.languages[wildcards.src], run.languages[wildcards.tgt]
    splitter = task_tool(run, SimpleNamespace(lang=wildcards.tgt))
    return {
        "title": f"{target['name']} ({wildcards.tgt})",
        "language": target["name"],
        "source_language": source["name"],
        "summary": f"Stitched to a model of {source['name']} ({wildcards.src}) by recipe {wildcards.recipe} "
        f"for task {wildcards.task}.",
        "segmenter": splitter if splitter in UNSPACED else "",
    }
