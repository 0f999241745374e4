"""Static spaces of a related language, from text to translated words: all methods are scored alike."""

import pytest
from conftest import RELATED

from xstitch.results.scores import read_scores

pytestmark = pytest.mark.workflow
SCORES = "results/scores/{}/bli/qaa.tsv"
METHODS = ("fasttext-unsup", "x2s-m", "x2s-ma", "procrustes")


@pytest.fixture(scope="module")
def scores(related):
    """Scores by method, direction and metric."""
    related.snakemake(*map(SCORES.format, METHODS), "--configfile", *RELATED)
    return {
        name: {(s.src, s.tgt, s.metric): s for s in read_scores(related.folder / SCORES.format(name))}
        for name in METHODS
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("criterion", ["nn", "csls"])
@pytest.mark.parametrize("direction", [("qaa", "qab"), ("qab", "qaa")])
def test_precision_grows_with_the_number_of_answers(scores, method, criterion, direction):
    one, five, ten = (scores[method][*direction, f"{criterion}_p{k}"] for k in (1, 5, 10))
    assert 0 <= one.value <= five.value <= ten.value <= 1
    assert one.n == five.n == ten.n > 0


def test_vectors_of_one_origin_are_asked_the_same_words(scores):
    for first, second in (("fasttext-unsup", "procrustes"), ("x2s-m", "x2s-ma")):
        asked = ({place: s.n for place, s in scores[name].items()} for name in (first, second))
        assert next(asked) == next(asked)
