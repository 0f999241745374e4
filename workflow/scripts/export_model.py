"""Copy a model into a folder to give away, with a card that says what is known about it."""

import json
import shutil
from pathlib import Path

import pyarrow.compute as pc

from xstitch.core.files import read_json, whole_file
from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.core.tsv import read_records
from xstitch.results.model_card import measured, model_card, trivial
from xstitch.results.resampled_scores import Predicted, with_resamples
from xstitch.results.scores import read_scores

with job(snakemake):
    facts, inputs, outputs = snakemake.params.facts, snakemake.input, snakemake.output
    model, scores, baseline = Path(inputs.model), [], None
    if path := inputs.get("scores"):
        found = read_scores(path)
        known = [score for score in found if (score.tgt, score.seed) == (facts["language"], facts["seed"])]
        table = read_table(inputs.predictions)
        predicted = Predicted(facts["recipe"], facts["task"], table, facts["labels"])
        labelled = facts["rows"] in ("texts", "pairs")
        scores = measured(with_resamples(known, [predicted] * labelled, snakemake.params.seed))
        if labelled:
            tested = pc.equal(table.column("tgt"), facts["language"])
            baseline = trivial(table.filter(tested).column("label").to_pylist(), facts["labels"])
    coverage = read_records(inputs.coverage) if inputs.get("coverage") else []
    for role in ("config", "weights", "tokenizer", "tokenizer_config"):
        with whole_file(outputs[role]) as partial:
            shutil.copyfile(model / Path(outputs[role]).name, partial)
    history = read_json(model / "xstitch.json")
    with whole_file(outputs.notes) as partial:
        partial.write_text(json.dumps({**history, **facts["usage"]}, indent=1) + "\n", encoding="utf-8")
    with whole_file(outputs.card) as partial:
        partial.write_text(model_card(facts, scores, coverage, baseline), encoding="utf-8")
