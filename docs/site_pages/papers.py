"""What the site shows of a paper: tables with the published numbers, figures, claims, sources of settings.

All of it is read from config/papers, config/reference and the planner, when the site is built.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from site_pages.markdown import code, plain, table
from xstitch.core.tsv import read_records
from xstitch.plan.availability import missing_for_table
from xstitch.plan.overlays import lay
from xstitch.plan.papers import all_tables, quoted, shown_rows
from xstitch.plan.run import Entry, Run, load_papers, load_run
from xstitch.results.ledger import CLASSES, LEDGER_SUFFIX, Setting, read_ledger
from xstitch.results.tables import table_path

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "config"
SCALES = ("mini", "real", "paper")
YES, OWN_FILES, NOT_SET_UP = "yes", "with files of your own", "not set up"
UNSET = (
    "targets is empty",
    "has no recipe",
    "has no task",
)  # what a reason says if a scale does not run a table
CLASS_TITLES = {
    "departed": "Knowingly different from the paper",
    "chosen": "Chosen by us, because paper and programs are silent",
    "code": "From the authors' programs or works that the paper cites",
    "published": "From the paper",
}


def all_papers() -> str:
    """How many tables and figures of every paper there are, and how many each scale can make."""
    rows = []
    for paper, content in _papers().items():
        made = [sum(not _missing(scale, paper, number) for number in content["tables"]) for scale in SCALES]
        figures = len(content.get("figures", {}))
        link = f"[{paper}]({paper}.md)"
        rows.append(
            (link, plain(content["title"]), str(len(content["tables"])), str(figures), *map(str, made))
        )
    header = ("paper", "title", "tables", "figures", *(f"tables at {scale}" for scale in SCALES))
    return table(header, rows)


def scales_of(paper: str) -> str:
    """Which scale can make the tables of a paper, and what has to be brought for the others."""
    overview = [
        (_name(number), plain(spec["title"]), *(_here(scale, paper, number) for scale in SCALES))
        for number, spec in _papers()[paper]["tables"].items()
    ]
    text = table(("table", "shows", *SCALES), overview)
    if needed := _files_to_bring(paper):
        text += "Files that only you can bring, as a run at scale `paper` asks for them:\n\n"
        text += "".join(f"- {plain(line)}\n" for line in needed)
    return text


def tables_of(paper: str) -> str:
    """The tables of a paper, each with the command that makes it and the published numbers."""
    tables = _papers()[paper]["tables"]
    return "".join(_one_table(paper, number, spec) for number, spec in tables.items())


def figures_of(paper: str) -> str:
    """The figures of a paper, and our curves and comparisons of recipes with intervals."""
    content = _papers()[paper]
    rows = [
        (f"Figure {number}", plain(spec["title"]), code(f"results/figures/{paper}/figure{number}.svg"))
        for number, spec in content.get("figures", {}).items()
    ]
    rows += [
        (name, plain(spec["title"]), code(f"results/figures/{paper}/{name}.svg"))
        for name, spec in content.get("curves", {}).items()
    ]
    rows += [
        (name, plain(spec["title"]), code(f"results/tables/{paper}/{name}.tsv"))
        for name, spec in content.get("comparisons", {}).items()
    ]
    return table(("what", "shows", "target"), rows) if rows else "None.\n"


def claims_of(paper: str) -> str:
    """What a paper claims, and where."""
    claims = _papers()[paper].get("claims", {})
    if not claims:
        return "None so far.\n"
    rows = [(plain(claim["says"]), plain(claim["place"])) for claim in claims.values()]
    verdicts = "[Claims](../claims.md) says what the published numbers make of them.\n\n"
    return (verdicts if (ROOT / "docs/claims.md").is_file() else "") + table(("claim", "where"), rows)


def settings_of(paper: str) -> str:
    """The ledger of settings of a paper, by where a value comes from."""
    settings = read_ledger(CONFIG / f"reference/{paper}{LEDGER_SUFFIX}")
    by_class = {kind: [row for row in settings if row.kind == kind] for kind in CLASSES}
    text = ""
    for kind, title in CLASS_TITLES.items():
        text += f"### {title} ({len(by_class[kind])})\n\n"
        text += table(("key", "value", "source", "note", "for"), map(_setting, by_class[kind]))
    return text


def _setting(setting: Setting) -> tuple[str, ...]:
    source = "" if setting.source in CLASSES else plain(setting.source)
    value = json.dumps(setting.value, ensure_ascii=False)
    return code(setting.key), code(value), source, plain(setting.note), ", ".join(setting.scope)


def _one_table(paper: str, number: str, spec: Entry) -> str:
    text = f"### {_name(number)}: {plain(spec['title'])}\n\n"
    text += f"```text\nsnakemake {table_path(paper, number)}\n```\n\n"
    rows, published = shown_rows(spec), _published(paper)
    known = dict.fromkeys(column for shown_in, _, column in published if shown_in == number)
    columns = [column for column in spec.get("columns", []) if column in known]
    columns += [column for column in known if column not in columns]
    if not rows or not columns:
        return text
    shown = []
    for row in rows:
        numbers = [published.get((number, row["row"], column), "") for column in columns]
        shown.append((plain(row["row"]), _recipe(row), *numbers))
    return text + "Published:\n\n" + table(("row", "recipe", *map(plain, columns)), shown)


def _recipe(row: Entry) -> str:
    return "quoted by the paper" if quoted(row) else code(row["recipe"])


def _name(number: str) -> str:
    return f"Table {number}" if number.isdigit() else number


def _here(scale: str, paper: str, number: str) -> str:
    """Whether a scale can make a table."""
    missing = _missing(scale, paper, number)
    if not missing:
        return YES
    return NOT_SET_UP if any(words in missing for words in UNSET) else OWN_FILES


def _files_to_bring(paper: str) -> list[str]:
    """What a run at paper scale says about files that it cannot download, each once."""
    numbers = _papers()[paper]["tables"]
    lines = [
        _missing("paper", paper, number) for number in numbers if _here("paper", paper, number) == OWN_FILES
    ]
    return list(dict.fromkeys(lines))


@cache
def _published(paper: str) -> dict[tuple[str, str, str], str]:
    """The published numbers of a paper, by table, row and column, with their spread if there is one."""
    rows = read_records(CONFIG / f"reference/{paper}.tsv")
    return {(row["table"], row["row"], row["column"]): _number(row["value"], row["spread"]) for row in rows}


def _number(value: str, spread: str) -> str:
    return f"{value} ± {spread}" if spread else value


@cache
def _papers() -> dict[str, Entry]:
    return load_papers(CONFIG / "papers")


@cache
def _run(scale: str) -> Run:
    return load_run(lay(CONFIG / "config.yaml", [], {"scale": scale}, CONFIG), ROOT)


@cache
def _missing_tables(scale: str) -> dict[tuple[str, str], str]:
    run = _run(scale)
    return {(paper, number): missing_for_table(run, paper, number) for paper, number in all_tables(run)}


def _missing(scale: str, paper: str, number: str) -> str:
    return _missing_tables(scale)[paper, number]
