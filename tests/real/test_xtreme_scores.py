"""Scores agree to the last digit with what XTREME's own script prints for its mock predictions."""

import json
from statistics import fmean

import pytest

from xstitch.results.answer_metrics import answer_scores
from xstitch.results.metrics import accuracy
from xstitch.results.tag_metrics import tagging_scores
from xstitch.sources.tasks.squad import read_squad

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def mock(data):
    return data / "xtreme_mock"


@pytest.fixture(scope="module")
def expected(mock):
    return json.loads((mock / "expected_scores.json").read_text(encoding="utf-8"))


def lines(path):
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def sentences(path):
    return [block.split("\n") for block in "\n".join(lines(path)).split("\n\n")]


def both(mock, task, language, ending="tsv"):
    return [mock / side / task / f"test-{language}.{ending}" for side in ("labels", "predictions")]


@pytest.mark.parametrize(("task", "languages"), [("xnli", 15), ("tatoeba", 36)])
def test_accuracies(mock, expected, task, languages):
    scores = {
        language: 100 * accuracy(*map(lines, both(mock, task, language)))
        for language in expected[task]["accuracy"]
    }
    assert scores == expected[task]["accuracy"]
    assert len(scores) == languages
    assert sum(scores.values()) / len(scores) == expected[task]["avg_accuracy"]


@pytest.mark.parametrize(("task", "languages"), [("panx", 40), ("udpos", 33)])
def test_span_scores(mock, expected, task, languages):
    scores = {
        language: tagging_scores(*map(sentences, both(mock, task, language)))
        for language in expected[task]["f1"]
    }
    assert len(scores) == languages
    for metric in ("precision", "recall", "f1"):
        values = {language: getattr(score, metric) for language, score in scores.items()}
        assert values == expected[task][metric]
        assert sum(values.values()) / len(values) == expected[task][f"avg_{metric}"]


@pytest.mark.parametrize(("task", "languages"), [("xquad", 11), ("tydiqa", 9)])
def test_answer_scores(mock, expected, task, languages):
    scores = {}
    for language in expected[task]["f1"]:
        labels, predictions = both(mock, task, language, "json")
        questions = list(read_squad(labels))
        answers = json.loads(predictions.read_text(encoding="utf-8"))
        gold = [[answer.text for answer in question.answers] for question in questions]
        scores[language] = answer_scores(gold, [answers.get(question.id, "") for question in questions])
    assert len(scores) == languages
    for metric in ("exact_match", "f1"):
        values = {language: getattr(score, metric) for language, score in scores.items()}
        assert values == expected[task][metric]
        assert sum(values.values()) / len(values) == expected[task][f"avg_{metric}"]
    mean = fmean(expected[task][f"avg_{metric}"] for metric in ("exact_match", "f1"))
    assert mean == expected[task]["avg_metric"]
