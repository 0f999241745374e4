"""Curves: scores of recipes against what each of them was given, of pairs, text or labels."""

from __future__ import annotations

from typing import Any

from xstitch.core.errors import InputError
from xstitch.plan.addresses import (
    anchors_file,
    corpus_file,
    labelled_texts,
    predictions_file,
    starting_recipe,
)
from xstitch.plan.cases import targets_of
from xstitch.plan.chains import chain_folders, chain_name, in_all_chains
from xstitch.plan.papers import filled_rows
from xstitch.plan.references import FEW_LABELS
from xstitch.plan.run import Entry, Run, Wildcards
from xstitch.plan.tasks import labels_of

LEARNING = ("logistic-regression", *FEW_LABELS)  # methods that learn from labels of the target


def curve_names(run: Run) -> list[str]:
    """The names of all papers' curves."""
    return sorted({name for paper in run.papers.values() for name in paper.get("curves", {})})


def curve_files(run: Run) -> list[str]:
    """Every curve of every paper."""
    return [
        f"results/figures/{paper}/{name}.svg"
        for paper, content in run.papers.items()
        for name in content.get("curves", {})
    ]


def curve_spec(run: Run, wildcards: Wildcards) -> dict[str, Any]:
    """A curve as a paper's file defines it, without the rows that this run leaves out."""
    curves = run.papers[wildcards.paper].get("curves", {})
    if wildcards.curve not in curves:
        raise InputError(
            f"{wildcards.paper} has no curve {wildcards.curve}; its curves: {', '.join(curves) or 'none'}"
        )
    spec = curves[wildcards.curve]
    rows = filled_rows(run, spec)
    shown = {row["row"] for row in rows}
    crossings = [pair for pair in spec.get("crossings", []) if {pair["row"], pair["over"]} <= shown]
    return {**spec, "rows": rows, "crossings": crossings}


def curve_predictions(run: Run, wildcards: Wildcards) -> list[str]:
    """The predictions of every row of a curve, in its order, chain by chain."""
    spec = curve_spec(run, wildcards)
    files = [predictions_file(row["recipe"], spec["task"], run.source) for row in spec["rows"]]
    return in_all_chains(run, files)


def curve_amounts(run: Run, wildcards: Wildcards) -> list[dict[str, Any]]:
    """What every row was given in every language: the rows of a file, but not more than `most`."""
    spec = curve_spec(run, wildcards)
    return [
        {"recipe": row["recipe"], "target": tgt, **_amount(run, spec, row["recipe"], tgt)}
        for row in spec["rows"]
        if not row.get("level")
        for tgt in targets_of(run, row["recipe"], spec["task"])
    ]


def counted_files(run: Run, wildcards: Wildcards) -> list[str]:
    """The files whose rows are counted, in the order of the amounts that have one, chain by chain."""
    return in_all_chains(run, [part["file"] for part in curve_amounts(run, wildcards) if part["file"]])


def _amount(run: Run, spec: Entry, recipe: str, tgt: str) -> dict[str, Any]:
    """The file that a recipe's amount is counted in, and its limit; 0 without a file."""
    entry = run.recipes[recipe]
    if spec["axis"] == "labels":
        if entry["method"] not in LEARNING:
            return {"file": "", "most": 0}
        return {"file": labelled_texts(run, spec["task"], tgt, "train"), "most": entry.get("labels")}
    start = starting_recipe(run, recipe)
    if spec["axis"] == "known":
        lexicon = run.config["anchors"][run.recipes[start]["anchors"]]["lexicon"]
        return {"file": "", "most": run.config["lexica"][lexicon]["search"]["seeds"]}
    if spec["axis"] == "pairs":
        return {"file": anchors_file(run, start, run.source, tgt), "most": None}
    vectors = entry.get("vectors") or run.config["anchors"][run.recipes[start]["anchors"]]["vectors"]
    trained = run.config["vectors"][vectors]
    if trained["origin"] != "train":
        raise InputError(
            f"config: vectors.{vectors} is not trained on text, but {recipe} is a point of a curve over "
            "text; name vectors with origin train"
        )
    return {"file": corpus_file(trained["corpus"], tgt), "most": trained.get("sentences")}


def curve_labels(run: Run, wildcards: Wildcards) -> tuple[str, ...]:
    """The labels of a curve's task."""
    return labels_of(run, curve_spec(run, wildcards)["task"])


def curve_chains(run: Run, _: Wildcards) -> list[str]:
    """The numbers of the chains that a curve is over."""
    return [chain_name(folder) for folder in chain_folders(run)]
