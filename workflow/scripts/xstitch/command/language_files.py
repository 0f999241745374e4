"""The files of one's own language: the configuration that names them, and what is missing or wrong."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from xstitch.command.file_kinds import described, has_tabs, require_file
from xstitch.command.reading import text_lines
from xstitch.core.errors import InputError, legal_names
from xstitch.core.files import whole_file
from xstitch.plan.exports import exported_files
from xstitch.plan.overlays import lay
from xstitch.plan.run import Run, load_run
from xstitch.plan.settings import load_languages
from xstitch.sources.lexica import read_muse

CONFIG = Path("config")
MAIN = CONFIG / "config.yaml"
REPORT = "results/reports/{recipe}/{task}/{src}-{tgt}.html"  # as in workflow/rules/reports.smk
LIMIT = 200_000  # rows of vectors: rarer words have poor ones and make the model large
LENGTH = 128  # tokens of a text, in tasks of one's own
CONTENT = {
    "dictionary": "word pairs: source TAB target, optionally TAB score",
    "texts": "plain UTF-8 text: a paragraph on a line, a blank line between documents",
    "vectors": "word vectors of fastText, word2vec, GloVe or gensim",
    "task": "labelled texts: id TAB label TAB text",
}
Given = Mapping[str, Any]


@dataclass(frozen=True)
class LanguageFiles:
    """A language to be added at a scale, the folder of its files, and how its model is to be made."""

    code: str
    scale: str
    folder: Path
    recipe: str = "rr-softmax"

    @property
    def configuration(self) -> Path:
        """The file that a run reads."""
        return self.folder / f"{self.code}.yaml"

    @cached_property
    def shipped(self) -> Run:
        """The run at this scale without the language."""
        return load_run(lay(MAIN, [], {"scale": self.scale}, CONFIG), Path())

    @property
    def source(self) -> str:
        """The language of the model that it is stitched to."""
        return self.shipped.source

    @property
    def listed(self) -> bool:
        """Whether the project knows the language, and its name."""
        return self.code in load_languages(CONFIG / "languages.tsv")

    @property
    def dictionary(self) -> str:
        """The name that the dictionary must have."""
        return f"{self.source}-{self.code}.tsv"


def write_configuration(language: LanguageFiles, given: Given) -> None:
    """Write the configuration of a language; refuse what is given and not there, or does not fit."""
    for key in ("dictionary", "text", "vectors", "test", "train"):
        if given.get(key):
            require_file(Path(given[key]))
    _refuse(language, given)
    language.folder.mkdir(parents=True, exist_ok=True)
    content = {
        "on": language.scale,
        "seeds": [1],
        "languages": {language.code: _own_language(given)},
        "lexica": {
            "own": {"kind": "tsv", "folder": str(_dictionary_folder(language, given.get("dictionary")))}
        },
        **_vectors(language, given),
        "tasks": {given["task"]: _task(language, given)},
    }
    head = "# Your own language (docs/own-language.md), made and used with:\n"
    commands = "".join(f"#   {command}\n" for command in commands_for(language, given["task"]))
    with whole_file(language.configuration) as partial:
        text = yaml.safe_dump(
            content, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100
        )
        partial.write_text(
            head + commands + text.removeprefix("'").replace("on':", "on:", 1), encoding="utf-8"
        )


def _refuse(language: LanguageFiles, given: Given) -> None:
    if language.code == language.source:
        raise InputError(f"{language.code}: is the source language at scale {language.scale}; choose another")
    if not language.listed and not given.get("name"):
        raise InputError(f"{language.code}: not in config/languages.tsv: add --name, the language's name")
    if given.get("text") and given.get("vectors"):
        raise InputError("--text, --vectors: only one of them is used; leave one out")
    recipes = [name for name, entry in language.shipped.recipes.items() if entry["method"] == "stitch"]
    if language.recipe not in recipes:
        raise InputError(
            f"--recipe {language.recipe}: does not stitch; choose of {legal_names(recipes, language.recipe)}"
        )
    tasks = [name for name, entry in language.shipped.tasks.items() if "max_length" in entry]
    if given["task"] not in tasks and not given.get("train"):
        known = legal_names(tasks, given["task"])
        raise InputError(f"--task {given['task']}: there are {known}; one of your own needs --train")


def _own_language(given: Given) -> dict[str, str]:
    described = {key: given[key] for key in ("name", "tokenizer") if given.get(key)}
    return {**described, "lexicon": "own"}


def _dictionary_folder(language: LanguageFiles, dictionary: str | Path | None) -> Path:
    """The folder of the dictionary; one with another name is copied, since runs find it by its name.

    A dictionary with spaces between words, as MUSE's, gets tabs.
    """
    if dictionary and Path(dictionary).name == language.dictionary:
        return Path(dictionary).parent
    if dictionary:
        with whole_file(language.folder / language.dictionary) as partial:
            if has_tabs(Path(dictionary)):
                shutil.copyfile(dictionary, partial)
            else:
                pairs = (f"{entry.source}\t{entry.target}\n" for entry in read_muse(dictionary))
                partial.write_text("".join(pairs), encoding="utf-8")
    return language.folder


def _vectors(language: LanguageFiles, given: Given) -> dict[str, Any]:
    """Imported vectors, or text to train them on."""
    code, default = language.code, language.folder / "text.txt"
    if given.get("vectors"):
        own = {"origin": "import", "files": {code: str(given["vectors"])}, "limit": LIMIT}
        return {"vectors": {"own": own}, "anchors": {"full": {"vectors": "own"}}}
    files = {"files": {code: str(given.get("text") or default)}}
    return {"corpora": {"cc100": files}, "anchors": {"full": {"vectors": "fasttext"}}}


def _task(language: LanguageFiles, given: Given) -> dict[str, Any]:
    """The task's part: targets, the files that are given and, for a task of one's own, its labels."""
    files: dict[str, dict[str, str]] = {}
    own: dict[str, Any] = {}
    if train := given.get("train"):
        lines = (line.split("\t") for _, line in text_lines(Path(train)))
        labels = {fields[1].strip(): None for fields in lines if len(fields) == 3}
        labels.pop("label", None)  # of a header
        own = {"kind": "tsv", "labels": list(labels), "max_length": LENGTH}
        files[language.source] = {"train": str(train)}
    if test := given.get("test"):
        files[language.code] = {"test": str(test)}
    return {**own, "targets": [language.code], **({"files": files} if files else {})}


def problems(language: LanguageFiles, say: Callable[[str], None]) -> Iterator[str]:
    """Check the configuration and the files that it names: say what each is, yield what is wrong."""
    try:
        run = load_run(lay(MAIN, [language.configuration], {"scale": language.scale}, CONFIG), Path())
    except InputError as problem:
        yield str(problem)
        return
    for kind, file in named_files(language, run):
        if "://" in file:
            say(f"{file}: is downloaded by the run")
            continue
        if not Path(file).exists():
            yield f"{file}: missing; it is to have {CONTENT[kind]}"
            continue
        try:
            for line in described(Path(file), kind):
                say(line)
        except InputError as problem:
            yield str(problem)


def named_files(language: LanguageFiles, run: Run) -> Iterator[tuple[str, str]]:
    """The files of a language that its configuration names, with their kinds."""
    own = yaml.safe_load(language.configuration.read_text(encoding="utf-8"))
    for lexicon in own.get("lexica", {}).values():
        if lexicon.get("kind") == "tsv":
            yield "dictionary", f"{lexicon['folder']}/{run.source}-{language.code}.tsv"
    for section, kind in (("corpora", "texts"), ("vectors", "vectors")):
        for entry in own.get(section, {}).values():
            if file := entry.get("files", {}).get(language.code):
                yield kind, file
    for task in own.get("tasks", {}).values():
        for splits in task.get("files", {}).values():
            yield from (("task", file) for file in splits.values())


def next_commands(language: LanguageFiles) -> list[str]:
    """The commands that make the report and the model, and use it."""
    own = yaml.safe_load(language.configuration.read_text(encoding="utf-8"))
    tasks = [name for name, task in own.get("tasks", {}).items() if language.code in task.get("targets", [])]
    if not tasks:
        raise InputError(f"{language.configuration}: no task has {language.code} among its targets; add it")
    return commands_for(language, tasks[0])


def commands_for(language: LanguageFiles, task: str) -> list[str]:
    """The commands for one task."""
    case = {"recipe": language.recipe, "task": task, "src": language.source, "tgt": language.code}
    card = exported_files()["card"].format(**case, seed=1)
    model, targets = str(Path(card).parent), [REPORT.format(**case), card]
    options = ["--configfile", str(language.configuration), "--config", f"scale={language.scale}"]
    return [shlex.join(["snakemake", *targets, *options]), f"xstitch classify {model} TEXTS"]
