"""`xstitch new-language`: the configuration and files of one's own language."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xstitch.command.reproduce import SCALES, require_project
from xstitch.core.errors import InputError

if TYPE_CHECKING:
    from xstitch.command.language_files import Given, LanguageFiles

CODE = re.compile("[a-z]{2,8}")
FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("code")
@click.option("--name", help="The language's name; only needed if config/languages.tsv does not list it.")
@click.option("--dictionary", type=FILE, help="Word pairs: source TAB your language [TAB score].")
@click.option("--text", type=FILE, help="Plain text, to train word vectors on.")
@click.option("--vectors", type=FILE, help="Word vectors, instead of text.")
@click.option("--test", type=FILE, help="Labelled texts to evaluate on: id TAB label TAB text.")
@click.option("--task", default="taxi1500", show_default=True, help="What the classifier is to learn.")
@click.option("--train", type=FILE, help="A task of your own: labelled texts in the source language.")
@click.option("--recipe", default="rr-softmax", show_default=True, help="How the model is stitched.")
@click.option("--tokenizer", help="For text without spaces: jieba, fugashi or icu.")
@click.option("--scale", type=click.Choice(SCALES), default="real", show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="Where to put it.  [default: languages/CODE]")
def new_language(code: str, scale: str, folder: Path | None, recipe: str, **given: str | Path | None) -> int:
    """Prepare a run for the language CODE: write its configuration, check its files, say what is missing.

    What is not given is asked for, or expected in the folder: en-CODE.tsv, text.txt. Run it again with added
    files: it keeps the configuration and checks everything anew. At the end it prints the Snakemake
    command that makes the model; it runs no job itself.

    \b
    xstitch new-language fo --name Faroese --dictionary en-fo.tsv --text faroese.txt
    xstitch new-language es --vectors cc.es.300.vec.gz --test spanish_test.tsv
    xstitch new-language xx --name Mine --task complaints --train en_complaints.tsv
    """
    from xstitch.command.language_files import LanguageFiles, next_commands, problems, write_configuration

    require_project()
    if not CODE.fullmatch(code):
        raise InputError(f"{code}: a code has two to eight lower-case letters, such as fo; choose another")
    language = LanguageFiles(code, scale, folder or Path("languages") / code, recipe)
    if language.configuration.exists():
        click.echo(f"{language.configuration}: kept; edit it, or delete it to start anew")
    else:
        write_configuration(language, _asked(language, given))
        click.echo(f"{language.configuration}: written")
    found = list(problems(language, click.echo))
    for line in found:
        click.echo(f"error: {line}", err=True)
    if found:
        click.echo(f"Then run this again: xstitch new-language {code} --scale {scale}", err=True)
        return 1
    click.echo("All files are there. Next:\n")
    for command in next_commands(language):
        click.echo(f"    {command}")
    return 0


def _asked(language: LanguageFiles, given: Given) -> Given:
    """Ask on a terminal for what is not given."""
    if not sys.stdin.isatty():
        return given
    questions = {"dictionary": f"Dictionary ({language.source} TAB {language.code})"}
    if not language.listed:
        questions = {"name": "Name of the language", **questions}
    if not given["vectors"] and not given["text"]:
        questions["text"] = "Plain text in the language"
    questions["test"] = "Labelled test texts (empty: none)"
    answers = {key: given[key] or _answer(question) for key, question in questions.items()}
    return {**given, **answers}


def _answer(question: str) -> str:
    return click.prompt(question, default="", show_default=False)
