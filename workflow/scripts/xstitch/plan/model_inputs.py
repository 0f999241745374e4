"""Inputs and settings of task models: fine-tuned, stitched, or adapted to an unlabelled language."""

from __future__ import annotations

from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import (
    adapter_folder,
    adapting_recipes,
    encoder_folder,
    finetuned_behind,
    labelled_texts,
    mapped_file,
    model_of,
    source_model_of,
    student_of,
    target_vectors,
)
from xstitch.plan.cases import HELD_OUT, SUPERVISED
from xstitch.plan.run import Files, Run, Wildcards
from xstitch.plan.tasks import task_rows
from xstitch.plan.training_values import adapting_values, finetuning_values


def recipe_encoder(run: Run, wildcards: Wildcards) -> str:
    """The encoder of a recipe: its own, or that of its language adapters."""
    recipe = run.recipes[wildcards.recipe]
    adapted = recipe if "encoder" in recipe else run.config["adapters"][recipe["adapters"]]
    return encoder_folder(adapted["encoder"])


def training_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """How a recipe fine-tunes on a task, including what the task overrides."""
    recipe, task = wildcards.recipe, wildcards.task
    return finetuning_values(recipe, run.recipes[recipe], run.tasks[task])


def embeddings_frozen(run: Run, wildcards: Wildcards) -> bool:
    """Whether a recipe fine-tunes everything but the embeddings."""
    return run.recipes[wildcards.recipe].get("freeze_embeddings", False)


def skew_of(run: Run, wildcards: Wildcards) -> Any:
    """How a recipe skews the training data of a task, if it does."""
    return run.recipes[wildcards.recipe].get("skew", {}).get(wildcards.task)


def finetuning_input(run: Run, wildcards: Wildcards) -> Files:
    """The encoder, labelled texts and, if the source side is mapped too, its new embeddings.

    The updates of taggers trained in their own language are scaled to the source's sentences, the reference.
    """
    task, space = wildcards.task, wildcards.space
    supervised = run.recipes[wildcards.recipe]["method"] in SUPERVISED
    languages = space.split("-") if supervised else [run.source]
    files: Files = {
        "encoder": recipe_encoder(run, wildcards),
        "train": [labelled_texts(run, task, lang, "train") for lang in languages],
        "dev": [labelled_texts(run, task, lang, "dev") for lang in languages],
    }
    if "-" in space and not supervised:
        files["embeddings"] = mapped_file(wildcards.recipe, *space.split("-"))
    if "-" not in space and supervised and task_rows(run, wildcards) == "sentences":
        files["reference"] = labelled_texts(run, task, run.source, "train")
    if "adapters" in run.recipes[wildcards.recipe]:
        files["adapter"] = adapter_folder(run.recipes[wildcards.recipe]["adapters"], run.source)
    return files


def task_adapter_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """How a recipe builds its task adapter, if it has one."""
    return run.recipes[wildcards.recipe].get("task_adapter", {})


def stitching_input(run: Run, wildcards: Wildcards) -> Files:
    """The fine-tuned model that a recipe stitches, the mapped embeddings and their words."""
    recipe, src, tgt = wildcards.recipe, wildcards.src, wildcards.tgt
    return {
        "model": finetuned_behind(run, recipe, wildcards.task, src, tgt, wildcards.seed),
        "embeddings": mapped_file(recipe, src, tgt),
        "target": target_vectors(run, wildcards),
    }


def swapping_input(run: Run, wildcards: Wildcards) -> Files:
    """The model fine-tuned with the source's language adapter, and the target's adapter."""
    recipe, src, tgt = wildcards.recipe, wildcards.src, wildcards.tgt
    return {
        "model": model_of(run, recipe, wildcards.task, src, src, wildcards.seed),
        "adapter": adapter_folder(run.recipes[recipe]["adapters"], tgt),
    }


def adapting_input(run: Run, wildcards: Wildcards) -> Files:
    """The model of a recipe's base, data of both languages, and whatever else the method needs."""
    recipe, task, src, tgt = wildcards.recipe, wildcards.task, wildcards.src, wildcards.tgt
    case = (task, src, tgt, wildcards.seed)
    files = {
        "model": model_of(run, run.recipes[recipe]["base"], *case),
        "source": labelled_texts(run, task, src, "train"),
        "target": labelled_texts(run, task, tgt, "train"),
        "watched": labelled_texts(run, task, tgt, "dev"),
    }
    if source_model := source_model_of(run, recipe, *case):
        files["source_model"] = source_model
    if run.recipes[recipe]["method"] == "distill":
        files["student"] = student_of(run, recipe)
    return files | _to_choose_by(run, [recipe], task, src)


def _to_choose_by(run: Run, recipes: list[str], task: str, src: str) -> Files:
    """The source's development texts, if one of these recipes chooses between candidates."""
    chosen = any("candidates" in run.recipes[recipe] for recipe in recipes)
    return {"source_dev": labelled_texts(run, task, src, "dev")} if chosen else {}


def adaptation_stage(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """How a recipe adapts to a task: the keys of xstitch.models.transfer.stages.Stage that are not files."""
    return _stage(run, wildcards.recipe, wildcards.task)


def adaptation_stages(run: Run, wildcards: Wildcards) -> list[dict[str, Any]]:
    """How a recipe and the recipes it builds on adapt to a task, from the first to its own."""
    return [_stage(run, recipe, wildcards.task) for recipe in adapting_recipes(run, wildcards.recipe)]


def _stage(run: Run, recipe: str, task: str) -> dict[str, Any]:
    return adapting_values(recipe, run.recipes[recipe], run.tasks[task])


def improvement_input(run: Run, wildcards: Wildcards) -> Files:
    """The inputs for adapting to target sets with other priors: the first stage's, and test texts."""
    task, src, tgt = wildcards.task, wildcards.src, wildcards.tgt
    recipes = adapting_recipes(run, wildcards.recipe)
    files: Files = {
        "model": model_of(run, run.recipes[recipes[0]]["base"], task, src, tgt, wildcards.seed),
        "source": labelled_texts(run, task, src, "train"),
        "target": labelled_texts(run, task, tgt, "train"),
        "test": [labelled_texts(run, task, tgt, split) for split in HELD_OUT],
    }
    if any(run.recipes[recipe]["method"] == "distill" for recipe in recipes):
        files["student"] = student_of(run, wildcards.recipe)
    return files | _to_choose_by(run, recipes, task, src)


def samples_of(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The number and sizes of a task's target sets with other priors."""
    task = wildcards.task
    if "samples" not in run.tasks[task]:
        raise InputError(f"config: tasks.{task}.samples is missing, but sets with other class priors need it")
    return run.tasks[task]["samples"]
