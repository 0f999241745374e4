"""How many updates a user's own training texts make; too few are said aloud before the first job."""

from __future__ import annotations

from math import ceil
from types import SimpleNamespace

from xstitch.plan.given import given_path
from xstitch.plan.model_inputs import training_languages, training_settings
from xstitch.plan.run import Run, Wildcards
from xstitch.plan.tasks import reading_settings, task_rows
from xstitch.results.language_report import FEW_UPDATES
from xstitch.sources.tasks.readers import load_reader
from xstitch.training.schedule import Schedule


def few_updates(run: Run, rule: str, wildcards: Wildcards) -> str:
    """Say that a model is about to be fine-tuned with few updates; empty if they suffice or are not known."""
    if rule != "finetune_model" or task_rows(run, wildcards) != "texts":
        return ""
    counts = [_own_texts(run, wildcards.task, lang) for lang in training_languages(run, wildcards)]
    if None in counts:
        return ""
    texts, schedule = sum(counts), Schedule(**training_settings(run, wildcards))
    updates = schedule.total_steps(ceil(texts / schedule.batch_size))
    if updates >= FEW_UPDATES or schedule.epochs is None:
        return ""
    task, enough = wildcards.task, ceil(schedule.epochs * FEW_UPDATES / updates)
    return (
        f"{task}: your {texts} texts make {updates} updates in {schedule.epochs:g} epochs: raise epochs "
        f"(tasks.{task}.training.epochs: {enough} makes {FEW_UPDATES})"
    )


def _own_texts(run: Run, task: str, lang: str) -> int | None:
    """The number of texts in the user's own training file; None if there is none to look into yet."""
    file = run.tasks[task].get("files", {}).get(lang, {}).get("train")
    if file is None or "://" in file:
        return None
    settings = reading_settings(run, SimpleNamespace(task=task, lang=lang))
    path = given_path(file, f"tasks.{task}.files.{lang}.train")
    count = sum(1 for _ in load_reader(settings["kind"]).read({"train": path}, "train", settings))
    return min(count, settings.get("train_limit") or count)
