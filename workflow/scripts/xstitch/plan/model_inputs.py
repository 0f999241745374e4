"""Inputs and settings of task models: fine-tuned, stitched, or adapted to an unlabelled language."""

from __future__ import annotations

from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import (
    adapter_folder,
    development_texts,
    encoder_folder,
    finetuned_behind,
    input_table,
    labelled_texts,
    mapped_file,
    model_of,
    sets_part,
    source_model_of,
    starting_recipe,
    stitched_encoder,
    student_of,
    target_vectors,
    texts_read,
    translating_lexicon,
    vectors_file,
)
from xstitch.plan.cases import HELD_OUT, SUPERVISED
from xstitch.plan.references import ADAPTING
from xstitch.plan.run import Files, Run, Wildcards
from xstitch.plan.tasks import task_rows
from xstitch.plan.training_values import adapting_values, finetuning_values
from xstitch.plan.unlabelled import unlabelled_texts


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


def training_languages(run: Run, wildcards: Wildcards) -> list[str]:
    """The languages whose labelled texts a model is fine-tuned on."""
    supervised = run.recipes[wildcards.recipe]["method"] in SUPERVISED
    return wildcards.space.split("-") if supervised else [run.source]


def finetuning_input(run: Run, wildcards: Wildcards) -> Files:
    """The encoder, labelled texts and, if the source side is mapped too, its new embeddings.

    The updates of taggers trained in their own language are scaled to the source's sentences, the reference.
    """
    task, space = wildcards.task, wildcards.space
    supervised = run.recipes[wildcards.recipe]["method"] in SUPERVISED
    languages = training_languages(run, wildcards)
    files: Files = {
        "encoder": recipe_encoder(run, wildcards),
        "train": [labelled_texts(run, task, lang, "train") for lang in languages],
        "dev": [development_texts(task, lang) for lang in languages],
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


def head_input(run: Run, wildcards: Wildcards) -> Files:
    """The encoder that stays as it is, and the source's labelled texts."""
    task, src = wildcards.task, run.source
    return {
        "encoder": recipe_encoder(run, wildcards),
        "train": labelled_texts(run, task, src, "train"),
        "dev": development_texts(task, src),
    }


def head_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """What the head of a frozen encoder is chosen from."""
    return run.recipes[wildcards.recipe].get("head", {})


def standardising_input(run: Run, wildcards: Wildcards) -> Files:
    """A target language's model, unlabelled texts as it reads them, and the model in the source language."""
    recipe, task, src, tgt = wildcards.recipe, wildcards.task, wildcards.src, wildcards.tgt
    base = run.recipes[recipe]["base"]
    return {
        "model": model_of(run, base, task, src, tgt, wildcards.seed),
        "texts": _texts_of_its_own(run, base, task, src, tgt),
        "source_model": source_side(run, base, task, src, tgt, wildcards.seed),
    }


def _texts_of_its_own(run: Run, recipe: str, task: str, src: str, tgt: str) -> str:
    """Unlabelled texts of a language as a recipe's model reads them: glosses, if that is how it reads."""
    if run.recipes[starting_recipe(run, recipe)]["method"] == "gloss":
        return texts_read(run, recipe, task, src, tgt, "train")
    return unlabelled_texts(task, tgt)


def refitting_input(run: Run, wildcards: Wildcards) -> Files:
    """What standardising needs, and the source's labelled texts."""
    train = labelled_texts(run, wildcards.task, wildcards.src, "train")
    return {**standardising_input(run, wildcards), "train": train}


def refit_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """How a recipe refits a head."""
    return run.recipes[wildcards.recipe].get("refit", {})


def source_side(run: Run, recipe: str, task: str, src: str, tgt: str, seed: int | str) -> str:
    """The model that a recipe's head was fitted in: the one behind it, or its own, if it knows the target."""
    behind = finetuned_behind if "base" in run.recipes[recipe] else model_of
    return behind(run, recipe, task, src, tgt, seed)


def translating_input(run: Run, wildcards: Wildcards) -> Files:
    """Texts, a lexicon and the vocabulary whose words are the better translations.

    Glosses are the target's texts in the model's words; training texts are the source's, in words that the
    target's vectors have.
    """
    recipe, src, tgt = wildcards.recipe, wildcards.src, wildcards.tgt
    glossed = is_glossed(run, wildcards)
    vectors = run.recipes[recipe].get("vectors")
    return {
        "texts": labelled_texts(run, wildcards.task, tgt if glossed else src, wildcards.split),
        "lexicon": translating_lexicon(run, recipe, src, tgt),
        "vocabulary": input_table(stitched_encoder(run, recipe)) if glossed else vectors_file(vectors, tgt),
    }


def is_glossed(run: Run, wildcards: Wildcards) -> bool:
    """Whether a recipe translates the target's texts into the source language, rather than the other way."""
    return run.recipes[wildcards.recipe]["method"] == "gloss"


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
    model = model_of(run, run.recipes[recipe]["base"], task, src, tgt, wildcards.seed)
    watched = labelled_texts(run, task, tgt, "dev")
    return {"model": model, **_adapting_data(run, wildcards), "watched": watched}


def _adapting_data(run: Run, wildcards: Wildcards) -> Files:
    """What an adaptation needs besides the model it starts from."""
    recipe, task, src, tgt = wildcards.recipe, wildcards.task, wildcards.src, wildcards.tgt
    files = {
        "source": labelled_texts(run, task, src, "train"),
        "target": labelled_texts(run, task, tgt, "train"),
    }
    if source_model := source_model_of(run, recipe, task, src, tgt, wildcards.seed):
        files["source_model"] = source_model
    if run.recipes[recipe]["method"] == "distill":
        files["student"] = student_of(run, recipe)
    return files | _to_choose_by(run, recipe, task, src)


def _to_choose_by(run: Run, recipe: str, task: str, src: str) -> Files:
    """The source's development texts, if a recipe chooses between candidates."""
    chosen = "candidates" in run.recipes[recipe]
    return {"source_dev": labelled_texts(run, task, src, "dev")} if chosen else {}


def adaptation_stage(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """How a recipe adapts to a task: the keys of xstitch.models.transfer.stages.Stage that are not files."""
    return adapting_values(wildcards.recipe, run.recipes[wildcards.recipe], run.tasks[wildcards.task])


def improvement_input(run: Run, wildcards: Wildcards) -> Files:
    """The inputs for adapting to some target sets with other priors: models, data, and test texts.

    A recipe that builds on an adaptation starts from what that made of the same sets.
    """
    recipe, task, src, tgt = wildcards.recipe, wildcards.task, wildcards.src, wildcards.tgt
    files: Files = {
        "model": model_of(run, starting_recipe(run, recipe), task, src, tgt, wildcards.seed),
        **_adapting_data(run, wildcards),
        "test": [labelled_texts(run, task, tgt, split) for split in HELD_OUT],
    }
    base = run.recipes[recipe]["base"]
    if run.recipes[base]["method"] in ADAPTING:
        earlier = sets_part(base, task, src, tgt, wildcards.seed, wildcards.part)
        files |= {"earlier_models": earlier["models"], "earlier_records": earlier["records"]}
    return files


def improvement_parts(run: Run, wildcards: Wildcards) -> list[str]:
    """The parts of what a recipe gains on all target sets, one per job."""
    case = (wildcards.recipe, wildcards.task, wildcards.src, wildcards.tgt, wildcards.seed)
    samples = _samples(run, wildcards)
    parts = -(-samples["adapted_sets"] // samples.get("adapted_per_job", 1))
    return [sets_part(*case, part)["records"] for part in range(parts)]


def adapted_samples(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The number and size of the target sets to adapt to, and the numbers of those in a job's part."""
    samples = _samples(run, wildcards)
    sets, each = samples["adapted_sets"], samples.get("adapted_per_job", 1)
    first = int(wildcards.part) * each
    if first >= sets:
        raise InputError(
            f"config: tasks.{wildcards.task}.samples: part {wildcards.part} is beyond {sets} adapted_sets; "
            "ask for a lower one, or for the file of all parts"
        )
    return {"sets": sets, "size": samples["adapted_size"], "part": [*range(first, min(first + each, sets))]}


def measured_samples(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The number and size of the target sets to measure shifts on."""
    samples = _samples(run, wildcards)
    return {key: samples[key] for key in ("sets", "size")}


def _samples(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    task = wildcards.task
    if "samples" not in run.tasks[task]:
        raise InputError(f"config: tasks.{task}.samples is missing, but sets with other class priors need it")
    return run.tasks[task]["samples"]
