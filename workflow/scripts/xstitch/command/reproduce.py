"""`xstitch reproduce`: the Snakemake command for a paper's table or figure."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from xstitch.core.errors import InputError, legal_names

SCALES = ["mini", "real", "paper"]


@click.command(
    context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": True},
)
@click.argument("paper")
@click.argument("table")
@click.option("--scale", type=click.Choice(SCALES), default="mini", show_default=True)
@click.option("--dry-run", "-n", is_flag=True, help="List the jobs and their reasons; run none.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def reproduce(paper: str, table: str, scale: str, dry_run: bool, options: tuple[str, ...]) -> None:
    """Make TABLE of PAPER: mosecrot, x2s, iwda, wordot or bootstrap.

    TABLE is a number, a name from config/papers/PAPER.yaml, or a figure such as figure2. The command that
    Snakemake gets is printed, then run; OPTIONS behind -- are passed on.

    \b
    xstitch reproduce mosecrot 2                   on the generated mini world, in minutes
    xstitch reproduce mosecrot 2 --scale paper -n  what the paper's own setting would run
    xstitch reproduce wordot 3 -- --cores 8
    """
    require_project()
    target = target_of(paper, table)
    command = ["snakemake", target, *(["-n"] if dry_run else []), *options]
    run_snakemake([*command, "--config", f"scale={scale}"])


def require_project(folder: Path = Path()) -> None:
    """Refuse to start elsewhere: Snakemake needs the project's rules and configuration."""
    if not (folder / "Snakefile").is_file() or not (folder / "config/papers").is_dir():
        raise InputError(f"{folder.resolve()}: no xstitch project; go to the folder with its Snakefile")


def target_of(paper: str, table: str, papers: Path = Path("config/papers")) -> str:
    """The file that a paper's table or figure is made as; refuse what is not defined, naming what is."""
    import yaml

    from xstitch.results.tables import table_path

    known = sorted(file.stem for file in papers.glob("*.yaml"))
    if paper not in known:
        raise InputError(f"{paper}: no such paper; there are {', '.join(known)}")
    content = yaml.safe_load((papers / f"{paper}.yaml").read_text(encoding="utf-8"))
    tables, figures = ([*map(str, content.get(part, {}))] for part in ("tables", "figures"))
    if (figure := table.removeprefix("figure")) != table and figure in figures:
        return f"results/figures/{paper}/figure{figure}.svg"
    number = table.removeprefix("table")
    if number not in tables:
        names = [*tables, *(f"figure{figure}" for figure in figures)]
        raise InputError(f"{paper} {table}: no such table; there are {legal_names(names, table)}")
    return table_path(paper, number)


def run_snakemake(command: list[str]) -> None:
    """Print a command, then become it."""
    click.echo(f"$ {shlex.join(command)}", err=True)
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", *command])
