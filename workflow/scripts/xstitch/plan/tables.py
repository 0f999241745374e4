"""Inputs and definitions of tables and of comparisons between recipes."""

from __future__ import annotations

from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import (
    encoder_folder,
    parallel_file,
    predictions_file,
    scores_file,
    space_names,
)
from xstitch.plan.availability import missing_for_matches, missing_for_table, parallel_languages
from xstitch.plan.cases import scored_languages
from xstitch.plan.chains import chain_folders, chain_name, in_all_chains, in_chain
from xstitch.plan.papers import (
    all_tables,
    comparison_definition,
    filled_rows,
    has_scores,
    lead_paper,
    quoted,
    shown_rows,
    table_definition,
    table_number,
)
from xstitch.plan.references import FEW_LABELS, MODEL_METHODS
from xstitch.plan.run import Entry, Files, Run, Wildcards
from xstitch.plan.tasks import OF_LABELS, TAGGED, scored_labels
from xstitch.results.columns import held_columns, table_tasks
from xstitch.results.ledger import LEDGER_SUFFIX
from xstitch.results.tables import row_label, table_path

PUBLISHED_SOURCE = "en"  # of all papers; tables with a column for it also show the run's source language
PREDICTING = (  # methods whose predictions are kept
    *("logistic-regression", "translated-regression", "aligned-regression", "ensemble", "recommended"),
    *FEW_LABELS,
    *MODEL_METHODS,
)


def asked_number(_: Run, wildcards: Wildcards) -> str:
    """The number of the requested table."""
    return table_number(wildcards.table)


def asked_table(run: Run, wildcards: Wildcards) -> Entry:
    """The requested table, as its paper's file defines it."""
    return table_definition(run, wildcards.paper, table_number(wildcards.table))


def possible_tables(run: Run) -> list[str]:
    """The files of all tables whose tasks, recipes and data this run has."""
    return [table_path(*table) for table in all_tables(run) if not missing_for_table(run, *table)]


def short_names(run: Run) -> list[str]:
    """The short addresses of the lead paper's tables."""
    lead = f"/{lead_paper(run)}/"
    return [file.replace(lead, "/") for file in possible_tables(run) if lead in file]


def missing_by_table(run: Run) -> dict[str, str]:
    """What is missing for every table, by paper and number; empty if nothing."""
    return {f"{paper} {number}": missing_for_table(run, paper, number) for paper, number in all_tables(run)}


def written_ledgers(run: Run) -> list[str]:
    """The ledgers of settings that have been written so far."""
    files = [f"config/reference/{paper}{LEDGER_SUFFIX}" for paper in run.papers]
    return [file for file in files if Path(file).is_file()]


def table_scores(run: Run, wildcards: Wildcards) -> list[str]:
    """The scores that fill a table; refuse a table that cannot be filled."""
    paper, number = wildcards.paper, table_number(wildcards.table)
    if lacking := missing_for_table(run, paper, number):
        raise InputError(f"table {number} of {paper} cannot be made yet: {lacking}")
    cells = _shown_cells(run, table_definition(run, paper, number))
    return in_all_chains(run, [scores_file(recipe, task, run.source) for recipe, task in cells])


def _shown_cells(run: Run, spec: Entry) -> list[tuple[str, str]]:
    """The recipes and tasks whose scores fill a table."""
    cells = product(filled_rows(run, spec), table_tasks(spec))
    return list(dict.fromkeys((row["recipe"], task) for row, task in cells if has_scores(row, task)))


def predicted_cells(run: Run, wildcards: Wildcards) -> list[dict[str, Any]]:
    """The recipes, tasks and chains of a table whose items can be scored again, with the tasks' labels."""
    cells = _shown_cells(run, asked_table(run, wildcards))
    return [
        {"recipe": recipe, "task": task, "labels": scored_labels(run, task), "chain": chain_name(folder)}
        for folder in chain_folders(run)
        for recipe, task in cells
        if run.tasks.get(task, {}).get("kind") in (*OF_LABELS, *TAGGED)
        and run.recipes.get(recipe, {}).get("method") in PREDICTING
    ]


def table_predictions(run: Run, wildcards: Wildcards) -> list[str]:
    """The predictions behind the intervals of a table; the jobs that write its scores write them."""
    folders = {chain_name(folder): folder for folder in chain_folders(run)}
    return [
        in_chain(run, predictions_file(cell["recipe"], cell["task"], run.source), folders[cell["chain"]])
        for cell in predicted_cells(run, wildcards)
    ]


def table_spec(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """A table's definition with the columns this run can fill; averages over pairs keep the paper's.

    An average over the paper's languages (`over`) is over those that the run has, or over all of the run's if
    it has none of them.
    """
    spec = asked_table(run, wildcards)
    spec = {**spec, "rows": [_shown_row(run, row, spec) for row in shown_rows(spec)]}
    if "measures" in spec and "place" not in spec:
        languages = {task: _table_languages(run, spec, task) for task in table_tasks(spec)}
        contents = held_columns(spec, languages, run.config["averages"])
        return {**spec, "held": contents, "columns": list(contents)}
    targets = [lang for lang in _table_languages(run, spec, spec["task"]) if lang != run.source]
    fillable = run_columns(run, spec, targets)
    columns = [column for column in spec["columns"] if column in fillable] or fillable or spec["columns"]
    if "over" in spec:
        spec["over"] = [lang for lang in spec["over"] if lang in targets] or targets
    return {**spec, "columns": columns}


def _table_languages(run: Run, spec: Entry, task: str) -> list[str]:
    """The languages of a task that every row of a table is scored in, or any row if the table has `gaps`."""
    shown = [row for row in filled_rows(run, spec) if has_scores(row, task)]
    rows = [scored_languages(run, row["recipe"], task) for row in shown]
    enough = any if spec.get("gaps") else all
    return [lang for lang in dict.fromkeys(chain(*rows)) if enough(lang in row for row in rows)]


def run_columns(run: Run, spec: Entry, targets: list[str]) -> list[str]:
    """The columns this run can fill, depending on what a column stands for."""
    column, source = spec["column"], run.source
    if column == "measure" and spec.get("place") == "pair":
        pairs = measured_pairs(run, spec, targets)
        return [f"{measure} {pair}" for pair in pairs for measure in spec["measures"]]
    if column == "target":
        return [source, *targets] if PUBLISHED_SOURCE in spec["columns"] else targets
    if column == "language":
        return [source, *targets]
    if column == "pair":
        return [pair for tgt in targets for pair in (f"{tgt}-{source}", f"{source}-{tgt}")]
    if column == "couple":
        return ["-".join(two) for two in combinations(sorted([source, *targets]), 2)]
    return []


def measured_pairs(run: Run, spec: Entry, targets: list[str]) -> list[str]:
    """Pairs of spaces or languages, in both directions; with themselves too, unless the table is `across`."""
    spaces = "spaces" in run.tasks[spec["task"]]
    sides = space_names(run, spec["task"]) if spaces else [run.source, *targets]
    return [f"{one}-{two}" for one, two in product(sides, sides) if one != two or not spec.get("across")]


def _shown_row(run: Run, row: Entry, spec: Entry) -> Entry:
    """A row of a table; if its label is a value of its recipe, the label also shows this run's value."""
    if "value" not in spec or quoted(row):
        return row
    section, key = spec["value"].split(".")
    entry = run.recipes[row["recipe"]][section]
    entry = run.config["anchors"][entry] if section == "anchors" else entry
    return {**row, "shown": row_label(row["row"], entry[key])}


def matching_spec(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """A table of matches with its encoder, and those of its languages that the encoder is aligned in."""
    spec = asked_table(run, wildcards)
    if lacking := missing_for_matches(run, spec):
        number = table_number(wildcards.table)
        raise InputError(f"table {number} of {wildcards.paper} cannot be made yet: {lacking}")
    encoder = run.recipes[spec["recipe"]]["encoder"]
    known = [lang for lang in spec["of"] if lang in run.encoders[encoder]["languages"]]
    return {**spec, "encoder": encoder, "shown": known[: spec["most"]]}


def matching_input(run: Run, wildcards: Wildcards) -> Files:
    """The encoder of a table of matches, and the parallel sentences it shows."""
    spec = matching_spec(run, wildcards)
    parallel = run.encoders[spec["encoder"]]["parallel"]
    return {
        "encoder": encoder_folder(spec["encoder"]),
        "pairs": [parallel_file(parallel, lang) for lang in spec["shown"]],
    }


def counted_pairs(run: Run, wildcards: Wildcards) -> list[str]:
    """The files that count sentence pairs per corpus, for every language of a table of parallel sentences."""
    parallel = asked_table(run, wildcards)["parallel"]
    return [f"results/parallel/{parallel}/{lang}.counts.tsv" for lang in parallel_languages(run, parallel)]


def listed_languages(run: Run, wildcards: Wildcards) -> list[dict[str, str]]:
    """The languages of a paper's list, and this run's, each with its role in this run."""
    roles = {lang: "source" if lang == run.source else "target" for lang in run.config["languages"]}
    languages = dict.fromkeys([*asked_table(run, wildcards)["languages"], *roles])
    return [{**run.languages[lang], "here": roles.get(lang, "")} for lang in languages]


def comparison_spec(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """A comparison of recipes as a paper's file defines it, without the rows that this run leaves out."""
    spec = comparison_definition(run, wildcards.paper, wildcards.comparison)
    if spec["baseline"] in run.left_out:
        raise InputError(
            f"{wildcards.comparison} compares with {spec['baseline']}, which config `without` leaves out; "
            "remove it there"
        )
    return {**spec, "rows": filled_rows(run, spec)}


def compared_predictions(run: Run, wildcards: Wildcards) -> list[str]:
    """The predictions of every recipe of a comparison, in its order, chain by chain."""
    spec = comparison_spec(run, wildcards)
    files = [predictions_file(row["recipe"], spec["task"], run.source) for row in spec["rows"]]
    return in_all_chains(run, files)


def compared_chains(run: Run, _: Wildcards) -> list[str]:
    """The numbers of the chains that a comparison is over."""
    return [chain_name(folder) for folder in chain_folders(run)]


def comparison_labels(run: Run, wildcards: Wildcards) -> tuple[str, ...] | None:
    """The labels of a comparison's task; none where words have tags."""
    return scored_labels(run, comparison_spec(run, wildcards)["task"])
