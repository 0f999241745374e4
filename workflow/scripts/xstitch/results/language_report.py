"""The report on one language: warnings first, then scores, coverage, mistakes, and how to use the models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xstitch.results.examples import Example
from xstitch.results.intervals import Interval
from xstitch.results.language_template import LANGUAGE
from xstitch.results.metrics import accuracy, macro_f1
from xstitch.results.pages import render
from xstitch.results.ranges import range_of
from xstitch.results.resampled_scores import Predicted, with_resamples
from xstitch.results.resampling import hierarchical_interval, run_of
from xstitch.results.scores import Score

# The small real run's four epochs over Taxi1500's 860 English verses are 108 updates, and enough.
FEW_UPDATES = 100
METRICS = {"macro_f1": macro_f1, "accuracy": lambda truth, predicted, _: accuracy(truth, predicted)}
METRIC_NAMES = {"macro_f1": "macro-F1", "accuracy": "accuracy"}


@dataclass(frozen=True)
class Measured:
    """What models of all seeds score by one metric, and what always giving one answer scores."""

    metric: str
    value: float
    interval: Interval | None
    by_seed: Sequence[float]
    baseline: float

    @property
    def name(self) -> str:
        """The metric as readers write it."""
        return METRIC_NAMES[self.metric]


@dataclass(frozen=True)
class Evaluation:
    """How models do on the labelled texts of a language."""

    texts: int
    frequent: str  # the most frequent label
    measured: Sequence[Measured]

    @property
    def warnings(self) -> list[str]:
        """Say by which metrics a model is of no use."""
        return [
            f"By {part.name}, the model is no better than always answering {self.frequent}: do not use it."
            for part in self.measured
            if round(part.value, 6) <= round(part.baseline, 6)  # score files have nine decimals
        ]


@dataclass(frozen=True)
class Confusion:
    """How often each label (rows) was answered with each (columns), over all seeds."""

    labels: Sequence[str]
    counts: Sequence[Sequence[int]]
    seeds: int

    def share(self, row: int, column: int) -> float:
        """The part of a label's texts that got an answer."""
        return self.counts[row][column] / max(1, sum(self.counts[row]))


@dataclass(frozen=True)
class LanguageReport:
    """All that the report on a language says; without labelled texts it has no evaluation."""

    title: str
    language: str
    source_language: str
    summary: str
    coverage: Sequence[Mapping[str, str]]
    models: Mapping[str, str]  # which weights each folder has
    segmenter: str = ""  # the tool that splits the language's words, if spaces do not
    evaluation: Evaluation | None = None
    source: Evaluation | None = None  # of the models before they are stitched, in their own language
    confusion: Confusion | None = None
    examples: Mapping[str, Sequence[Example]] = field(default_factory=dict)  # by heading

    @property
    def warnings(self) -> list[str]:
        """What a user must know first."""
        few = [row["warning"] for row in self.coverage if row["warning"]]
        return few + (self.evaluation.warnings if self.evaluation else [])


def kept_weights(history: Mapping[str, Any]) -> str:
    """Say which weights a training kept, from its history in a model's xstitch.json."""
    if not history["records"]:
        return "not fine-tuned"
    last, best = history["records"][-1]["step"], history["best"]
    if best is None:
        return f"the last weights (step {last})"
    return f"the weights of step {best['step']} of {last} ({best['metric']:.3f} on development texts)"


def evaluate(
    scores: Sequence[Score], predictions: pa.Table, labels: Sequence[str], seed: int
) -> Evaluation | None:
    """Sum up the scores of all seeds in one language, next to a trivial baseline; None without scores.

    The baseline always answers the most frequent label of the test texts.
    """
    if not scores:
        return None
    first = scores[0]
    table = predictions.filter(pc.equal(predictions.column("tgt"), first.tgt))
    truth = _of_seed(table, first.seed).column("label").to_pylist()
    frequent = Counter(truth).most_common(1)[0][0]
    predicted = [Predicted(first.recipe, first.task, table, labels)]
    measured = []
    for metric, measure in METRICS.items():
        values = [score for score in scores if score.metric == metric]
        runs = {run_of(score): score.value for score in with_resamples(values, predicted, seed)}
        numbers = [score.value for score in values]
        baseline = measure(truth, [frequent] * len(truth), labels)
        bounds = hierarchical_interval(runs, seed, range_of([metric]))
        measured.append(Measured(metric, fmean(numbers), bounds, numbers, baseline))
    return Evaluation(len(truth), frequent, measured)


def confusion(predictions: pa.Table, labels: Sequence[str]) -> Confusion:
    """Count the answers of all seeds by the label they should have been."""
    pairs = Counter(
        zip(*(predictions.column(name).to_pylist() for name in ("label", "predicted")), strict=True)
    )
    counts = [[pairs[label, answer] for answer in labels] for label in labels]
    return Confusion(labels, counts, len(pc.unique(predictions.column("seed"))))


def render_report(report: LanguageReport) -> str:
    """Write the report as a page that needs no other file."""
    return render(LANGUAGE, report=report)


def summary_lines(report: LanguageReport) -> Iterable[str]:
    """Say the most important in plain lines, for the log."""
    yield f"{report.title}: {report.summary}"
    yield from (f"warning: {line}" for line in report.warnings)
    for part in report.evaluation.measured if report.evaluation else []:
        yield f"{part.name} {part.value:.3f} (always {report.evaluation.frequent}: {part.baseline:.3f})"


def _of_seed(predictions: pa.Table, seed: int) -> pa.Table:
    return predictions.filter(pc.equal(predictions.column("seed"), seed))
