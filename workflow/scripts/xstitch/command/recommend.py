"""`xstitch recommend`: the Snakemake command for the most promising classifier without labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xstitch.command.reproduce import SCALES, require_project, run_snakemake
from xstitch.core.errors import InputError, legal_names

if TYPE_CHECKING:
    from xstitch.plan.candidates import Candidates
    from xstitch.plan.run import Run

CONFIG = Path("config")
REPORT = "results/reports/best/{task}/{src}-{tgt}.html"  # as in workflow/rules/recommend.smk
FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": True})
@click.argument("code")
@click.option("--task", help="What the classifier is to do.  [default: the language's own task, or taxi1500]")
@click.option("--configfile", type=FILE, help="Its configuration.  [default: languages/CODE/CODE.yaml]")
@click.option("--scale", type=click.Choice(SCALES), help="[default: that of the configuration, or real]")
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="Estimated minutes for candidates.")
@click.option("--dry-run", "-n", is_flag=True, help="List the jobs and their reasons; run none.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def recommend(
    code: str,
    task: str | None,
    configfile: Path | None,
    scale: str | None,
    minutes: float | None,
    dry_run: bool,
    options: tuple[str, ...],
) -> None:
    """Make the most promising classifier for the language CODE, without labels in it, and say why.

    It makes models by all recipes that the language's files allow (`recommend.candidates` of the
    configuration), compares them without labels, and writes a report and the chosen model:
    results/reports/best/TASK/SOURCE-CODE.html and results/exported/best/TASK/SOURCE-CODE. The command that
    Snakemake gets is printed, then run; OPTIONS behind -- are passed on.

    \b
    xstitch recommend fo                       after xstitch new-language fo
    xstitch recommend qab --scale mini -n      what would run for a language of the mini world
    xstitch recommend es --minutes 5 -- --cores 8
    """
    require_project()
    file = configfile or _written(code)
    own = _content(file)
    scale = scale or own.get("on", "real")
    given: dict[str, Any] = {"scale": scale, **({"recommend": {"minutes": minutes}} if minutes else {})}
    run, task = _loaded(file, given), task or _own_task(own, code)
    for line in _announced(_candidates(run, task, code)):
        click.echo(line, err=True)
    target = REPORT.format(task=task, src=run.source, tgt=code)
    files = ["--configfile", str(file)] if file else []
    budget = [f"recommend={{minutes: {minutes:g}}}"] if minutes else []
    dry = ["-n"] if dry_run else []
    run_snakemake(["snakemake", target, *dry, *options, *files, "--config", f"scale={scale}", *budget])


def _written(code: str) -> Path | None:
    """The configuration that `xstitch new-language` wrote, if it did."""
    file = Path("languages") / code / f"{code}.yaml"
    return file if file.is_file() else None


def _content(file: Path | None) -> dict[str, Any]:
    import yaml

    if file is None:
        return {}
    if not file.is_file():
        raise InputError(f"{file}: no such file; write it with `xstitch new-language`")
    content = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    return {
        ("on" if key is True else key): value for key, value in content.items()
    }  # YAML 1.1 reads on as true


def _own_task(own: dict[str, Any], code: str) -> str:
    tasks = [name for name, task in own.get("tasks", {}).items() if code in task.get("targets", [])]
    return tasks[0] if tasks else "taxi1500"


def _loaded(file: Path | None, given: dict[str, Any]) -> Run:
    from xstitch.plan.overlays import lay
    from xstitch.plan.run import load_run

    return load_run(lay(CONFIG / "config.yaml", [file] if file else [], given, CONFIG), Path())


def _candidates(run: Run, task: str, code: str) -> Candidates:
    """Find the candidates, or say in one line why there are none."""
    from xstitch.plan.candidates import possible_candidates
    from xstitch.plan.tasks import OF_TEXTS

    languages = [lang for lang in run.config["languages"] if lang != run.source]
    if code not in languages:
        known = legal_names(languages, code)
        raise InputError(f"{code}: not a language of this run ({known}); add it: xstitch new-language {code}")
    tasks = [name for name, entry in run.tasks.items() if entry["kind"] in OF_TEXTS]
    if task not in tasks:
        raise InputError(f"--task {task}: classifies no texts; there are {legal_names(tasks, task)}")
    return possible_candidates(run, task, run.source, code)


def _announced(found: Candidates) -> list[str]:
    lines = [f"not tried: {name}: {reason}" for name, reason in found.left_out.items()]
    minutes = sum(found.minutes.values())
    return [*lines, f"{len(found.minutes)} candidates, about {max(1, round(minutes))} min on a core"]
