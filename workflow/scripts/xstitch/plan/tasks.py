"""Tasks: the files they are read from, their rows and labels, and what heads need to know about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xstitch.core.errors import InputError
from xstitch.models.heads.registry import HEADS, head_module
from xstitch.plan.addresses import aligned_file, labelled_texts, translated_texts, vectors_file
from xstitch.plan.availability import missing_language
from xstitch.plan.cases import recipe_targets
from xstitch.plan.downloads import RunPlaces
from xstitch.plan.given import given_path
from xstitch.plan.run import Files, Run, Wildcards
from xstitch.sources.tasks.places import SPLITS
from xstitch.sources.tasks.readers import READERS, load_reader, reader_module

LENGTHS = ("max_length", "stride", "max_question", "max_answer")  # keys of tasks that heads need
LATER = ("targets", *LENGTHS, "layer", "training", "files", "treebanks")  # keys that readers do not need
LEARNT = [kind for kind, rows in READERS.items() if rows in HEADS]  # kinds of tasks that models learn
OF_TEXTS = [kind for kind, rows in READERS.items() if rows == "texts"]
TAGGED = [kind for kind, rows in READERS.items() if HEADS.get(rows) == "tags"]
OF_LABELS = [kind for kind, rows in READERS.items() if HEADS.get(rows) == "labels"]  # of texts or pairs


def task_rows(run: Run, wildcards: Wildcards) -> str:
    """What the rows of a task are; it determines which head a model gets."""
    return READERS[run.tasks[wildcards.task]["kind"]]


def task_head(run: Run, wildcards: Wildcards) -> str:
    """The module of the head that models of a task get."""
    return head_module(task_rows(run, wildcards))


def task_reader(run: Run, wildcards: Wildcards) -> str:
    """The module that reads a task's files in one language."""
    return reader_module(reading_settings(run, wildcards)["kind"])


def labels_of(run: Run, task: str) -> tuple[str, ...]:
    """All labels of a task, from its reader."""
    return load_reader(run.tasks[task]["kind"]).labels(run.tasks[task])


def scored_labels(run: Run, task: str) -> tuple[str, ...] | None:
    """The labels that texts or pairs are scored by; none where words have tags, whose spans are scored."""
    return labels_of(run, task) if run.tasks[task]["kind"] in OF_LABELS else None


def task_labels(run: Run, wildcards: Wildcards) -> tuple[str, ...]:
    """All labels of a job's task."""
    return labels_of(run, wildcards.task)


def head_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """What a head must know about a task; the same for fine-tuning and evaluation."""
    task = run.tasks[wildcards.task]
    lengths = {key: task[key] for key in LENGTHS if key in task}
    return {"labels": list(task_labels(run, wildcards)), **lengths}


def reading_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The keys of a task that say how its files are read; changing other keys must not rerun the reading."""
    task, lang = run.tasks[wildcards.task], wildcards.lang
    if lang in task.get("files", {}) and task_rows(run, wildcards) == "texts":
        limit = {"train_limit": task["train_limit"]} if "train_limit" in task else {}
        return {"kind": "tsv", "labels": list(task_labels(run, wildcards)), **limit}
    read = {key: value for key, value in task.items() if key not in LATER}
    return {**read, "language": lang, **_edition(run, task, lang), **_portion(run, task, lang)}


def _edition(run: Run, task: Mapping[str, Any], lang: str) -> dict[str, str]:
    """The year of the shared task that included a language, if the reader's files depend on it."""
    reader = load_reader(task["kind"])
    return {"edition": reader.edition(lang, RunPlaces(run))} if hasattr(reader, "edition") else {}


def _portion(run: Run, task: Mapping[str, Any], lang: str) -> dict[str, int]:
    """Which portion of a file belongs to a language, if languages share the file."""
    if "portions" not in task:
        return {}
    return {"portion": [run.source, *task["targets"]].index(lang), "seed": run.config["seed"]}


def has_test(run: Run, task: str, lang: str) -> bool:
    """Whether a language has labelled test texts, as far as is known without the network."""
    entry = run.tasks[task]
    if lang in entry.get("files", {}):
        return "test" in entry["files"][lang]
    if entry["kind"] == "taxi1500":
        copied = run.config["local"].get("taxi1500-corpus")
        return bool(lang == run.source or run.languages[lang]["ebible"] or copied)
    return entry["kind"] != "tsv" and lang in run.listed


def task_input(run: Run, wildcards: Wildcards) -> Files:
    """The files of a task in one language: the user's own by split, or the original ones from its reader."""
    name, lang = wildcards.task, wildcards.lang
    task, key = run.tasks[name], f"tasks.{name}.files.{lang}"
    if lang in task.get("files", {}):
        return {split: given_path(file, f"{key}.{split}") for split, file in task["files"][lang].items()}
    nowhere = task["kind"] == "tsv" or lang not in run.listed
    if nowhere and not has_test(run, name, lang):
        raise InputError(f"config: {key} is missing: nothing else has labelled texts in {lang}; add it")
    files = load_reader(task["kind"]).files(lang, task, RunPlaces(run))
    if not files:
        raise InputError(missing_language(run, name, lang))
    return files


def all_splits(run: Run, wildcards: Wildcards) -> list[str]:
    """The labelled texts of a language in all splits."""
    return [labelled_texts(run, wildcards.task, wildcards.lang, split) for split in SPLITS]


def texts_to_train(run: Run, wildcards: Wildcards) -> list[str]:
    """The texts that a recipe's classifiers learn from, one file per target language.

    They are the language's own, or the source's in its words.
    """
    recipe, task = wildcards.recipe, wildcards.task
    if run.recipes[recipe]["method"] != "translated-regression":
        return _target_texts(run, wildcards, "train")
    targets = recipe_targets(run, wildcards)
    return [translated_texts(recipe, task, run.source, tgt, "train") for tgt in targets]


def own_texts(run: Run, wildcards: Wildcards) -> list[str]:
    """Unlabelled texts of every target language, if a recipe standardises its features by them."""
    own = run.recipes[wildcards.recipe].get("standardised_by") == "own"
    return _target_texts(run, wildcards, "train") if own else []


def texts_to_test(run: Run, wildcards: Wildcards) -> list[str]:
    """The test texts of every target language of a recipe on a task."""
    return _target_texts(run, wildcards, "test")


def _target_texts(run: Run, wildcards: Wildcards, split: str) -> list[str]:
    targets = recipe_targets(run, wildcards)
    return [labelled_texts(run, wildcards.task, tgt, split) for tgt in targets]


def aligned_spaces(run: Run, wildcards: Wildcards) -> list[str]:
    """The aligned vectors that the classifiers learn from, one file per target language."""
    alignment = run.recipes[wildcards.recipe]["alignment"]
    return [aligned_file(alignment, run.source, tgt) for tgt in recipe_targets(run, wildcards)]


def source_texts(run: Run, wildcards: Wildcards) -> str:
    """The training texts of the source language."""
    return labelled_texts(run, wildcards.task, run.source, "train")


def classified_vectors(run: Run, wildcards: Wildcards) -> list[str]:
    """The vectors that the classifiers learn from, one file per target language."""
    vectors = run.recipes[wildcards.recipe]["vectors"]
    return [vectors_file(vectors, tgt) for tgt in recipe_targets(run, wildcards)]
