"""Model cards: the hub's own client reads the metadata; the body says what is known, warnings first."""

import math

import numpy as np
import pytest
from huggingface_hub import ModelCard

from xstitch.results.model_card import Measured, Trivial, measured, model_card, trivial
from xstitch.results.scores import Score

FACTS = {
    "recipe": "rr-softmax",
    "method": "stitch",
    "task": "taxi1500",
    "rows": "texts",
    "labels": ["Faith", "Sin"],
    "language": "es",
    "language_name": "Spanish",
    "source": "en",
    "source_name": "English",
    "seed": 1,
    "scale": "real",
    "encoder": "sentence-transformers/all-MiniLM-L6-v2",
    "base_model": "sentence-transformers/all-MiniLM-L6-v2",
    "usage": {"language": "es", "task": "taxi1500", "segmentation": "unicode", "max_length": 100},
    "licences": [["weights: MiniLM", "Apache-2.0"], ["dictionary: muse", "CC BY-NC 4.0"]],
}
SCORES = [Measured("macro_f1", 0.512345, 0.4321, 0.6, 111), Measured("accuracy", 0.3, 0.2, 0.41, 111)]
COVERAGE = [
    {"measure": "words with vectors", "value": "379", "warning": "Only 379 words have vectors."},
    {"measure": "anchors", "value": "2000", "warning": ""},
]
BASELINE = Trivial("Faith", {"macro_f1": 0.1, "accuracy": 0.35})


def sections(text):
    """The lines below every heading."""
    parts = text.split("---\n", 2)[2].split("\n#")
    return {part.strip("# ").partition("\n")[0]: part.partition("\n")[2].strip() for part in parts}


def test_the_hub_reads_language_base_model_task_and_metrics():
    data = ModelCard(model_card(FACTS, SCORES, COVERAGE)).data
    assert data.language == ["es"]
    assert data.base_model == "sentence-transformers/all-MiniLM-L6-v2"
    assert data.pipeline_tag == "text-classification"
    assert (data.license, data.license_link) == ("other", "README.md#licences")
    first, second = data.eval_results
    assert (first.task_type, first.dataset_type, first.dataset_split) == (
        *("text-classification", "taxi1500", "test"),
    )
    assert (first.metric_type, first.metric_value, first.metric_args) == ("f1", 0.5123, {"average": "macro"})
    assert first.metric_name == "macro_f1, 95 % interval 0.432 to 0.600"
    assert (second.metric_type, second.metric_value) == ("accuracy", 0.3)


def test_the_card_warns_scores_and_names_licences():
    found = sections(model_card(FACTS, SCORES, COVERAGE, BASELINE))
    assert found["Warnings"].splitlines() == [
        "- Only 379 words have vectors.",
        "- By accuracy, it is no better than always answering Faith: do not use it.",
    ]
    assert "| macro_f1 | 0.512 | 0.432 to 0.600 | 0.100 |" in found["Evaluation"]
    assert "111 test texts in Spanish." in found["Evaluation"]
    assert "| anchors | 2000 |" in found["Coverage"]
    assert "| dictionary: muse | CC BY-NC 4.0 |" in found["Licences"]
    assert "No labelled text in Spanish was used" in found["taxi1500 in Spanish (es)"]
    assert "max_length=100" in found["Use"]


def test_without_test_texts_the_card_says_so():
    card = model_card(FACTS, [], [])
    assert ModelCard(card).data.eval_results is None
    assert "how well it works is unknown" in sections(card)["Evaluation"]
    assert "- It was not evaluated." in sections(card)["Limits"]
    assert "Coverage" not in sections(card)


@pytest.mark.parametrize(("tool", "told"), [("jieba", True), ("unicode", False), ("udpipe", False)])
def test_a_language_without_spaces_is_told_to_need_them(tool, told):
    facts = {**FACTS, "usage": {**FACTS["usage"], "segmentation": tool}}
    assert ("need spaces between them" in model_card(facts, [], [])) == told


def test_a_model_of_the_source_language_is_not_said_to_be_transferred():
    facts = {**FACTS, "method": "zero-shot", "language": "en", "language_name": "English"}
    assert "fine-tuned on labelled texts in English." in model_card(facts, [], [])


def test_intervals_come_from_resamples():
    score = Score("rr", "t", "en", "es", "test", "accuracy", 1, None, 50, "real")
    drawn = np.concatenate([[0.5], np.linspace(0.4, 0.6, 2001)])  # 2.5 % and 97.5 % of these: .405 and .595
    (row,) = measured([score._replace(value=drawn)])
    assert (row.metric, row.value, row.n) == ("accuracy", 0.5, 50)
    # On the logit scale: 1 / (1 + exp(.095 / .25)) and its counterpart.
    assert (row.low, row.high) == pytest.approx((1 / (1 + math.exp(0.38)), 1 / (1 + math.exp(-0.38))))


def test_what_cannot_be_resampled_has_no_interval():
    score = Score("rr", "t", "en", "es", "test", "other", 1, np.full(5, 0.7), 50, "real")
    assert measured([score]) == [Measured("other", 0.7, None, None, 50)]


def test_the_trivial_answer_is_scored_by_hand():
    # Always Faith: 3 of 4 right; F1 of Faith 2 * 3 / (3 + 4), of Sin 0.
    found = trivial(["Faith", "Sin", "Faith", "Faith"], ["Faith", "Sin"])
    assert found.label == "Faith"
    assert found.scores == pytest.approx({"accuracy": 0.75, "macro_f1": 6 / 7 / 2})
