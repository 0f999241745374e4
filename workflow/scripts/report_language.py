"""Report on one language: what covers it, how its models score and where they are."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from tokenizers import Tokenizer

from xstitch.core.files import read_json
from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.core.tsv import read_records
from xstitch.encoders.special_tokens import special_tokens
from xstitch.results.examples import examples
from xstitch.results.language_report import (
    LanguageReport,
    confusion,
    evaluate,
    kept_weights,
    render_report,
    summary_lines,
)
from xstitch.results.pages import write_page
from xstitch.results.scores import read_scores


def evaluation_of(lang: str, scores: str, predictions: pa.Table):
    """Evaluate the models in one language."""
    found = [score for score in read_scores(scores) if score.tgt == lang]
    return evaluate(found, predictions, params.labels, params.seed)


with job(snakemake):
    params, inputs, wildcards = snakemake.params, snakemake.input, snakemake.wildcards
    parts = {}
    if inputs.get("source_scores"):
        predictions = read_table(inputs.source_predictions)
        parts["source"] = evaluation_of(wildcards.src, inputs.source_scores, predictions)
    if inputs.get("scores"):
        predictions = read_table(inputs.predictions)
        predictions = predictions.filter(pc.equal(predictions.column("tgt"), wildcards.tgt))
        test = read_table(inputs.test, ["id", "text"]).to_pydict()
        model = Path(inputs.models[0])
        tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        unknown = special_tokens(model)["unk_token"]
        parts |= {
            "evaluation": evaluation_of(wildcards.tgt, inputs.scores, predictions),
            "confusion": confusion(predictions, params.labels),
            "examples": examples(predictions, dict(zip(*test.values(), strict=True)), tokenizer, unknown),
        }
    kept = [kept_weights(read_json(Path(folder) / "xstitch.json")["history"]) for folder in inputs.finetuned]
    models = dict(zip(inputs.models, kept, strict=True))
    report = LanguageReport(**params.about, coverage=read_records(inputs.coverage), models=models, **parts)
    write_page(snakemake.output.report, render_report(report))
    print(*summary_lines(report), sep="\n")
