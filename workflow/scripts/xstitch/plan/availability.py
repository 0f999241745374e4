"""What cannot be had and why, in words: known before anything runs, as far as nobody need be asked."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from xstitch.core.errors import InputError
from xstitch.plan.cases import targets_of
from xstitch.plan.downloads import RunPlaces, unobtainable
from xstitch.plan.papers import filled_rows, table_definition
from xstitch.plan.run import Entry, Run
from xstitch.results.columns import table_tasks
from xstitch.sources.tasks.readers import load_reader

WITHDRAWN = ("marc", "conll")  # kinds of tasks whose data only a copy of the user's own may bring


def missing_language(run: Run, task: str, lang: str) -> str:
    """Say why a task has no texts of a language: only the mini world speaks it, or it names no treebank."""
    if lang in run.world.languages and not run.config["mirror"]:  # a mirror may hold a copy of it
        return f"tasks.{task}.targets: {lang} is a language of the mini world; name those that you have"
    if lang not in run.tasks[task].get("treebanks", {lang}):
        return f"config: tasks.{task}.treebanks.{lang} is missing: name the language's treebanks"
    return ""


def missing_for_task(run: Run, task: str) -> str:
    """Say why the files of a task cannot be had; empty if they can."""
    entry = run.tasks[task]
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


def moses_zip(run: Run, corpus: str, lang: str) -> str:
    """A corpus of OPUS in a language and the source; the codes are in alphabetical order."""
    return f"{corpus}/moses/{'-'.join(sorted([lang, run.source]))}.txt.zip"


def missing_for_parallel(run: Run, name: str, languages: Iterable[str]) -> str:
    """Say why parallel sentences of some languages cannot be had; empty if they can."""
    parallel = run.config["parallel"][name]
    downloaded = [lang for lang in languages if lang not in parallel.get("files", {})]
    named = [(corpus, lang) for lang in downloaded for corpus in parallel["corpora"].get(lang, [])]
    return _first(unobtainable(run, "opus", moses_zip(run, corpus, lang)) for corpus, lang in named)


def parallel_languages(run: Run, name: str) -> list[str]:
    """The languages with corpora of parallel sentences by which this run aligns an encoder."""
    users = [encoder for encoder in run.encoders.values() if encoder.get("parallel") == name]
    aligned = {lang for encoder in users for lang in encoder["languages"]}
    return [lang for lang in run.config["parallel"][name]["corpora"] if lang in aligned]


def missing_for_relative_heads(run: Run, recipe: str, task: str) -> str:
    """Say why heads of a recipe cannot be trained; empty if they can, and for other recipes."""
    if run.recipes.get(recipe, {}).get("method") != "relative-heads":
        return ""
    languages = [run.source, *targets_of(run, recipe, task)]
    lacking = [lang for lang in languages if lang not in run.recipes[recipe]["encoders"]]
    return f"recipes.{recipe}.encoders has none for {', '.join(lacking)}" if lacking else ""


def missing_for_matches(run: Run, spec: Entry) -> str:
    """Say what a table of matches lacks; empty if nothing."""
    recipe = spec["recipe"]
    if recipe not in run.recipes or recipe in run.left_out:
        return f"the configuration has no recipe {recipe}"
    name = run.recipes[recipe]["encoder"]
    encoder = run.encoders[name]
    if encoder["origin"] != "align":
        return f"recipes.{recipe}.encoder: {name} is aligned by no parallel sentences"
    if not set(spec["of"]) & set(encoder["languages"]):
        return f"encoders.{name}.languages has none of {', '.join(spec['of'])}"
    return missing_for_parallel(run, encoder["parallel"], encoder["languages"])


def missing_for_table(run: Run, paper: str, number: str) -> str:
    """Say what a table lacks to be made; empty if nothing."""
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
    cells = product(tasks, (row["recipe"] for row in rows))
    return _first(_missing_cells(run, recipe, task) for task, recipe in cells) or _first(
        missing_for_task(run, task) for task in tasks
    )


def _missing_cells(run: Run, recipe: str, task: str) -> str:
    if "targets" in run.tasks[task] and not targets_of(run, recipe, task):
        return f"recipes.{recipe}.targets has none of tasks.{task}.targets"
    return missing_for_relative_heads(run, recipe, task)


def _first(problems: Iterable[str]) -> str:
    """The first problem there is; empty if there is none."""
    return next(filter(None, problems), "")
