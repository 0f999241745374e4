"""Claims of papers: which tables and figures a run judges them by, and what these are like."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.availability import missing_for_table, missing_for_task
from xstitch.plan.figures import measured_input
from xstitch.plan.pages import BETTER, LOWEST
from xstitch.plan.papers import table_number
from xstitch.plan.run import Entry, Files, Run, Wildcards
from xstitch.plan.tables import PUBLISHED_SOURCE
from xstitch.results.claims.numbers import Described
from xstitch.results.claims.recorded import SCALES, verdicts_file
from xstitch.results.claims.records import Claim
from xstitch.results.settings.claims import OfRows, Predicate
from xstitch.results.tables import table_path

TABLE, FIGURE = "Table", "Figure"


def claims_of(paper: Entry) -> list[Claim]:
    """The claims in a paper's file."""
    return [Claim.from_config(name, entry) for name, entry in paper.get("claims", {}).items()]


def sources_of(claim: Claim) -> list[str]:
    """The tables and figures that a claim is about."""
    named = [source for predicate in claim.predicates for source in predicate_sources(predicate)]
    return list(dict.fromkeys(named))


def predicate_sources(predicate: Predicate) -> list[str]:
    """The table or figure that a predicate is about, and the table that it compares with."""
    others = [predicate.over_table] if isinstance(predicate, OfRows) and predicate.over_table else []
    return [predicate.source, *(f"{TABLE} {number}" for number in others)]


def definition(paper: Entry, source: str) -> Entry:
    """A table or figure as its paper's file defines it; nothing if it does not."""
    kind, _, number = source.partition(" ")
    return paper.get("tables" if kind == TABLE else "figures", {}).get(number, {})


def described(spec: Entry) -> Described:
    """What claims must know about a table or figure."""
    measures = spec.get("measures", {})
    lowest = [name for name, measure in measures.items() if BETTER.get(measure["metric"]) == LOWEST]
    averages = [*([spec["average"]] if "average" in spec else []), *spec.get("averages", {})]
    counted = spec.get("whole", 1) is None
    return Described(spec.get("decimals", 2), averages, lowest, counted)


def papers_with_claims(run: Run) -> list[str]:
    """The papers that claims are listed of."""
    return [name for name, paper in run.papers.items() if paper.get("claims")]


def judged_alone(run: Run) -> list[str]:
    """What claims can be judged for: a paper, or one of its tables, as `paper/table2`."""
    tables = {
        f"{name}/{Path(table_path(name, source.removeprefix(f'{TABLE} '))).stem}": None
        for name, paper in run.papers.items()
        for claim in claims_of(paper)
        for source in sources_of(claim)
        if len(sources_of(claim)) == 1 and source.startswith(TABLE)
    }
    return [*papers_with_claims(run), *tables]


def _asked(run: Run, wildcards: Wildcards) -> tuple[str, list[Claim]]:
    """The paper that is asked for, and its claims; if a table is, those about it alone."""
    paper, _, table = wildcards.about.partition("/")
    claims = claims_of(run.papers[paper])
    if table:
        only = [f"{TABLE} {table_number(table)}"]
        claims = [claim for claim in claims if sources_of(claim) == only]
    return paper, claims


def claim_entries(run: Run, wildcards: Wildcards) -> dict[str, Entry]:
    """The claims to be judged, as their paper's file has them."""
    paper, claims = _asked(run, wildcards)
    return {claim.name: run.papers[paper]["claims"][claim.name] for claim in claims}


def _asked_sources(run: Run, wildcards: Wildcards) -> tuple[str, list[str]]:
    paper, claims = _asked(run, wildcards)
    return paper, list(dict.fromkeys(source for claim in claims for source in sources_of(claim)))


def described_sources(run: Run, wildcards: Wildcards) -> dict[str, dict[str, Any]]:
    """What claims must know about their tables and figures."""
    paper, sources = _asked_sources(run, wildcards)
    return {source: asdict(described(definition(run.papers[paper], source))) for source in sources}


def absent_sources(run: Run, wildcards: Wildcards) -> dict[str, str]:
    """The tables and figures that this run cannot make, and what is missing for them."""
    paper, sources = _asked_sources(run, wildcards)
    missing = {source: _missing(run, paper, source) for source in sources}
    return {source: why for source, why in missing.items() if why}


def _missing(run: Run, paper: str, source: str) -> str:
    kind, _, number = source.partition(" ")
    if kind == TABLE:
        return missing_for_table(run, paper, number)
    try:
        measured_input(run, SimpleNamespace(paper=paper, number=number))
    except InputError as problem:
        return str(problem)
    tasks = [panel["task"] for panel in definition(run.papers[paper], source)["panels"]]
    return next(filter(None, (missing_for_task(run, task) for task in tasks)), "")


def judged_sources(run: Run, wildcards: Wildcards, kind: str) -> dict[str, str]:
    """The files of the tables, or figures, that claims are judged by, as far as the run can make them."""
    paper, sources = _asked_sources(run, wildcards)
    absent = absent_sources(run, wildcards)
    return {
        source: _file(paper, source) for source in sources if source.startswith(kind) and source not in absent
    }


def _file(paper: str, source: str) -> str:
    kind, _, number = source.partition(" ")
    if kind == TABLE:
        return table_path(paper, number).replace(".tsv", ".resamples.npz")
    return f"results/figures/{paper}/figure{number}.tsv"


def judged_tables(run: Run, wildcards: Wildcards) -> dict[str, str]:
    """The tables that claims are judged by, with their files."""
    return judged_sources(run, wildcards, TABLE)


def judged_figures(run: Run, wildcards: Wildcards) -> dict[str, str]:
    """The figures that claims are judged by, with their files."""
    return judged_sources(run, wildcards, FIGURE)


def claims_input(run: Run, wildcards: Wildcards) -> Files:
    """The tables and figures that claims are judged by, and the published numbers."""
    return {
        "tables": list(judged_tables(run, wildcards).values()),
        "figures": list(judged_figures(run, wildcards).values()),
    }


def reference_file(_: Run, wildcards: Wildcards) -> str:
    """The published numbers of the paper that is asked for."""
    return f"config/reference/{wildcards.about.partition('/')[0]}.tsv"


def figure_kinds(run: Run, wildcards: Wildcards) -> dict[str, str]:
    """The kinds of the figures that claims are judged by."""
    paper = run.papers[wildcards.about.partition("/")[0]]
    return {source: definition(paper, source)["kind"] for source in judged_figures(run, wildcards)}


def claim_languages(run: Run, wildcards: Wildcards) -> dict[str, Entry]:
    """What patterns of columns stand for, in the paper and in this run."""
    groups = run.papers[wildcards.about.partition("/")[0]].get("groups", {})
    ours = run.config["averages"]
    extended = {name: [*languages, *ours.get(name, [])] for name, languages in groups.items()}
    return {
        "published": {"source": PUBLISHED_SOURCE, "groups": groups},
        "run": {"source": run.source, "groups": extended},
    }


def claims_heading(run: Run, wildcards: Wildcards) -> dict[str, str]:
    """The heading of a page of claims."""
    paper, _, table = wildcards.about.partition("/")
    about = f"Claims about Table {table_number(table)}" if table else "Claims"
    return {"title": about, "paper": run.papers[paper]["title"], "scale": run.config["scale"]}


def all_claims_heading(run: Run) -> dict[str, str]:
    """The heading of the page of all claims."""
    return {"title": "Claims", "paper": "What the five papers say", "scale": run.config["scale"]}


def other_scales(run: Run) -> list[str]:
    """The scales of which verdicts may have been recorded, without that of the run."""
    return [scale for scale in SCALES if scale != run.config["scale"]]


def recorded_files(run: Run) -> list[str]:
    """The verdicts that were recorded at other scales."""
    return [verdicts_file(scale) for scale in other_scales(run)]
