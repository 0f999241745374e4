"""The report that recommends a model for a language: what was chosen, why, and what to expect of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from xstitch.results.best_template import BEST
from xstitch.results.language_report import Evaluation, Measured
from xstitch.results.pages import render
from xstitch.results.raising import Gain
from xstitch.results.recommendation import Expected, Judged, Records, chosen

COLUMNS = ("information", "agreement", "dictionary", "coverage", "confidence", "minutes")


@dataclass(frozen=True)
class BestReport:
    """All that the report says; what is not known is left out."""

    title: str
    language: str
    code: str
    source_language: str
    task: str
    folder: str
    candidates: Records
    coverage: Records
    left_out: Mapping[str, str] = field(default_factory=dict)
    expected: Expected | None = None
    evaluation: Evaluation | None = None
    gains: Sequence[Gain] = ()
    judged: Sequence[Judged] = ()
    columns: Sequence[str] = COLUMNS

    @property
    def chosen(self) -> Mapping[str, str]:
        """The recommended candidate."""
        return chosen(self.candidates)

    @property
    def summary(self) -> str:
        """What the page is about, in a sentence."""
        return (
            f"Of the models for task {self.task} that the files of {self.language} allow, the one that "
            f"promises most without a label in {self.language}, made from a model of {self.source_language}."
        )

    @property
    def why(self) -> str:
        """The reason for the choice, in words."""
        row = self.chosen
        return (
            f"Of all {len(self.candidates)} candidates, the answers of {row['recipe']} tell most of the "
            f"unlabelled texts, {float(row['information']):.0%} of what labels could. It answers "
            f"{float(row['agreement']):.0%} of them as the other candidates together do, and has a macro-F1 "
            f"of {float(row['dictionary']):.2f} on texts of {self.source_language} that the dictionary wrote "
            f"in words of {self.language}."
        )

    @property
    def record(self) -> str:
        """How good such choices were where the truth is known; empty if it is known nowhere else."""
        others = [choice for choice in self.judged if choice.case.language != self.code]
        if not others:
            return ""
        lost = [choice.regret for choice in others]
        middle = fmean(choice.best_value - choice.median for choice in others)
        languages = len({choice.case.language for choice in others})
        return (
            f"In {languages} other languages where the truth is known ({len(others)} choices), this rule "
            f"lost {fmean(lost):.2f} of macro-F1 on average against the best candidate, {max(lost):.2f} at "
            f"most; the middle one of the candidates lost {middle:.2f}."
        )

    @property
    def texts(self) -> int:
        """The labelled texts that it was measured on."""
        return self.evaluation.texts if self.evaluation else 0

    @property
    def measured(self) -> Measured | None:
        """The macro-F1 on labelled texts, if there are any."""
        return self.evaluation.measured[0] if self.evaluation else None

    @property
    def warnings(self) -> list[str]:
        """What a user must know first."""
        few = [row["warning"] for row in self.coverage if row["warning"]]
        return few + (self.evaluation.warnings if self.evaluation else [])


def render_best(report: BestReport) -> str:
    """Write the report as a page that needs no other file."""
    return render(BEST, report=report)


def choice_lines(report: BestReport) -> Iterable[str]:
    """Say the most important in plain lines, for the log and the card."""
    yield report.why
    if report.record:
        yield report.record
    if expected := report.expected:
        yield (
            f"Expected macro-F1, not measured: {expected.value:.2f} (90 % interval {expected.low:.2f} to "
            f"{expected.high:.2f}), from {expected.choices} choices in {expected.languages} other languages."
        )
