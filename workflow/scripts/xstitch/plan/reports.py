"""Inputs of the report on one language."""

from __future__ import annotations

from typing import NamedTuple

from xstitch.plan.addresses import (
    anchors_file,
    corpus_file,
    finetuned_behind,
    labelled_texts,
    lexicon_file,
    model_of,
    scores_file,
    target_vectors,
)
from xstitch.plan.run import Files, Run, Wildcards
from xstitch.plan.tasks import has_test


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


def report_input(run: Run, wildcards: Wildcards) -> Files:
    """Coverage and models of a language, the trained models behind them and, with test texts, scores."""
    recipe, task, src, tgt = wildcards.recipe, wildcards.task, wildcards.src, wildcards.tgt
    cases = [(run, recipe, task, src, tgt, seed) for seed in run.seeds_of(recipe)]
    files: Files = {
        "coverage": f"results/reports/{recipe}/{task}/{src}-{tgt}.coverage.tsv",
        "models": [model_of(*case) for case in cases],
        "finetuned": [finetuned_behind(*case) for case in cases],
    }
    if has_test(run, task, tgt):
        files["scores"] = scores_file(recipe, task, src)
        files["test"] = labelled_texts(run, task, tgt, "test")
    return files


def report_title(run: Run, wildcards: Wildcards) -> str:
    """The name of a language and its code."""
    return f"{run.languages[wildcards.tgt]['name']} ({wildcards.tgt})"


def report_summary(run: Run, wildcards: Wildcards) -> str:
    """One line that says what was done for a language."""
    source = f"{run.languages[wildcards.src]['name']} ({wildcards.src})"
    return f"Stitched to a model of {source} by recipe {wildcards.recipe} for task {wildcards.task}."
