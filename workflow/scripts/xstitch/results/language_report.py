"""The report on one language: warnings first, then coverage, evaluation and the models' folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from xstitch.results.metrics import accuracy, macro_f1
from xstitch.results.scores import Score

# The small real run's four epochs over Taxi1500's 860 English verses are 108 updates, and enough.
FEW_UPDATES = 100
METRICS = {"macro_f1": macro_f1, "accuracy": lambda truth, predicted, _: accuracy(truth, predicted)}


def language_report(
    title: str,
    summary: str,
    coverage: Sequence[Mapping[str, str]],
    evaluation: Sequence[str],
    warnings: Iterable[str],
    models: Mapping[str, str],
) -> str:
    """Write the report in Markdown; `models` says of each folder which weights it has."""
    warned = [f"- {row['warning']}" for row in coverage if row["warning"]] + [
        f"- {line}" for line in warnings
    ]
    measured = [f"| {row['measure']} | {row['value']} |" for row in coverage]
    sections = {
        f"# {title}": [summary],
        "## Warnings": warned or ["None."],
        "## Coverage": ["| measure | value |", "|---|---|", *measured],
        "## Evaluation": evaluation or ["There is no labelled test data for this language."],
        "## Models": [
            "Complete transformers folders, including tokenizers:",
            "",
            *(f"- `{model}`: {weights}" for model, weights in models.items()),
        ],
    }
    return "\n".join("\n".join([head, "", *lines, ""]) for head, lines in sections.items())


def kept_weights(history: Mapping[str, Any]) -> str:
    """Say which weights a training kept, from its history in a model's xstitch.json."""
    last, best = history["records"][-1]["step"], history["best"]
    if best is None:
        return f"the last weights (step {last})"
    return f"the weights of step {best['step']} of {last} ({best['metric']:.3f} on development texts)"


def evaluation_table(
    scores: Sequence[Score], truth: Sequence[str], labels: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Show the scores of all seeds next to a trivial baseline, and warn if they are no better.

    The baseline always answers the most frequent label of the test texts.
    """
    frequent = Counter(truth).most_common(1)[0][0]
    lines = [
        f"{len(truth)} texts.",
        "",
        f"| metric | mean | by seed | always {frequent} |",
        "|---|---|---|---|",
    ]
    warnings = []
    for metric, measure in METRICS.items():
        values = [score.value for score in scores if score.metric == metric]
        baseline = measure(truth, [frequent] * len(truth), labels)
        by_seed = " ".join(f"{value:.3f}" for value in values)
        lines.append(f"| {metric} | {fmean(values):.3f} | {by_seed} | {baseline:.3f} |")
        if fmean(values) <= baseline:
            warnings.append(
                f"By {metric}, the model is no better than always answering {frequent}: do not use it."
            )
    return lines, warnings
