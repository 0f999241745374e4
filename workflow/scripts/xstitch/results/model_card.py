"""Model cards: what a model is, how well it works, how it was made and what it may be used for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import yaml

from xstitch.results.intervals import interval
from xstitch.results.metrics import accuracy, macro_f1
from xstitch.results.ranges import range_of
from xstitch.results.scores import Score

PIPELINES = {
    "texts": "text-classification",
    "pairs": "text-classification",
    "questions": "question-answering",
    "sentences": "token-classification",
}
METRICS = {  # names on the hub: type and arguments
    "macro_f1": ("f1", {"average": "macro"}),
    "accuracy": ("accuracy", {}),
    "f1": ("f1", {}),
    "exact_match": ("exact_match", {}),
}
SEGMENTED = ("jieba", "fugashi", "icu")  # tools that put spaces between the words of a text
TAUGHT = "A model fine-tuned in {source_name} "
STITCHED = (
    "The embeddings of {source_name} in a model that learned the task in {source_name} were replaced by word "
    "vectors of {language_name}, mapped into the model's space with the help of a dictionary. "
)
FITTED = (
    "A head was fitted to the states of a model, which stayed as it is, on labelled texts in {source_name}. "
)
REFITTED = (
    "Its head was fitted once more with the help of unlabelled texts in {language_name}; no labelled text in "
    "{language_name} was used for training."
)
MADE = {  # by method
    "stitch": f"{STITCHED}No labelled text in {{language_name}} was used for training.",
    "standardise": f"{STITCHED}Its features were standardised by unlabelled texts in {{language_name}}; no "
    "labelled text in {language_name} was used for training.",
    "refit": f"{STITCHED}{REFITTED}",
    "standardise-frozen": f"{FITTED}Its features were standardised by unlabelled texts in {{language_name}}.",
    "refit-frozen": f"{FITTED}{REFITTED}",
    "frozen": FITTED.strip(),
    "zero-shot": f"{TAUGHT}is used for {{language_name}} as it is.",
    "in-language": "A model was fine-tuned on labelled texts in {language_name}.",
    "bilingual": "A model was fine-tuned on labelled texts in {source_name} and {language_name}.",
    "adversarial": f"{TAUGHT}was adapted to unlabelled texts in {{language_name}} by adversarial alignment.",
    "distill": f"{TAUGHT}taught a student on unlabelled texts in {{language_name}}.",
    "self-train": f"{TAUGHT}was trained on its own answers to unlabelled texts in {{language_name}}.",
}
Facts = Mapping[str, Any]  # as `xstitch.plan.exports.card_facts` lists them


class Measured(NamedTuple):
    """A metric on the test texts, with the ends of its 95 % interval if they are known."""

    metric: str
    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Trivial:
    """What always answering the most frequent label of the test texts scores, by metric."""

    label: str
    scores: Mapping[str, float]


def trivial(truth: Sequence[str], labels: Sequence[str]) -> Trivial:
    """Score the answer that needs no model."""
    frequent = Counter(truth).most_common(1)[0][0]
    answers = [frequent] * len(truth)
    return Trivial(
        frequent, {"macro_f1": macro_f1(truth, answers, labels), "accuracy": accuracy(truth, answers)}
    )


def measured(scores: Iterable[Score]) -> list[Measured]:
    """Turn scores with resamples (`resampled_scores.with_resamples`) into numbers with intervals."""
    rows = []
    for score in scores:
        values = np.atleast_1d(score.value)
        known = interval(values, range_of([score.metric])) if np.ptp(values) > 0 else None
        ends = (known.low, known.high) if known else (None, None)
        rows.append(Measured(score.metric, float(values[0]), *ends, score.n))
    return rows


def model_card(
    facts: Facts,
    scores: Sequence[Measured],
    coverage: Sequence[Mapping[str, str]],
    baseline: Trivial | None = None,
    chosen: Sequence[str] = (),
) -> str:
    """Write a model's README.md: metadata for the hub, then the card; `chosen` says why it was chosen."""
    metadata = yaml.safe_dump(hub_metadata(facts, scores), sort_keys=False, allow_unicode=True, width=100)
    method = "in-language" if facts["language"] == facts["source"] else facts["method"]
    title = f"{facts['task']} in {facts['language_name']} ({facts['language']})"
    sections = {
        f"# {title}": [MADE[method].format(**facts)],
        "## Use": _usage(facts),
        "## Warnings": [f"- {line}" for line in _warnings(scores, coverage, baseline)] or ["None."],
        "## Evaluation": _evaluation(facts, scores, baseline),
        "## How it was chosen": [f"- {line}" for line in chosen],
        "## Coverage": _coverage(coverage),
        "## How it was made": _making(facts),
        "## Limits": _limits(facts, scores),
        "## Licences": ["| what | licence |", "|---|---|", *(f"| {a} | {b} |" for a, b in facts["licences"])],
    }
    body = "\n".join("\n".join([head, "", *lines, ""]) for head, lines in sections.items() if lines)
    return f"---\n{metadata}---\n\n{body}"


def hub_metadata(facts: Facts, scores: Sequence[Measured]) -> dict[str, Any]:
    """The metadata that the hub reads: language, licence, base model, task, metrics."""
    pipeline, name = PIPELINES[facts["rows"]], f"{facts['recipe']}-{facts['task']}-{facts['language']}"
    results = {
        "task": {"type": pipeline},
        "dataset": {"name": f"{facts['task']} ({facts['language']})", "type": facts["task"], "split": "test"},
        "metrics": [_metric(row) for row in scores],
    }
    return {
        "language": [facts["language"]],
        # Weights, vectors, dictionary and texts have licences of their own: no single name would be true.
        "license": "other",
        "license_name": "weights-and-data-see-card",
        "license_link": "README.md#licences",
        **({"base_model": facts["base_model"]} if facts["base_model"] else {}),
        "pipeline_tag": pipeline,
        "library_name": "transformers",
        "tags": ["xstitch", "cross-lingual", facts["recipe"]],
        **({"model-index": [{"name": name, "results": [results]}]} if scores else {}),
    }


def _metric(row: Measured) -> dict[str, Any]:
    kind, arguments = METRICS.get(row.metric, (row.metric, {}))
    ends = f", 95 % interval {row.low:.3f} to {row.high:.3f}" if row.low is not None else ""
    metric = {"type": kind, "name": f"{row.metric}{ends}", "value": round(row.value, 4)}
    return {**metric, "args": arguments} if arguments else metric


def _usage(facts: Facts) -> list[str]:
    if facts["rows"] != "texts":
        return [f"Load it with transformers, as any model for {PIPELINES[facts['rows']]}."]
    usage, length = facts["usage"], facts["usage"]["max_length"]
    tool = usage["segmentation"]
    spaces = f"Words need spaces between them, as in training ({tool}): `xstitch classify` adds them."
    return [
        f"One text a line in, its label with probabilities out: {', '.join(facts['labels'])}.",
        "",
        "    xstitch classify FOLDER texts.txt",
        "",
        "```python",
        "from transformers import pipeline",
        "",
        f'classify = pipeline("text-classification", model=FOLDER, truncation=True, max_length={length})',
        "```",
        *(["", spaces] if tool in SEGMENTED else []),
    ]


def _warnings(
    scores: Sequence[Measured], coverage: Sequence[Mapping[str, str]], baseline: Trivial | None
) -> Iterator[str]:
    """Yield what is too little of the language, and which scores need no model."""
    yield from (row["warning"] for row in coverage if row["warning"])
    for row in scores:
        if baseline and row.value <= baseline.scores.get(row.metric, -1):
            yield f"By {row.metric}, it is no better than always answering {baseline.label}: do not use it."


def _evaluation(facts: Facts, scores: Sequence[Measured], baseline: Trivial | None) -> list[str]:
    if not scores:
        return [
            f"There are no labelled test texts in {facts['language_name']}: how well it works is unknown."
        ]
    trivial_scores = baseline.scores if baseline else {}
    head = ["metric", "value", "95 % interval", *([f"always {baseline.label}"] if baseline else [])]
    rows = [[row.metric, f"{row.value:.3f}", _ends(row)] for row in scores]
    if baseline:
        for row in rows:
            row.append(f"{trivial_scores[row[0]]:.3f}" if row[0] in trivial_scores else "")
    drawn = "Intervals are over test items; other seeds are not part of them."
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    return [f"{scores[0].n} test texts in {facts['language_name']}. {drawn}", "", *lines]


def _ends(row: Measured) -> str:
    return "" if row.low is None else f"{row.low:.3f} to {row.high:.3f}"


def _coverage(coverage: Sequence[Mapping[str, str]]) -> list[str]:
    if not coverage:
        return []
    return [
        "| measure | value |",
        "|---|---|",
        *(f"| {row['measure']} | {row['value']} |" for row in coverage),
    ]


def _making(facts: Facts) -> list[str]:
    return [
        f"- recipe `{facts['recipe']}` ({facts['method']}) of xstitch",
        f"- scale `{facts['scale']}`, seed {facts['seed']}",
        f"- weights: {facts['encoder']}",
        f"- task: `{facts['task']}`, labelled texts in {facts['source_name']} ({facts['source']})",
    ]


def _limits(facts: Facts, scores: Sequence[Measured]) -> list[str]:
    unknown = {
        True: "- The model does not see words without a vector, unless words with one compose them.",
        False: "- The model knows the language only as far as its weights do.",
    }
    labels = len(facts["labels"])
    lines = [
        unknown[facts["method"] in ("stitch", "standardise", "refit")],
        *(
            [f"- It answers any text with one of its {labels} labels, whatever it is about."]
            if labels
            else []
        ),
        "- Probabilities are not calibrated.",
    ]
    if facts["scale"] == "mini":
        lines.append("- The language and all data are generated: the model is of no use outside a test.")
    if not scores:
        lines.append("- It was not evaluated.")
    return lines
