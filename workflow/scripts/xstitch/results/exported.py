"""Writing a model to give away: its files, what it must be told to read text, and its card."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from xstitch.core.files import read_json, whole_file
from xstitch.core.parquet import read_table
from xstitch.core.tsv import read_records
from xstitch.results.model_card import measured, model_card, trivial
from xstitch.results.resampled_scores import Predicted, with_resamples
from xstitch.results.scores import read_scores

COPIED = ("config", "weights", "tokenizer", "tokenizer_config")


def export_model(
    model: Path,
    outputs: Mapping[str, str],
    facts: Mapping[str, Any],
    known: Mapping[str, str],
    seed: int,
    chosen: Sequence[str] = (),
) -> None:
    """Copy a model's files and write its notes and its card.

    `known` has the files of scores, predictions and coverage, as far as there are any; `chosen` says why it
    was chosen, if it was.
    """
    scores, baseline = [], None
    if path := known.get("scores"):
        found = [
            score
            for score in read_scores(path)
            if (score.tgt, score.seed) == (facts["language"], facts["seed"])
        ]
        table = read_table(known["predictions"])
        predicted = Predicted(facts["recipe"], facts["task"], table, facts["labels"])
        labelled = facts["rows"] in ("texts", "pairs")
        scores = measured(with_resamples(found, [predicted] * labelled, seed))
        if labelled:
            tested = pc.equal(table.column("tgt"), facts["language"])
            baseline = trivial(table.filter(tested).column("label").to_pylist(), facts["labels"])
    coverage = read_records(known["coverage"]) if known.get("coverage") else []
    for role in COPIED:
        with whole_file(outputs[role]) as partial:
            shutil.copyfile(model / Path(outputs[role]).name, partial)
    history = read_json(model / "xstitch.json")
    with whole_file(outputs["notes"]) as partial:
        partial.write_text(json.dumps({**history, **facts["usage"]}, indent=1) + "\n", encoding="utf-8")
    with whole_file(outputs["card"]) as partial:
        partial.write_text(model_card(facts, scores, coverage, baseline, chosen), encoding="utf-8")
