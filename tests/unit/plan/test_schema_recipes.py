"""Recipes in the configuration: one line for every mistake."""

import pytest
from configured import checked, refused


@pytest.mark.parametrize(
    ("recipe", "line"),
    [
        ({"x": {}}, "x: the key 'method' is missing; add it"),
        ({"lr": {"vectors": ...}}, "lr: the key 'vectors' is missing for logistic-regression; add it"),
        ({"lr": {"labels": 1}}, "lr.labels: 1 is not allowed; legal: at least 2"),
        (
            {"frozen-labels-10": {"labels": ...}},
            "frozen-labels-10: the key 'labels' is missing for labelled-h",
        ),
        (
            {"frozen-labels-10": {"head": {"folds": 1}}},
            "frozen-labels-10.head.folds: 1 is not allowed; legal: a",
        ),
        (
            {"contrastive-labels-10": {"training": ...}},
            "contrastive-labels-10: the key 'training' is missing for contrastive-head",
        ),
        (
            {"contrastive-labels-10": {"contrast": {"rounds": 0}}},
            "contrastive-labels-10.contrast.rounds: 0 is not allowed; legal: at least 1",
        ),
        (
            {"contrastive-labels-10": {"source_labels": True}},
            "contrastive-labels-10.source_labels: not for contrastive-head; leave it out",
        ),
        ({"lr": {"encoder": "mini-mono"}}, "lr.encoder: not for logistic-regression; leave it out"),
        ({"mbert": {"encoder": ...}}, "mbert: the key 'encoder' is missing for zero-shot; add it"),
        (
            {"ls": {"encoder": "mini-mono"}},
            "ls.encoder: not allowed with 'base', which has its own; remove it",
        ),
        ({"ls": {"base": ...}}, "ls: the key 'encoder' is missing for stitch; add it"),
        ({"ls": {"mapping": ...}}, "ls: the key 'mapping' is missing for stitch; add it"),
        ({"ls": {"mapping": {"tau": 1}}}, "ls.mapping.tau: not for least-squares; leave it out; legal: kind"),
        (
            {"rr-standard": {"mapping": {"tau": ...}}},
            "rr-standard.mapping: the key 'tau' is missing for relative",
        ),
        (
            {"rr-standard": {"mapping": {"weighting": "sum"}}},
            "rr-standard.mapping.weighting: 'sum' is not allowed",
        ),
        (
            {"rr-standard": {"mapping": {"k": 0}}},
            "rr-standard.mapping.k: 0 is not allowed; legal: at least 1",
        ),
        (
            {"rr-standard": {"mapping": {"tau": 0.0}}},
            "rr-standard.mapping.tau: 0.0 is not allowed; legal: more than 0",
        ),
        (
            {"skewed": {"skew": {"xnli": {}}}},
            "skewed.skew.xnli: needs either 'prior' or 'containing'",
        ),
        (
            {"skewed": {"skew": {"bible": {"containing": "O"}}}},
            "skewed.skew: 'bible' is not defined; legal (tasks): ",
        ),
        (
            {"heads-gt": {"encoders": {"qab": "bert"}}},
            "heads-gt.encoders.qab: 'bert' is not defined; legal (enc",
        ),
        (
            {"kd": {"training": {"learning_rate": 1.0e-4}}},
            "kd.training: not allowed with 'candidates', which has 'learning_rate'; remove it",
        ),
        (
            {"st": {"candidates": {"share": [0.1, 0.2]}}},
            "st.adaptation: not allowed with 'candidates', which has 'share'; remove it",
        ),
        ({"kd": {"candidates": {"learning_rate": []}}}, "kd.candidates.learning_rate: "),
        ({"kd": {"candidates": {"share": [0.1]}}}, "kd.candidates.share: "),
        ({"heads-gt": {"texts": "bible"}}, "heads-gt.texts: 'bible' is not defined; legal (tasks): "),
        (
            {"anchors-ao": {"search": {"steps": ...}}},
            "anchors-ao.search: the key 'steps' is missing for optimise",
        ),
        ({"anchors-gt": {"search": {}, "kind": "given"}}, "anchors-gt.kind: unknown key with value 'given'"),
        (
            {"iwda": {"adaptation": {"strenght": 1}}},
            "iwda.adaptation.strenght: unknown key with value 1; legal keys: ",
        ),
        (
            {"iwda": {"adaptation": {"weights": "guessed"}}},
            "iwda.adaptation.weights: 'guessed' is not allowed; legal: ",
        ),
        (
            {"iwda": {"adaptation": {"temperature": 3}}},
            "iwda.adaptation.temperature: unknown key with value 3",
        ),
        (
            {"mad-x": {"adapters": "mini"}},
            "mad-x.adapters: 'mini' is not defined; legal (adapters): mbert, xlmr",
        ),
        ({"mad-x": {"adapters": ...}}, "mad-x: the key 'adapters' is missing for adapters; add it"),
        ({"mad-x": {"encoder": "mini-multi"}}, "mad-x.encoder: not for adapters; leave it out"),
        (
            {"mad-x": {"task_adapter": {"reduction": 0}}},
            "mad-x.task_adapter.reduction: 0 is not allowed; legal:",
        ),
        (
            {"mad-x": {"task_adapter": {"stacking": "parallel"}}},
            "mad-x.task_adapter.stacking: 'parallel' is not allowed; legal: sequential, equation",
        ),
        ({"st": {"base": "mad-x"}}, "st.base: cannot start from recipe mad-x; legal methods: zero-shot"),
        ({"st": {"adaptation": {"share": 2}}}, "st.adaptation.share: 2 is not allowed; legal: at most 1"),
        (
            {"kd": {"adaptation": {"frozen_layers": -1}}},
            "kd.adaptation.frozen_layers: -1 is not allowed; legal: at",
        ),
    ],
)
def test_a_wrong_recipe_is_one_line(recipe, line):
    assert refused(recipes=recipe).startswith(f"recipes.{line}")


def test_training_may_be_partial():
    recipe = {"method": "zero-shot", "encoder": "mini-multi", "training": {"epochs": 1}}
    assert checked(recipes={"x": recipe})["recipes"]["x"] == recipe
