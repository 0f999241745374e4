"""`xstitch check`: what files are, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from xstitch.core.errors import InputError

KINDS = ["vectors", "dictionary", "texts", "task"]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--as", "kind", type=click.Choice(KINDS), help="What the files are, if they do not show it.")
def check(files: Iterable[Path], kind: str | None) -> int:
    """Say what FILES are, how much they hold and what is wrong with them.

    Vectors, dictionaries, plain texts and labelled texts (task files) are read as a run reads them, by the
    same code, as streams. A file that a run would refuse gets one error line; the exit code is then 1. No job
    runs.

    \b
    xstitch check my/en-xx.tsv my/vectors.vec.gz my/text.txt my/test.tsv
    xstitch check --as dictionary pairs.txt
    """
    from xstitch.command.file_kinds import described, kind_of

    wrong = 0
    for file in files:
        try:
            for line in described(file, kind or kind_of(file)):
                click.echo(line)
        except InputError as problem:
            wrong = 1
            click.echo(f"error: {problem}", err=True)
    return wrong
