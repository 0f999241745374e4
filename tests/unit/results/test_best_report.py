"""The report that recommends a model: what it says, by hand-made choices."""

import pytest

from xstitch.results.best_report import BestReport, choice_lines, render_best
from xstitch.results.language_report import Evaluation, Measured
from xstitch.results.raising import Gain
from xstitch.results.recommendation import Case, Expected, Judged

ABOUT = {
    "title": "A classifier for E (e)",
    "language": "E",
    "code": "e",
    "source_language": "A",
    "task": "t",
    "folder": "results/exported/best/t/a-e",
}
SIGNALS = {"coverage": "0.9", "confidence": "0.8", "minutes": "0.1"}
CANDIDATES = [
    {"recipe": "x", "agreement": "0.6", "dictionary": "0.5", "information": "0.25", "chosen": "", **SIGNALS},
    {
        "recipe": "y",
        "agreement": "0.8",
        "dictionary": "0.4",
        "information": "0.30",
        "chosen": "yes",
        **SIGNALS,
    },
]
COVERAGE = [{"measure": "anchors", "value": "9", "warning": "Only 9 anchors."}]


def judged(language, value, best, median):
    return Judged(Case(language, "mini", "1"), 2, "x", value, "y", best, median, {}, {})


def report(**parts):
    return BestReport(**ABOUT, candidates=CANDIDATES, coverage=COVERAGE, **parts)


def test_the_reason_names_what_it_was_chosen_by_and_two_signals_more():
    assert report().why == (
        "Of all 2 candidates, the answers of y tell most of the unlabelled texts, 30% of what labels could. "
        "It answers 80% of them as the other candidates together do, and has a macro-F1 of 0.40 on texts of "
        "A that the dictionary wrote in words of E."
    )


def test_the_record_is_about_other_languages():
    choices = [judged("b", 0.5, 0.6, 0.4), judged("c", 0.5, 0.5, 0.5), judged("e", 0.0, 1.0, 0.0)]
    assert report(judged=choices).record == (
        "In 2 other languages where the truth is known (2 choices), this rule lost 0.05 of macro-F1 on "
        "average against the best candidate, 0.10 at most; the middle one of the candidates lost 0.10."
    )
    assert report(judged=choices[2:]).record == ""


def test_an_expectation_is_called_one_and_a_measurement_too():
    expected = Expected(0.5, 0.3, 0.7, 6, 12)
    page = render_best(report(expected=expected))
    assert "an expectation, not a measurement" in page and "90 % interval 0.30 to 0.70" in page
    assert "measured on" not in page
    assert list(choice_lines(report(expected=expected)))[-1] == (
        "Expected macro-F1, not measured: 0.50 (90 % interval 0.30 to 0.70), from 12 choices in 6 other "
        "languages."
    )
    measured = Measured("macro_f1", 0.42, None, [0.42], 0.1)
    page = render_best(report(evaluation=Evaluation(111, "z", [measured])))
    assert "0.42" in page and "macro-F1 in E, measured on 111 labelled texts" in page
    assert "too few languages on record" in page


def test_what_is_not_known_is_not_on_the_page():
    page = render_best(report())
    assert "What would raise it most" not in page and "Not tried" not in page
    gain = Gain("labels", 0, 50, 0.12, 0.1, 0.14, 3)
    page = render_best(report(gains=[gain], left_out={"z": "no <text>"}))
    assert "labelled texts" in page and "+0.12" in page and "+0.10 to +0.14" in page
    assert "no &lt;text&gt;" in page


@pytest.mark.parametrize(
    "said", ["Only 9 anchors.", "xstitch classify results/exported/best/t/a-e texts.txt"]
)
def test_warnings_and_use_are_on_the_page(said):
    assert said in render_best(report())
