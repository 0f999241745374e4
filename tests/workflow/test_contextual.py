"""What x2s and wordot promise of encoders, on the default world's related language, with fixed seeds."""

import pytest
from conftest import ROOT

from xstitch.scores import read_scores

pytestmark = pytest.mark.workflow
RETRIEVED = ("xlmr", "xlmr-mlm", "xlmr-x2s-dcca", "wordot", "l2-align")
CLASSIFIED = ("mbert", "wordot")


@pytest.fixture(scope="module")
def accuracy(related):
    """Accuracy by recipe, task and language; some five minutes of training on two cores."""
    wanted = [(name, "tatoeba") for name in RETRIEVED] + [(name, "xnli") for name in CLASSIFIED]
    files = {place: "results/scores/{}/{}/qaa.tsv".format(*place) for place in wanted}
    overlay = ROOT / "tests/workflow/related.yaml"
    related.snakemake(*files.values(), "--configfile", str(overlay))
    return {
        (*place, score.tgt): score.value
        for place, file in files.items()
        for score in read_scores(related.folder / file)
        if score.metric == "accuracy"
    }


def test_static_vectors_help_retrieval_beyond_more_pretraining(accuracy):
    untouched, further, tied = (accuracy[name, "tatoeba", "qab"] for name in RETRIEVED[:3])
    assert tied > further + 0.05
    assert further > untouched - 0.02  # a little above: too little for a margin
    assert tied > untouched + 0.05


def test_transport_makes_translations_found(accuracy):
    assert accuracy["wordot", "tatoeba", "qab"] > accuracy["xlmr", "tatoeba", "qab"] + 0.1


def test_the_baseline_of_linked_words_runs(accuracy):
    assert 0 < accuracy["l2-align", "tatoeba", "qab"] <= 1


def test_transport_keeps_what_the_source_language_could(accuracy):
    assert accuracy["wordot", "xnli", "qaa"] > accuracy["mbert", "xnli", "qaa"] - 0.02
