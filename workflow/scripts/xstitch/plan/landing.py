"""What the report's landing page says about a run: what was run, what to beware of, where it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from xstitch.core.files import read_json
from xstitch.core.tsv import read_records
from xstitch.plan.pages import table_heading
from xstitch.plan.papers import lead_paper
from xstitch.plan.run import Run, Wildcards
from xstitch.plan.stages import stage_costs
from xstitch.plan.tables import asked_number
from xstitch.results.landing import Claims, Fact, Figure, Landing, LeadTable, Origin, Shown
from xstitch.results.pages import Heading, scale_warning
from xstitch.results.shown_tables import comparison_grids

LEAD = "table2"  # of the lead paper
FIGURES, CLAIMS = "Figures", "Claims"  # categories of results
PROVENANCE = Path("results/provenance.json")
FEW_SEEDS = 3  # with fewer, and one chain, how much training varies is hardly known


class ReportedJob(NamedTuple):
    """A job behind a report."""

    rule: str
    wildcards: Wildcards
    output: Sequence[str]
    benchmark: str = ""

    def named(self, wildcard: str) -> str | None:
        """The value of one wildcard, if the job has it."""
        return getattr(self.wildcards, wildcard, None)


class ReportedResult(NamedTuple):
    """A result that a report shows; the caption is HTML."""

    path: str
    category: str
    paper: str = ""
    name: str = ""  # its labels
    title: str = ""
    caption: str = ""


def landing(
    run: Run,
    jobs: Sequence[ReportedJob],
    results: Sequence[ReportedResult],
    rule_files: Mapping[str, str],
    weaknesses: Sequence[str],
) -> Landing:
    """Gather what the landing page of a report shows."""
    origin = table_origin([file for job in jobs for file in job.output], PROVENANCE)
    return Landing(
        lead=lead_table(run, jobs),
        claims=judged_claims(results),
        warnings=[*run_warnings(run, jobs, origin), *weaknesses],
        facts=what_was_run(run, jobs),
        stages=stage_costs(((job.rule, job.benchmark) for job in jobs), rule_files),
        origin=origin,
        shown=grouped(result for result in results if result.category != FIGURES),
        figures=[
            Figure(result.path, _name(result), result.title, result.caption)
            for result in sorted(results)
            if result.category == FIGURES
        ],
    )


def grouped(results: Iterable[ReportedResult]) -> dict[str, list[Shown]]:
    """Group results by category and paper."""
    groups: dict[str, list[Shown]] = {}
    for result in sorted(results, key=lambda result: (result.category, result.paper, _name(result))):
        group = f"{result.category}: {result.paper}" if result.paper else result.category
        groups.setdefault(group, []).append(Shown(result.path, _name(result), result.title))
    return groups


def lead_table(run: Run, jobs: Iterable[ReportedJob]) -> LeadTable | None:
    """The table a report begins with: the lead paper's second or, without it, the first comparison."""
    compared = {job.output[0]: job for job in jobs if any(f.endswith(".compare.tsv") for f in job.output)}
    compared = {file: job for file, job in compared.items() if job.named("paper")}
    wanted = f"results/tables/{lead_paper(run)}/{LEAD}.tsv"
    table = wanted if wanted in compared else min(compared, default=None)
    if table is None:
        return None
    wildcards = compared[table].wildcards
    heading = Heading(**table_heading(run, wildcards))
    grids = comparison_grids(table, table.replace(".tsv", ".compare.tsv"), heading.better)
    return LeadTable(asked_number(run, wildcards), heading, grids, table.replace(".tsv", ".html"))


def judged_claims(results: Iterable[ReportedResult]) -> Claims | None:
    """The claims of a report: those of all papers, or else of as much as there is."""
    pages = [result.path for result in results if result.category == CLAIMS]
    page = min(pages, key=lambda path: (path.count("/"), path), default=None)
    return Claims(page, read_records(Path(page).with_suffix(".tsv"))) if page else None


def what_was_run(run: Run, jobs: Sequence[ReportedJob]) -> list[Fact]:
    """Scale, languages, models, recipes and seeds of the jobs behind a report."""
    known = {**run.listed, **run.languages}
    named = {key: _named(jobs, key) for key in ("tgt", "task", "encoder", "recipe")}
    return [
        fact
        for fact in (
            Fact("scale", [run.config["scale"]]),
            Fact("source language", [_language(known, run.source)]),
            Fact("target languages", [_language(known, lang) for lang in named["tgt"] if lang != run.source]),
            Fact("tasks", named["task"]),
            Fact("encoders", [_encoder(run, name) for name in named["encoder"]]),
            Fact("recipes", named["recipe"]),
            Fact("chains", [str(run.chains)]),
            Fact("seeds", _seeds(run, jobs)),
        )
        if fact.values
    ]


def run_warnings(run: Run, jobs: Sequence[ReportedJob], origin: Origin | None) -> list[str]:
    """What a reader must know before believing numbers."""
    seeds = _seeds(run, jobs)
    found = [scale_warning(run.config["scale"])]
    if 0 < len(seeds) < FEW_SEEDS and run.chains == 1:
        found.append(
            f"Models were trained with {'one seed' if len(seeds) == 1 else f'{len(seeds)} seeds'}: how much "
            "training itself varies is hardly known."
        )
    if origin and origin.dirty:
        found.append("The code differs from its commit.")
    return [line for line in [*found, *_coverage_warnings(jobs)] if line]


def table_origin(tables: Iterable[str], record: Path) -> Origin | None:
    """Where the tables of a report come from, by the record that runs leave; None if there is none."""
    recorded = read_json(record) if record.is_file() else {}
    entries = {table: recorded.get("tables", {}).get(table) for table in tables}
    known = {table: entry for table, entry in entries.items() if entry}
    if not known:
        return None
    environments = recorded["environments"]
    # The last of several environments describes the newest code; the record has them all.
    used = [environments[entry["environment"]] for entry in known.values()]
    data = {name: digest for entry in known.values() for name, digest in entry["data"].items()}
    return Origin(described=used[-1], tables=len(known), data=data, record=record.read_bytes())


def _seeds(run: Run, jobs: Iterable[ReportedJob]) -> list[str]:
    """All seeds that something is drawn with: a frozen model draws nothing, whatever number it has."""
    return _named([job for job in jobs if not _is_frozen(run, job.named("recipe"))], "seed")


def _is_frozen(run: Run, name: str | None) -> bool:
    """Whether a recipe's models start from one that is not fine-tuned."""
    recipe = run.recipes.get(name, {})
    while "base" in recipe:
        recipe = run.recipes[recipe["base"]]
    return recipe.get("method") == "frozen"


def _named(jobs: Iterable[ReportedJob], wildcard: str) -> list[str]:
    """All values of a wildcard, in order."""
    found = {value for job in jobs if (value := job.named(wildcard))}
    return sorted(found, key=lambda value: (not value.isdigit(), int(value) if value.isdigit() else 0, value))


def _language(known: Mapping[str, Any], lang: str) -> str:
    return f"{known[lang]['name']} ({lang})"


def _encoder(run: Run, name: str) -> str:
    """An encoder, with the name of the model that it is a copy of, if it is one."""
    model = run.encoders[name].get("model")
    return f"{name} ({model})" if model and model != name else name


def _coverage_warnings(jobs: Iterable[ReportedJob]) -> list[str]:
    """What the languages of this run lack, by their measured coverage."""
    files = [(job, file) for job in jobs for file in job.output if file.endswith(".coverage.tsv")]
    return [
        f"{job.named('tgt')}: {record['warning']}"
        for job, file in files
        for record in read_records(file)
        if record["warning"]
    ]


def _name(result: ReportedResult) -> str:
    return result.name or Path(result.path).stem
