"""The model that is recommended for a language: its candidates, and what they are chosen by without labels.

No rule before the choice has labelled texts of the target language among its inputs, except `gather_texts`,
which drops the labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import (
    corpus_file,
    labelled_texts,
    lexicon_file,
    model_of,
    predictions_file,
    scores_file,
    starting_recipe,
    target_vectors,
)
from xstitch.plan.candidates import possible_candidates
from xstitch.plan.cases import recipe_targets
from xstitch.plan.chains import chain_folders, chain_name, in_all_chains
from xstitch.plan.exports import FILES, card_facts
from xstitch.plan.run import Files, Run, Wildcards
from xstitch.plan.tasks import has_test
from xstitch.plan.unlabelled import unlabelled_texts


def choice_file(task: str, src: str, tgt: str) -> str:
    """The candidates of a language, what was measured of them, and which was chosen."""
    return f"results/recommended/{task}/{src}-{tgt}.tsv"


def candidate_minutes(run: Run, wildcards: Wildcards) -> dict[str, float]:
    """The candidates of a language that the budget allows, with the minutes that each may take."""
    return possible_candidates(run, wildcards.task, wildcards.src, wildcards.tgt).minutes


def left_out(run: Run, wildcards: Wildcards) -> dict[str, str]:
    """The recipes of the list that are no candidates of a language, and why."""
    return possible_candidates(run, wildcards.task, wildcards.src, wildcards.tgt).left_out


def choice_input(run: Run, wildcards: Wildcards) -> Files:
    """The candidates' models, unlabelled texts, and what writes source texts in the target's words."""
    task, src, tgt = wildcards.task, wildcards.src, wildcards.tgt
    recipe = _stitched(run, wildcards)
    return {
        "models": candidate_models(run, wildcards),
        "texts": unlabelled_texts(task, tgt),
        "dev": _source_texts(run, task, src),
        "lexicon": lexicon_file(run, run.recipes[recipe]["anchors"], src, tgt),
        "target": target_vectors(run, SimpleNamespace(recipe=recipe, tgt=tgt)),
    }


def candidate_models(run: Run, wildcards: Wildcards) -> list[str]:
    """The folders of the candidates' models."""
    task, src, tgt = wildcards.task, wildcards.src, wildcards.tgt
    names = candidate_minutes(run, wildcards)
    return [model_of(run, name, task, src, tgt, run.seeds_of(name)[0]) for name in names]


def candidate_seeds(run: Run, wildcards: Wildcards) -> dict[str, int]:
    """The seed of each candidate's model: its first one."""
    return {name: run.seeds_of(name)[0] for name in candidate_minutes(run, wildcards)}


def _source_texts(run: Run, task: str, src: str) -> str:
    """Labelled texts of the source: its development texts, or if it has none, those of training."""
    splits = run.tasks[task].get("files", {}).get(src, ("dev",))
    return labelled_texts(run, task, src, "dev" if "dev" in splits else "train")


def _stitched(run: Run, wildcards: Wildcards) -> str:
    """The first candidate that swaps rows in, whose vectors and lexicon stand for all."""
    starts = [starting_recipe(run, name) for name in candidate_minutes(run, wildcards)]
    found = [start for start in starts if "anchors" in run.recipes[start]]
    if not found:
        raise InputError("config: recommend.candidates: none of them has anchors; name one that stitches")
    return found[0]


def scored_input(run: Run, wildcards: Wildcards) -> Files:
    """The choice, the candidates' models, and the labelled test texts of the target."""
    task, src, tgt = wildcards.task, wildcards.src, wildcards.tgt
    return {
        "choice": choice_file(task, src, tgt),
        "models": candidate_models(run, wildcards),
        "test": labelled_texts(run, task, tgt, "test"),
    }


def _measured(run: Run, wildcards: Wildcards) -> Files:
    """What the chosen model scores, if the language has labelled test texts."""
    task, src, tgt = wildcards.task, wildcards.src, wildcards.tgt
    if not has_test(run, task, tgt):
        return {}
    start = f"results/reports/best/{task}/{src}-{tgt}"
    return {"scores": f"{start}.scores.tsv", "predictions": f"{start}.parquet"}


def best_export_input(run: Run, wildcards: Wildcards) -> Files:
    """The choice, the candidates' models and what is known about the chosen one."""
    return {
        "choice": choice_file(wildcards.task, wildcards.src, wildcards.tgt),
        "models": candidate_models(run, wildcards),
        "coverage": _coverage(run, wildcards),
        **_measured(run, wildcards),
    }


def best_facts(run: Run, wildcards: Wildcards) -> dict[str, dict[str, Any]]:
    """What the card says, for each candidate: which one it will be is not known yet."""
    case = {name: getattr(wildcards, name) for name in ("task", "src", "tgt")}
    return {
        name: card_facts(run, SimpleNamespace(recipe=name, seed=run.seeds_of(name)[0], **case))
        for name in candidate_minutes(run, wildcards)
    }


def _coverage(run: Run, wildcards: Wildcards) -> str:
    task, src, tgt = wildcards.task, wildcards.src, wildcards.tgt
    return f"results/reports/{_stitched(run, wildcards)}/{task}/{src}-{tgt}.coverage.tsv"


def best_files() -> dict[str, str]:
    """The files of the folder that the chosen model is exported to, by their roles."""
    return {role: f"results/exported/best/{{task}}/{{src}}-{{tgt}}/{name}" for role, name in FILES.items()}


def best_report_input(run: Run, wildcards: Wildcards) -> Files:
    """The choice, the exported model and its coverage and, with test texts, its scores."""
    task, src, tgt = wildcards.task, wildcards.src, wildcards.tgt
    corpus = _corpus(run, wildcards)
    return {
        "choice": choice_file(task, src, tgt),
        "card": best_files()["card"].format(task=task, src=src, tgt=tgt),
        "coverage": _coverage(run, wildcards),
        **({"corpus": corpus} if corpus else {}),
        **_measured(run, wildcards),
    }


def _corpus(run: Run, wildcards: Wildcards) -> str | None:
    """The corpus of the vectors that are swapped in, if they are trained here."""
    anchors = run.config["anchors"][run.recipes[_stitched(run, wildcards)]["anchors"]]
    corpus = run.config["vectors"][anchors["vectors"]].get("corpus")
    return corpus_file(corpus, wildcards.tgt) if corpus else None


def best_about(run: Run, wildcards: Wildcards) -> dict[str, str]:
    """What the report says about a language before any number."""
    target, source = run.languages[wildcards.tgt], run.languages[wildcards.src]
    return {
        "title": f"A classifier for {target['name']} ({wildcards.tgt})",
        "language": target["name"],
        "code": wildcards.tgt,
        "source_language": source["name"],
        "task": wildcards.task,
        "folder": str(Path(best_files()["card"].format(**_case(wildcards))).parent),
    }


def _case(wildcards: Wildcards) -> dict[str, str]:
    return {name: getattr(wildcards, name) for name in ("task", "src", "tgt")}


def recorded_curves(run: Run) -> list[str]:
    """The tables of curves that are there."""
    return [file for file in run.config["recommend"]["curves"] if Path(file).is_file()]


def judged_targets(run: Run, wildcards: Wildcards) -> list[str]:
    """The languages of a task in which choices can be judged: those with labelled test texts."""
    targets = [tgt for tgt in run.tasks[wildcards.task]["targets"] if has_test(run, wildcards.task, tgt)]
    if not targets:
        raise InputError(f"config: tasks.{wildcards.task}.targets: none has labelled test texts to judge by")
    return targets


def judged_input(run: Run, wildcards: Wildcards) -> Files:
    """The choices for all languages with test texts in all chains, and the scores of all candidates."""
    task, src = wildcards.task, wildcards.src
    targets = judged_targets(run, wildcards)
    names = _candidates_for(run, task, src, targets)
    return {
        "choices": in_all_chains(run, [choice_file(task, src, tgt) for tgt in targets]),
        "scores": in_all_chains(run, [scores_file(name, task, src) for name in names]),
    }


def _candidates_for(run: Run, task: str, src: str, targets: list[str]) -> list[str]:
    """The candidates of any of these languages."""
    cases = [SimpleNamespace(task=task, src=src, tgt=tgt) for tgt in targets]
    return sorted({name for case in cases for name in candidate_minutes(run, case)})


def judged_cases(run: Run, wildcards: Wildcards) -> list[list[str]]:
    """Chain and language of every choice, in the order of the choices' files."""
    return list(_cases(run, wildcards))


def _cases(run: Run, wildcards: Wildcards) -> Iterator[list[str]]:
    for folder in chain_folders(run):
        yield from ([chain_name(folder), tgt] for tgt in judged_targets(run, wildcards))


def taken_seeds(run: Run, wildcards: Wildcards) -> dict[str, int]:
    """The candidates in any language of a recipe, and the seed of the models that a choice is between."""
    targets = recipe_targets(run, wildcards)
    names = _candidates_for(run, wildcards.task, wildcards.src, targets)
    return {name: run.seeds_of(name)[0] for name in names}


def taken_input(run: Run, wildcards: Wildcards) -> Files:
    """The choices for all of a recipe's languages, and the scores and predictions of all candidates."""
    task, src, names = wildcards.task, wildcards.src, taken_seeds(run, wildcards)
    return {
        "choices": [choice_file(task, src, tgt) for tgt in recipe_targets(run, wildcards)],
        "scores": [scores_file(name, task, src) for name in names],
        "predictions": [predictions_file(name, task, src) for name in names],
    }
