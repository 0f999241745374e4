"""What is unavailable and why, in words: as far as it is known before anything runs, without the network."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from xstitch.core.errors import InputError
from xstitch.plan.cases import NO_TARGETS, targets_of
from xstitch.plan.downloads import RunPlaces, unobtainable
from xstitch.plan.given import given_path
from xstitch.plan.papers import filled_rows, has_scores, table_definition
from xstitch.plan.run import Entry, Run
from xstitch.results.columns import table_tasks
from xstitch.sources.fetch.model_folders import model_folder
from xstitch.sources.tasks.readers import load_reader

WITHDRAWN = ("marc", "conll")  # kinds of tasks whose data can only come from the user's own copy


def missing_language(run: Run, task: str, lang: str) -> str:
    """Say why a task has no texts in a language: it exists only in the mini world, or has no treebank."""
    if lang in run.world.languages and not run.config["mirror"]:  # a mirror may have a copy of it
        return f"tasks.{task}.targets: {lang} is a language of the mini world; name languages that you have"
    if lang not in run.tasks[task].get("treebanks", {lang}):
        return f"config: tasks.{task}.treebanks.{lang} is missing: name the language's treebanks"
    return ""


def missing_for_task(run: Run, task: str) -> str:
    """Say why the files of a task are unavailable; empty if they are available."""
    entry = run.tasks[task]
    if entry.get("targets") == []:
        return NO_TARGETS.format(task)
    if problem := _first(_missing_space(run, space) for space in entry.get("spaces", [])):
        return problem
    given = entry.get("files", {})
    languages = [lang for lang in [run.source, *entry.get("targets", [])] if lang not in given]
    if problem := _first(missing_language(run, task, lang) for lang in languages):
        return problem
    return _first(_missing_files(run, entry, lang) for lang in languages)


def _missing_files(run: Run, task: Entry, lang: str) -> str:
    if task["kind"] not in WITHDRAWN:
        return ""
    try:
        load_reader(task["kind"]).files(lang, task, RunPlaces(run))
    except InputError as problem:
        return str(problem)
    return ""


def _missing_space(run: Run, space: Entry) -> str:
    """Say which vectors or model of a space the user still has to provide; empty if none."""
    try:
        if "vectors" in space:
            files = run.config["vectors"][space["vectors"]].get("files", {})
            if run.source in files:
                given_path(files[run.source], f"vectors.{space['vectors']}.files.{run.source}")
        elif "folder" in (encoder := run.encoders[space["encoder"]]):
            model_folder(encoder, f"encoders.{space['encoder']}")
    except InputError as problem:
        return str(problem)
    return ""


def moses_zip(run: Run, corpus: str, lang: str) -> str:
    """The zip of an OPUS corpus in a language and the source; it has their codes in alphabetical order."""
    return f"{corpus}/moses/{'-'.join(sorted([lang, run.source]))}.txt.zip"


def missing_for_parallel(run: Run, name: str, languages: Iterable[str]) -> str:
    """Say why parallel sentences of some languages are unavailable; empty if they are available."""
    parallel = run.config["parallel"][name]
    downloaded = [lang for lang in languages if lang not in parallel.get("files", {})]
    named = [(corpus, lang) for lang in downloaded for corpus in parallel["corpora"].get(lang, [])]
    return _first(unobtainable(run, "opus", moses_zip(run, corpus, lang)) for corpus, lang in named)


def parallel_languages(run: Run, name: str) -> list[str]:
    """The languages whose parallel sentences this run aligns an encoder with."""
    users = [encoder for encoder in run.encoders.values() if encoder.get("parallel") == name]
    aligned = {lang for encoder in users for lang in encoder["languages"]}
    return [lang for lang in run.config["parallel"][name]["corpora"] if lang in aligned]


def missing_for_relative_heads(run: Run, recipe: str, task: str) -> str:
    """Say why a recipe's relative heads cannot be trained; empty if they can, or if it has none."""
    if run.recipes.get(recipe, {}).get("method") != "relative-heads":
        return ""
    languages = [run.source, *targets_of(run, recipe, task)]
    lacking = [lang for lang in languages if lang not in run.recipes[recipe]["encoders"]]
    return f"recipes.{recipe}.encoders names none for {', '.join(lacking)}" if lacking else ""


def missing_for_matches(run: Run, spec: Entry) -> str:
    """Say what is missing for a table of matches; empty if nothing."""
    recipe = spec["recipe"]
    if recipe not in run.recipes or recipe in run.left_out:
        return f"the configuration has no recipe {recipe}"
    name = run.recipes[recipe]["encoder"]
    encoder = run.encoders[name]
    if encoder["origin"] != "align":
        return f"recipes.{recipe}.encoder: {name} is not aligned with parallel sentences"
    if not set(spec["of"]) & set(encoder["languages"]):
        return f"encoders.{name}.languages includes none of {', '.join(spec['of'])}"
    return missing_for_parallel(run, encoder["parallel"], encoder["languages"])


def missing_for_table(run: Run, paper: str, number: str) -> str:
    """Say what is missing to make a table; empty if nothing."""
    spec = table_definition(run, paper, number)
    kind = spec.get("kind")
    if kind == "languages":
        return ""
    if kind == "matches":
        return missing_for_matches(run, spec)
    if kind == "parallel":
        return missing_for_parallel(run, spec["parallel"], parallel_languages(run, spec["parallel"]))
    return _missing_for_scores(run, spec)


def _missing_for_scores(run: Run, spec: Entry) -> str:
    rows, tasks = filled_rows(run, spec), table_tasks(spec)
    measured = {*run.recipes, *run.config["alignments"]}
    lacking = [f"task {task}" for task in tasks if task not in run.tasks]
    lacking += [f"recipe {row['recipe']}" for row in rows if row["recipe"] not in measured]
    if lacking:
        return f"the configuration has no {', '.join(lacking)}"
    if not rows:
        return "the configuration leaves out all of its rows (without)"
    cells = [(task, row["recipe"]) for task, row in product(tasks, rows) if has_scores(row, task)]
    return _first(_missing_cells(run, recipe, task) for task, recipe in cells) or _first(
        missing_for_task(run, task) for task in tasks
    )


def _missing_cells(run: Run, recipe: str, task: str) -> str:
    if run.tasks[task].get("targets") and not targets_of(run, recipe, task):
        section = "recipes" if recipe in run.recipes else "alignments"
        return f"{section}.{recipe}.targets includes none of tasks.{task}.targets"
    return missing_for_relative_heads(run, recipe, task)


def _first(problems: Iterable[str]) -> str:
    """The first problem; empty if there is none."""
    return next(filter(None, problems), "")
