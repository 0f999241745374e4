"""Encoders that learn from static vectors, parallel sentences or with adapters, in the whole workflow.

What they gain is a claim about many worlds; here is what each training must have done. That losses do what
they say is tested at their functions.
"""

import json

import pytest
import torch
from conftest import RELATED
from safetensors.torch import load_file

from xstitch.core.tsv import read_records
from xstitch.results.scores import read_scores

pytestmark = pytest.mark.workflow
RETRIEVED = ("xlmr", "xlmr-mlm", "xlmr-x2s-dcca", "wordot", "l2-align")
CLASSIFIED = ("mbert", "wordot", "mad-x")


@pytest.fixture(scope="module")
def scores(related):
    """Scores by recipe and task."""
    wanted = [(name, "tatoeba") for name in RETRIEVED] + [(name, "xnli") for name in CLASSIFIED]
    files = {place: "results/scores/{}/{}/qaa.tsv".format(*place) for place in wanted}
    related.snakemake(*files.values(), "--configfile", *RELATED)
    return {place: read_scores(related.folder / file) for place, file in files.items()}


@pytest.fixture(scope="module")
def records(related, scores):
    """The history of an encoder's training."""
    assert scores  # the run that trains them

    def read(encoder):
        notes = json.loads((related.folder / f"results/encoders/{encoder}/xstitch.json").read_text())
        return notes["history"]["records"]

    return read


def test_every_recipe_is_asked_the_same_sentences(scores):
    for recipe in RETRIEVED:
        (found,) = [s for s in scores[recipe, "tatoeba"] if s.metric == "accuracy"]
        assert (found.tgt, found.n) == ("qab", 10)
        assert 0 <= found.value <= 1
    for recipe in CLASSIFIED:
        found = [(s.tgt, s.n) for s in scores[recipe, "xnli"] if s.metric == "accuracy"]
        assert sorted(found) == [("qaa", 10), ("qab", 10)]


def test_the_baseline_learns_for_as_many_steps_from_text_alone(records):
    further, tied = records("multi-mlm"), records("multi-x2s-dcca")
    assert [record["step"] for record in further] == [record["step"] for record in tied]
    assert further[-1]["step"] == 8
    assert not further[-1]["parts"]
    assert set(tied[-1]["parts"]) == {"masked", "words"}
    assert tied[-1]["parts"]["words"] < 0  # minus the sum of canonical correlations


def test_parallel_sentences_are_seen_once(records):
    # 48 pairs in batches of 24, two of which make a step; 24 linked pairs in batches of 8.
    assert records("multi-wordot")[-1]["step"] == 1
    assert records("multi-l2")[-1]["step"] == 3
    assert all(part > 0 for part in records("multi-wordot")[-1]["parts"].values())


def test_gradients_of_all_losses_are_drawn_beside_the_tasks(related):
    figure = "results/figures/gradients/mbert/xnli/qaa.svg"
    related.snakemake(figure, "--configfile", *RELATED)
    assert (related.folder / figure).read_text(encoding="utf-8").count("critic (IWDA)") == 1
    rows = read_records((related.folder / figure).with_suffix(".tsv"))
    # 20 pairs are one batch, and an update: there are weights before it and after it.
    assert {(row["loss"], row["language"], row["update"]) for row in rows} == {
        (loss, language, update)
        for loss, language in (("task", "qaa"), ("wordot", "qab"), ("dcca", "qab"), ("critic", "qab"))
        for update in ("0", "1")
    }
    assert {row["layer"] for row in rows} == {"all", "0", "1", "2"}
    assert all(-1 <= float(row["cosine"]) <= 1 and float(row["norm"]) > 0 for row in rows)


def test_adapters_change_with_the_language_and_nothing_else_does(related, scores):
    assert scores  # the run that trains them
    results = related.folder / "results"
    adapters = {
        lang: load_file(results / f"adapters/mbert/{lang}/adapter.safetensors") for lang in ("qaa", "qab")
    }
    body = load_file(results / "encoders/mini-multi/model.safetensors")
    for lang, place in (("qaa", "models/mad-x/xnli/qaa"), ("qab", "swapped/mad-x/xnli/qaa-qab")):
        weights = load_file(results / place / "seed1/model.safetensors")
        own = adapters[lang] | {name.removeprefix("bert."): body[name] for name in body if name in weights}
        assert all(torch.equal(weights[f"bert.{name}"], tensor) for name, tensor in own.items())
        assert any(".adapters.task." in name for name in weights)
        notes = json.loads((results / f"adapters/mbert/{lang}/xstitch.json").read_text())
        assert [record["step"] for record in notes["history"]["records"]] == [4, 8]
    assert not any(torch.equal(adapters["qaa"][name], adapters["qab"][name]) for name in adapters["qaa"])
