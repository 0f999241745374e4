"""Inputs of alignments, anchors and mappings, and of their evaluations."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import (
    aligned_file,
    anchors_file,
    encoded_texts,
    encoder_folder,
    found_anchors,
    input_table,
    labelled_texts,
    lexicon_file,
    parallel_texts,
    space_names,
    space_vectors,
    stitched_encoder,
    target_vectors,
    vectors_file,
)
from xstitch.plan.availability import missing_for_relative_heads
from xstitch.plan.cases import relative_head_cases, targets_of, task_targets
from xstitch.plan.downloads import resource, unpacked
from xstitch.plan.run import Files, Run, Wildcards

# Texts and images are matched by id; none is left out, as words can be.
ANY_ID = {"skip": 0, "letters": 0, "alphabetic": False, "size": None}


def alignment_input(run: Run, wildcards: Wildcards) -> Files:
    """Both spaces, the dictionary if the method needs one, and the lexicon whose accuracy is logged."""
    alignment, pair = run.config["alignments"][wildcards.alignment], f"{wildcards.src}-{wildcards.tgt}"
    files = {
        "source": vectors_file(alignment["vectors"], wildcards.src),
        "target": vectors_file(alignment["vectors"], wildcards.tgt),
    }
    dictionary = alignment.get("dictionary")
    if dictionary in run.config["alignments"]:
        files["dictionary"] = f"results/aligned/{dictionary}/{pair}.dictionary.parquet"
    elif dictionary:
        files["dictionary"] = f"results/lexica/{dictionary}/{pair}.parquet"
    if "validation" in alignment:
        files["validation"] = f"results/lexica/{alignment['validation']}/{pair}.parquet"
    return files


def alignment_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """The keys of an alignment that say how it is made; its languages are wildcards."""
    alignment = run.config["alignments"][wildcards.alignment]
    return {key: value for key, value in alignment.items() if key != "targets"}


def _aligned_input(run: Run, wildcards: Wildcards, task: str) -> Files:
    """The words and the aligned matrices of every target language of a task."""
    vectors = run.config["alignments"][wildcards.alignment]["vectors"]
    targets = _measured_targets(run, wildcards, task)
    return {
        "source": vectors_file(vectors, wildcards.src),
        "targets": [vectors_file(vectors, tgt) for tgt in targets],
        "aligned": [aligned_file(wildcards.alignment, wildcards.src, tgt) for tgt in targets],
    }


def _measured_targets(run: Run, wildcards: Wildcards, task: str) -> list[str]:
    """The target languages of a task that an alignment has; refuse a task without any."""
    task_targets(run, task)
    return targets_of(run, wildcards.alignment, task)


def translation_targets(run: Run, wildcards: Wildcards) -> list[str]:
    """The languages that words are translated into and from."""
    return _measured_targets(run, wildcards, "bli")


def translation_input(run: Run, wildcards: Wildcards) -> Files:
    """Aligned vectors and MUSE's test dictionaries, from the source language and to it."""
    src, targets = wildcards.src, translation_targets(run, wildcards)
    return {
        **_aligned_input(run, wildcards, "bli"),
        "forth": [resource(run, "muse", f"{src}-{tgt}.5000-6500.txt") for tgt in targets],
        "back": [resource(run, "muse", f"{tgt}-{src}.5000-6500.txt") for tgt in targets],
    }


def similarity_targets(run: Run, wildcards: Wildcards) -> list[str]:
    """The languages, other than the source, that have graded word similarities."""
    return _measured_targets(run, wildcards, "similarity")


def similarity_languages(run: Run, wildcards: Wildcards) -> list[list[str]]:
    """The languages of every file of graded pairs: one twice, the source and a target, or two targets."""
    source, targets = run.source, similarity_targets(run, wildcards)
    within = [[lang, lang] for lang in [source, *targets]]
    return within + [[source, tgt] for tgt in targets] + [list(two) for two in combinations(targets, 2)]


def _similarity_file(run: Run, first: str, second: str, part: str, ending: str) -> str:
    """A file of SemEval-2017 Task 2; its name has two languages in the order of the task's targets."""
    within = first == second
    folder = f"subtask1-monolingual/{part}" if within else f"subtask2-crosslingual/{part}"
    name = first if within else f"{first}-{second}"
    return unpacked(run, "semeval2017", f"SemEval17-Task2/test/{folder}/{name}.test.{ending}.txt")


def similarity_input(run: Run, wildcards: Wildcards) -> Files:
    """Aligned vectors and graded word pairs."""
    languages = similarity_languages(run, wildcards)
    return {
        **_aligned_input(run, wildcards, "similarity"),
        "pairs": [_similarity_file(run, *two, "data", "data") for two in languages],
        "gold": [_similarity_file(run, *two, "keys", "gold") for two in languages],
    }


def anchors_input(run: Run, wildcards: Wildcards) -> Files:
    """The lexicon and both vocabularies that a pair's anchors come from."""
    vectors = run.config["anchors"][wildcards.anchors]["vectors"]
    return {
        "lexicon": lexicon_file(run, wildcards.anchors, wildcards.src, wildcards.tgt),
        "source": input_table(wildcards.encoder),
        "encoder": encoder_folder(wildcards.encoder),
        "target": vectors_file(vectors, wildcards.tgt),
    }


def counted_targets(run: Run, wildcards: Wildcards) -> list[str]:
    """The languages whose anchors are counted."""
    return targets_of(run, wildcards.recipe, "anchors")


def counted_anchors(run: Run, wildcards: Wildcards) -> list[str]:
    """The anchors of a recipe to count, one file per target language."""
    targets = counted_targets(run, wildcards)
    return [anchors_file(run, wildcards.recipe, wildcards.src, tgt) for tgt in targets]


def judged_targets(run: Run, wildcards: Wildcards) -> list[str]:
    """The languages whose found pairs are judged."""
    return targets_of(run, wildcards.recipe, wildcards.task)


def judged_lexica(run: Run, wildcards: Wildcards) -> Files:
    """The lexicon that a recipe's anchors were found for, and the one that judges it, for every target."""
    anchors, judge = run.recipes[wildcards.recipe]["anchors"], run.tasks[wildcards.task]["lexicon"]
    found_search(run, wildcards)
    targets = judged_targets(run, wildcards)
    return {
        "found": [lexicon_file(run, anchors, wildcards.src, tgt) for tgt in targets],
        "judges": [f"results/lexica/{judge}/{wildcards.src}-{tgt}.parquet" for tgt in targets],
    }


def found_search(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """How the pairs of a recipe's anchors are searched for; refuse anchors of a lexicon that is not."""
    anchors = run.recipes[wildcards.recipe]["anchors"]
    lexicon = run.config["anchors"][anchors].get("lexicon", "")
    if run.config["lexica"].get(lexicon, {}).get("kind") != "bootstrap":
        raise InputError(
            f"config: anchors.{anchors}: {wildcards.recipe} takes its anchors from a lexicon that is not "
            "searched for; name one whose kind is bootstrap"
        )
    return run.config["lexica"][lexicon]["search"]


def judged_seeds(run: Run, wildcards: Wildcards) -> int | None:
    """The number of known pairs, which are not judged."""
    return found_search(run, wildcards)["seeds"]


def mapping_input(run: Run, wildcards: Wildcards) -> Files:
    """Both spaces and what a recipe maps them with: anchors, aligned vectors, a lexicon."""
    encoder, recipe = stitched_encoder(run, wildcards.recipe), run.recipes[wildcards.recipe]
    files = {
        "source": input_table(encoder),
        "encoder": encoder_folder(encoder),
        "target": target_vectors(run, wildcards),
        "anchors": anchors_file(run, wildcards.recipe, wildcards.src, wildcards.tgt),
    }
    if alignment := recipe["mapping"].get("alignment"):
        files["aligned"] = aligned_file(alignment, wildcards.src, wildcards.tgt)
    if recipe["mapping"].get("kind") == "dictionary":
        files["lexicon"] = lexicon_file(run, recipe["anchors"], wildcards.src, wildcards.tgt)
    return files


def seeded_input(run: Run, wildcards: Wildcards) -> Files:
    """The two spaces in which anchors are searched for: a task's own, or those of parallel texts."""
    if run.tasks[wildcards.task]["kind"] == "spaces":
        return task_spaces(run, wildcards.task)
    languages = dict(zip(("source", "target"), wildcards.pair.split("-"), strict=True))
    files = {side: parallel_texts(run, wildcards.recipe, lang) for side, lang in languages.items()}
    if not searched_texts(run, wildcards):
        return files
    encoders = run.recipes[wildcards.recipe]["encoders"]
    own = {
        f"{side}_texts": encoded_texts(encoders[lang], wildcards.task, lang)["train"]
        for side, lang in languages.items()
    }
    return {**files, **own}


def searched_texts(run: Run, wildcards: Wildcards) -> int:
    """How many of a task's own texts anchors are searched for among; 0: they are among the parallel ones."""
    return run.recipes[wildcards.recipe].get("searched_texts") or 0


def task_spaces(run: Run, task: str) -> Files:
    """The vectors of a task's two spaces."""
    source, target = run.tasks[task]["spaces"]
    return {"source": [space_vectors(run, source)], "target": [space_vectors(run, target)]}


def retrieval_input(run: Run, wildcards: Wildcards) -> Files:
    """Two spaces, and the anchors that a recipe found for every seed."""
    recipe, task = wildcards.recipe, wildcards.task
    pair = "-".join(space_names(run, task))
    files = [found_anchors(run, recipe, task, pair, seed) for seed in run.seeds_of(recipe)]
    return {**task_spaces(run, task), "found_anchors": [file for file in files if file]}


def retrieval_names(run: Run, wildcards: Wildcards) -> list[str]:
    """The names of the two spaces that are searched."""
    return space_names(run, wildcards.task)


def compared_words(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """Which words of both spaces are compared."""
    return run.tasks[wildcards.task].get("words", ANY_ID)


def is_exchanged(run: Run, wildcards: Wildcards) -> bool:
    """Whether the two spaces swap roles after words and anchors were chosen."""
    return run.tasks[wildcards.task].get("exchanged", False)


def retrieval_seeds(run: Run, wildcards: Wildcards) -> list[int]:
    """The seeds that a recipe is measured with."""
    return run.seeds_of(wildcards.recipe)


def search_settings(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """How the recipes of a table's columns search for anchors, and how many times, by column."""
    recipes = run.tasks[wildcards.task]["recipes"]
    return {
        column: {**run.recipes[recipe]["search"], "runs": len(run.seeds_of(recipe))}
        for column, recipe in recipes.items()
    }


def relative_head_files(run: Run, wildcards: Wildcards) -> dict[str, Files]:
    """By language: vectors of parallel texts, and vectors and labels of the task's texts."""
    recipe, task = wildcards.recipe, wildcards.task
    if problem := missing_for_relative_heads(run, recipe, task):
        raise InputError(f"config: {problem}")
    languages = [run.source, *targets_of(run, recipe, task)]
    return {lang: _relative_head_files(run, recipe, task, lang) for lang in languages}


def _relative_head_files(run: Run, recipe: str, task: str, lang: str) -> Files:
    vectors = encoded_texts(run.recipes[recipe]["encoders"][lang], task, lang)
    splits = {split: [vectors[split], labelled_texts(run, task, lang, split)] for split in ("train", "test")}
    return {"parallel": parallel_texts(run, recipe, lang), "splits": splits}


def relative_heads_input(run: Run, wildcards: Wildcards) -> Files:
    """All files that the heads of a recipe need."""
    files = relative_head_files(run, wildcards).values()
    return {
        "parallel": [file for entry in files for file in entry["parallel"]],
        "splits": [file for entry in files for pair in entry["splits"].values() for file in pair],
        "found_anchors": [file for _, _, file in relative_head_cases(run, wildcards) if file],
    }
