"""Texts of a language for a task, without labels: its training texts, or its corpus."""

from __future__ import annotations

from types import SimpleNamespace

from xstitch.core.errors import InputError
from xstitch.plan.addresses import corpus_file, labelled_texts
from xstitch.plan.run import Run, Wildcards
from xstitch.plan.source_inputs import corpus_input
from xstitch.plan.tasks import has_test


def unlabelled_texts(task: str, lang: str) -> str:
    """Texts of a language without labels."""
    return f"results/unlabelled/{task}/{lang}.parquet"


def unlabelled_source(run: Run, wildcards: Wildcards) -> str:
    """Where these texts come from: the task's training texts, or a corpus that has text of the language."""
    task, lang = wildcards.task, wildcards.lang
    if _has_training_texts(run, task, lang):
        return labelled_texts(run, task, lang, "train")
    for corpus in _corpora(run, lang):
        try:
            corpus_input(run, SimpleNamespace(corpus=corpus, lang=lang))
        except InputError:
            continue
        return corpus_file(corpus, lang)
    if run.tasks[task]["kind"] != "tsv" and lang in run.listed:  # texts that the user has yet to bring
        return labelled_texts(run, task, lang, "train")
    raise InputError(
        f"config: there are no unlabelled texts in {lang}; name a file of plain text under "
        f"corpora.cc100.files.{lang}"
    )


def _has_training_texts(run: Run, task: str, lang: str) -> bool:
    """Whether a language has training texts of a task, as far as is known without the network."""
    given = run.tasks[task].get("files", {})
    return "train" in given[lang] if lang in given else has_test(run, task, lang)


def _corpora(run: Run, lang: str) -> list[str]:
    """Corpora to take texts from: first those with the user's own text, then what vectors are trained on."""
    corpora = run.config["corpora"]
    own = [name for name, entry in corpora.items() if lang in entry.get("files", {})]
    anchors = run.config["anchors"].get("full", {})
    trained = run.config["vectors"].get(anchors.get("vectors", ""), {}).get("corpus")
    return [*own, *([trained] if trained else [])]
