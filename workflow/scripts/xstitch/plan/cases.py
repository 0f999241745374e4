"""What is scored and measured: a recipe's languages on a task, and the models and files of each."""

from __future__ import annotations

from itertools import product
from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import (
    features_file,
    finetuned_behind,
    found_anchors,
    labelled_texts,
    model_of,
    starting_recipe,
    texts_read,
)
from xstitch.plan.references import ADAPTING, ON_FROZEN
from xstitch.plan.run import Files, Run, Wildcards
from xstitch.plan.training_values import adapting_values

SUPERVISED = ("in-language", "bilingual")
# Methods for targets alone.
SOURCELESS = {
    *("stitch", "gloss", "ensemble", *ON_FROZEN),
    *("logistic-regression", "aligned-regression", "translated-regression", "recommended"),
}
HELD_OUT = ("dev", "test")  # splits that no model is trained on
NO_TARGETS = "config: tasks.{}.targets is empty: name languages of this run"


def task_targets(run: Run, task: str) -> list[str]:
    """The target languages of a task; refuse a task that this run does not include."""
    if not run.tasks[task]["targets"]:
        raise InputError(NO_TARGETS.format(task))
    return run.tasks[task]["targets"]


def targets_of(run: Run, recipe: str, task: str) -> list[str]:
    """The target languages of a task that a recipe, or an alignment, runs on."""
    targets = run.tasks.get(task, {}).get("targets", [])
    entry = run.recipes.get(recipe) or run.config["alignments"].get(recipe, {})
    wanted = entry.get("targets", targets)
    return [tgt for tgt in targets if tgt in wanted]


def recipe_targets(run: Run, wildcards: Wildcards) -> list[str]:
    """The target languages of a job's recipe on its task."""
    return targets_of(run, wildcards.recipe, wildcards.task)


def evaluated_languages(run: Run, recipe: str, task: str) -> list[str]:
    """The languages a recipe is scored on, including the source if the model still knows it."""
    targets = targets_of(run, recipe, task)
    methods = {run.recipes[name]["method"] for name in (recipe, starting_recipe(run, recipe))}
    return targets if methods & SOURCELESS else [run.source, *targets]


def scored_languages(run: Run, recipe: str, task: str) -> list[str]:
    """The languages that a recipe, an alignment or anything else is scored on."""
    known = recipe in run.recipes
    return evaluated_languages(run, recipe, task) if known else targets_of(run, recipe, task)


def evaluation_cases(run: Run, wildcards: Wildcards) -> list[list[Any]]:
    """One case per language, model and seed: target, seed, model folder, labelled file.

    A recipe with one model per pair has that many cases for the source language.
    """
    recipe, task, src = wildcards.recipe, wildcards.task, wildcards.src
    paired = run.recipes[recipe]["method"] in ("bilingual", *ADAPTING)
    cases = []
    for tgt, seed in product(evaluated_languages(run, recipe, task), run.seeds_of(recipe)):
        for other in targets_of(run, recipe, task) if paired and tgt == src else [tgt]:
            folder = model_of(run, recipe, task, src, other, seed)
            cases.append([tgt, seed, folder, texts_read(run, recipe, task, src, tgt, "test")])
    return cases


def ensemble_cases(run: Run, wildcards: Wildcards) -> list[list[Any]]:
    """One case per language and seed: target, seed, the members' model folders, labelled file."""
    recipe, task, src = wildcards.recipe, wildcards.task, wildcards.src
    return [
        [
            tgt,
            seed,
            [model_of(run, member, task, src, tgt, seed) for member in run.recipes[recipe]["members"]],
            labelled_texts(run, task, tgt, "test"),
        ]
        for tgt, seed in product(evaluated_languages(run, recipe, task), run.seeds_of(recipe))
    ]


def ensemble_input(run: Run, wildcards: Wildcards) -> Files:
    """The models and test texts of all cases, each once."""
    cases = ensemble_cases(run, wildcards)
    models = {folder for case in cases for folder in case[2]}
    return {"models": sorted(models), "tests": sorted({case[3] for case in cases})}


def labels_drawn(run: Run, wildcards: Wildcards) -> int | None:
    """How many labelled texts of the target a recipe learns from; None: all."""
    return run.recipes[wildcards.recipe].get("labels")


def label_draws(run: Run, wildcards: Wildcards) -> list[int]:
    """The seeds that labelled texts are drawn with: one, if nothing is drawn."""
    return run.recipes[wildcards.recipe].get("seeds", [0])


def labelled_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """How many labels a head is fitted to, whether the source's count, too, and what it is chosen from."""
    recipe = run.recipes[wildcards.recipe]
    head = {"head": recipe["head"]} if "head" in recipe else {}
    return {"labels": recipe["labels"], "source_labels": recipe.get("source_labels", True), **head}


def labelled_cases(run: Run, wildcards: Wildcards) -> list[list[str]]:
    """One case per target language: target, features, its labelled texts, its test texts."""
    task, src, base = wildcards.task, wildcards.src, run.recipes[wildcards.recipe]["base"]
    return [
        [
            tgt,
            features_file(base, task, src, tgt),
            *(labelled_texts(run, task, tgt, split) for split in ("train", "test")),
        ]
        for tgt in targets_of(run, wildcards.recipe, task)
    ]


def labelled_input(run: Run, wildcards: Wildcards) -> Files:
    """The files of all cases, and the source's labelled texts."""
    cases = labelled_cases(run, wildcards)
    return {
        "features": [case[1] for case in cases],
        "texts": [file for case in cases for file in case[2:]],
        "source": labelled_texts(run, wildcards.task, wildcards.src, "train"),
    }


def contrastive_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """How many labels a body is tuned on, on which pairs of their texts and how."""
    name, task = wildcards.recipe, run.tasks[wildcards.task]
    recipe = run.recipes[name]
    training = adapting_values(name, recipe, task)["training"]
    return {"labels": recipe["labels"], "contrast": recipe.get("contrast", {}), "training": training}


def contrastive_cases(run: Run, wildcards: Wildcards) -> list[list[str]]:
    """One case per target language: target, its model, the frozen one behind it, labelled and test texts."""
    task, src, base = wildcards.task, wildcards.src, run.recipes[wildcards.recipe]["base"]
    seed = run.seeds_of(base)[0]
    return [
        [
            tgt,
            model_of(run, base, task, src, tgt, seed),
            finetuned_behind(run, base, task, src, tgt, seed),
            *(labelled_texts(run, task, tgt, split) for split in ("train", "test")),
        ]
        for tgt in targets_of(run, wildcards.recipe, task)
    ]


def contrastive_input(run: Run, wildcards: Wildcards) -> Files:
    """The models of all cases, each once, and their texts."""
    cases = contrastive_cases(run, wildcards)
    return {
        "models": sorted({folder for case in cases for folder in case[1:3]}),
        "texts": [file for case in cases for file in case[3:]],
    }


def features_input(run: Run, wildcards: Wildcards) -> Files:
    """A stitched model, the frozen one behind it, and the texts that each of them reads."""
    recipe, task, src, tgt = wildcards.recipe, wildcards.task, wildcards.src, wildcards.tgt
    seed = run.seeds_of(recipe)[0]
    return {
        "model": model_of(run, recipe, task, src, tgt, seed),
        "source_model": finetuned_behind(run, recipe, task, src, tgt, seed),
        "source": labelled_texts(run, task, src, "train"),
        **{split: labelled_texts(run, task, tgt, split) for split in ("train", "test")},
    }


def evaluation_input(run: Run, wildcards: Wildcards) -> Files:
    """The models and test texts of all cases, each once."""
    cases = evaluation_cases(run, wildcards)
    return {"models": sorted({case[2] for case in cases}), "tests": sorted({case[3] for case in cases})}


def shift_cases(run: Run, wildcards: Wildcards) -> list[list[Any]]:
    """One case per target language: its model, its held-out files and the source's."""
    recipe, task, src = wildcards.recipe, wildcards.task, wildcards.src
    return [
        [
            tgt,
            model_of(run, recipe, task, src, tgt, run.seeds_of(recipe)[0]),
            *([labelled_texts(run, task, lang, split) for split in HELD_OUT] for lang in (tgt, src)),
        ]
        for tgt in targets_of(run, recipe, task)
    ]


def shift_input(run: Run, wildcards: Wildcards) -> Files:
    """The files of all cases of shift, each once."""
    cases = shift_cases(run, wildcards)
    files = {file for case in cases for file in [*case[2], *case[3]]}
    return {
        "models": sorted({case[1] for case in cases}),
        "files": sorted(files),
        "train": [labelled_texts(run, wildcards.task, wildcards.src, "train")],
    }


def relative_head_cases(run: Run, wildcards: Wildcards) -> list[list[Any]]:
    """One case per target language and seed: target, seed, found anchors."""
    recipe, task = wildcards.recipe, wildcards.task
    return [
        [tgt, seed, found_anchors(run, recipe, task, f"{tgt}-{run.source}", seed)]
        for tgt, seed in product(targets_of(run, recipe, task), run.seeds_of(recipe))
    ]
