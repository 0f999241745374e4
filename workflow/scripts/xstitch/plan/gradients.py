"""Gradients of alignment losses beside a task's: what is followed, and what each loss is computed on."""

from __future__ import annotations

from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import aligned_file, labelled_texts, parallel_file
from xstitch.plan.chains import chain_folders, chain_name, in_all_chains
from xstitch.plan.encoder_inputs import objective_settings
from xstitch.plan.model_inputs import recipe_encoder
from xstitch.plan.run import Files, Run, Wildcards
from xstitch.plan.training_values import adapting_values

NAMING = ("targets", "wordot", "dcca", "critic")  # keys that name languages and losses


def gradients_file(recipe: str, task: str, src: str, seed: int | str) -> str:
    """The gradients of losses over one fine-tuning."""
    return f"results/gradients/{recipe}/{task}/{src}/seed{seed}.parquet"


def compared_targets(run: Run, wildcards: Wildcards) -> list[str]:
    """The languages that losses align with the source; refuse a run that names none."""
    recipe, task, named = wildcards.recipe, wildcards.task, run.config["gradients"]["targets"]
    if not named:
        raise InputError("config: gradients.targets is empty: name languages of this run")
    targets = [tgt for tgt in run.tasks[task]["targets"] if tgt in named]
    if not targets:
        raise InputError(f"config: gradients.targets: none of them is a target of {task}; name another task")
    if run.recipes[recipe].get("freeze_embeddings") or task in run.recipes[recipe].get("skew", {}):
        raise InputError(
            f"config: recipes.{recipe}: gradients are measured where all weights learn from all texts; "
            "name a recipe without freeze_embeddings and skew"
        )
    return targets


def measuring_input(run: Run, wildcards: Wildcards) -> Files:
    """The encoder and texts of a fine-tuning, and the data of every loss in every target language."""
    task, targets = wildcards.task, compared_targets(run, wildcards)
    wordot, dcca = (run.encoders[run.config["gradients"][loss]] for loss in ("wordot", "dcca"))
    return {
        "encoder": recipe_encoder(run, wildcards),
        "train": labelled_texts(run, task, run.source, "train"),
        "parallel": [parallel_file(wordot["parallel"], tgt) for tgt in targets],
        "aligned": [aligned_file(dcca["alignment"], run.source, tgt) for tgt in targets],
        "texts": [labelled_texts(run, task, tgt, "train") for tgt in targets],
    }


def measured_settings(run: Run, _: Wildcards) -> dict[str, Any]:
    """When gradients are measured, and on how much data."""
    return {key: value for key, value in run.config["gradients"].items() if key not in NAMING}


def wordot_settings(run: Run, _: Wildcards) -> dict[str, Any]:
    """How the encoder whose loss is WordOT's is trained."""
    return objective_settings(run, run.config["gradients"]["wordot"])


def dcca_settings(run: Run, _: Wildcards) -> dict[str, Any]:
    """How the encoder whose loss is DCCA's is trained."""
    return objective_settings(run, run.config["gradients"]["dcca"])


def critic_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """How the recipe whose critic is taken adapts a task's model."""
    recipe = run.config["gradients"]["critic"]
    return adapting_values(recipe, run.recipes[recipe], run.tasks[wildcards.task])


def all_gradients(run: Run, wildcards: Wildcards) -> list[str]:
    """The gradients over the fine-tunings of all seeds, chain by chain."""
    compared_targets(run, wildcards)
    files = [
        gradients_file(wildcards.recipe, wildcards.task, wildcards.src, seed)
        for seed in run.seeds_of(wildcards.recipe)
    ]
    return in_all_chains(run, files)


def followed_runs(run: Run, wildcards: Wildcards) -> list[list[Any]]:
    """The chain and the seed of every file of gradients, in their order."""
    names = [chain_name(folder) for folder in chain_folders(run)]
    return [[name, seed] for name in names for seed in run.seeds_of(wildcards.recipe)]
