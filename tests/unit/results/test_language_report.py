"""The report on a language: scores beside baselines, confusion, what comes first, by hand-made answers."""

import pyarrow as pa
import pytest

from xstitch.results.coverage import Coverage, Tokens, coverage_records
from xstitch.results.language_report import (
    Evaluation,
    LanguageReport,
    Measured,
    confusion,
    evaluate,
    kept_weights,
    render_report,
    summary_lines,
)
from xstitch.results.scores import Score, predictions_table

ENOUGH = Coverage(9999, 9999, 9999, Tokens(100, 0, 0, 100), "test texts")
LABELS = ["x", "y", "z"]
TRUTH = ["x", "x", "x", "y"]  # always x: F1 of x is 6/7, of y and z 0, so macro-F1 is 2/7; accuracy 3/4


def scores(*values):
    """Make scores from values given as macro-F1, accuracy of the first seed, then of the next."""
    fields = {"recipe": "r", "task": "t", "src": "a", "tgt": "b", "split": "test", "n": 4, "scale": "mini"}
    metrics = ("macro_f1", "accuracy")
    return [Score(metric=metrics[i % 2], seed=1 + i // 2, value=v, **fields) for i, v in enumerate(values)]


def answers(*predicted, target="b"):
    """The predictions of the first seed, then of the next."""
    texts = {"id": ["1", "2", "3", "4"], "label": TRUTH}
    tables = [predictions_table(target, seed, texts, list(one)) for seed, one in enumerate(predicted, 1)]
    return pa.concat_tables(tables)


def report(**parts):
    about = {"title": "E (e)", "language": "E", "source_language": "A", "summary": "How."}
    return LanguageReport(
        **{
            **about,
            "coverage": coverage_records(ENOUGH),
            "models": {"m/seed1": "the last weights (step 8)"},
            **parts,
        }
    )


def test_scores_are_means_over_seeds_next_to_always_giving_the_most_frequent_answer():
    found = evaluate(scores(0.5, 0.8, 0.6, 0.9), answers("xxyy", "xxxy"), LABELS, 1)
    assert (found.texts, found.frequent) == (4, "x")
    values = {part.metric: (part.value, part.baseline, part.by_seed) for part in found.measured}
    assert values["macro_f1"] == (pytest.approx(0.55), pytest.approx(2 / 7), [0.5, 0.6])
    assert values["accuracy"] == (pytest.approx(0.85), 0.75, [0.8, 0.9])
    assert found.warnings == []


def test_a_score_has_an_interval_that_contains_it():
    found = evaluate(scores(0.4, 0.75), answers("xxyy"), LABELS, 1)
    accuracy = found.measured[1]
    assert accuracy.interval.low < 0.75 <= accuracy.interval.high
    assert accuracy.interval.high <= 1.0


def test_other_languages_of_the_file_do_not_count():
    both = pa.concat_tables([answers("zzzz", target="c"), answers("xxyy")])
    alone, among = (evaluate(scores(0.4, 0.75), table, LABELS, 1) for table in (answers("xxyy"), both))
    assert alone == among


def test_without_scores_there_is_no_evaluation():
    assert evaluate([], answers("xxyy"), LABELS, 1) is None


def test_a_model_no_better_than_one_answer_gives_a_warning():
    found = evaluate(scores(0.5, 0.75), answers("xxxx"), LABELS, 1)
    assert found.warnings == ["By accuracy, the model is no better than always answering x: do not use it."]


def test_a_score_that_a_file_rounds_up_is_no_better():
    found = Evaluation(4, "x", [Measured("macro_f1", 0.090909091, None, [0.090909091], 1 / 11)])
    assert found.warnings


def test_confusion_counts_answers_by_true_label_over_all_seeds():
    found = confusion(answers("xxyy", "xzxx"), LABELS)
    assert found.counts == [[4, 1, 1], [1, 1, 0], [0, 0, 0]]
    assert found.seeds == 2
    assert found.share(0, 0) == pytest.approx(4 / 6)
    assert found.share(2, 1) == 0  # no text has this label


def test_the_report_has_warnings_first_and_names_the_models():
    few = coverage_records(Coverage(**{**vars(ENOUGH), "anchors": 3}))
    bad = Evaluation(4, "x", [Measured("accuracy", 0.25, None, [0.25], 0.75)])
    page = render_report(report(coverage=few, evaluation=bad, confusion=confusion(answers("xxyy"), LABELS)))
    order = [
        "<h1>E (e)",
        "Only 3 anchors",
        "By accuracy",
        'class="card target"><b>0.25',
        "<h2>Coverage",
        "m/seed1",
    ]
    positions = [page.index(part) for part in order]
    assert positions == sorted(positions)


def test_the_report_says_which_weights_were_kept():
    records = [{"step": step, "loss": 1.0, "metric": step / 100, "parts": {}} for step in (40, 80)]
    kept = kept_weights({"records": records, "best": records[0]})
    assert kept == "the weights of step 40 of 80 (0.400 on development texts)"
    assert kept_weights({"records": records, "best": None}) == "the last weights (step 80)"
    assert kept_weights({"records": [], "best": None}) == "not fine-tuned"


def test_a_report_without_warnings_or_test_texts_says_so():
    page = render_report(report())
    assert "No warnings." in page
    assert "There is no labelled test data for this language." in page
    assert "http" not in page  # needs no network


def test_without_test_texts_the_source_languages_score_is_still_there():
    source = Evaluation(9, "x", [Measured("macro_f1", 0.8251, None, [0.8251], 0.1)])
    page = render_report(report(source=source))
    assert "9 texts of A" in page
    assert "macro-F1 0.825" in page


def test_how_a_segmented_language_must_be_written_is_said():
    assert "separated by spaces, as jieba splits" in render_report(report(segmenter="jieba"))
    assert "separated by spaces" not in render_report(report())


def test_the_log_has_the_essence():
    found = Evaluation(4, "x", [Measured("accuracy", 0.25, None, [0.25], 0.75)])
    assert list(summary_lines(report(evaluation=found))) == [
        "E (e): How.",
        "warning: By accuracy, the model is no better than always answering x: do not use it.",
        "accuracy 0.250 (always x: 0.750)",
    ]
