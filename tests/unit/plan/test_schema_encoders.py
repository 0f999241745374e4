"""Encoders in the configuration: one line for every mistake."""

import pytest
from configured import checked, refused


@pytest.mark.parametrize(
    ("encoder", "line"),
    [
        (
            {"mini-mono": {"origin": "grow"}},
            "mini-mono.origin: 'grow' is not allowed; legal: pretrain, continue, align",
        ),
        ({"mini-mono": {"repo": "a/b"}}, "mini-mono.repo: not for pretrain; leave it out"),
        (
            {"mini-mono": {"layrs": 2}},
            "mini-mono.layrs: unknown key with value 2; legal keys: origin, languages, ",
        ),
        ({"mini-mono": {"layrs": 2}}, "did you mean 'layers'?"),
        (
            {"mini-mono": {"training": {"batch_size": 0}}},
            "mini-mono.training.batch_size: 0 is not allowed; legal: at l",
        ),
        (
            {"mini-mono": {"training": {"schedule": "cosine"}}},
            "schedule: 'cosine' is not allowed; legal: linear, const",
        ),
        (
            {"mini-mono": {"training": {"epoch": 2}}},
            "training.epoch: unknown key with value 2; legal keys: learning_ra",
        ),
        (
            {"mini-mono": {"training": {"learning_rate": 0}}},
            "training.learning_rate: 0 is not allowed; legal: more tha",
        ),
        ({"mini-mono": {"training": {"seed": 1}}}, "mini-mono.training.seed: unknown key with value 1"),
        (
            {"mini-multi": {"training": {"learning_rate": ...}}},
            "mini-multi.training: the key 'learning_rate' is miss",
        ),
        ({"multi-mlm": {"loss": "cca"}}, "multi-mlm.loss: 'cca' is not allowed; legal: none, mse, dcca"),
        ({"multi-mlm": {"loss": "dcca"}}, "multi-mlm: the key 'alignment' is missing for loss dcca; add it"),
        (
            {"multi-x2s-mse": {"words_batch": 100, "words_part": 64}},
            "multi-x2s-mse.words_part: 64 does not divide words_batch (100)",
        ),
        (
            {"multi-wordot": {"problem": "sentences"}},
            "problem: 'sentences' is not allowed; legal: sentence, batch, tog",
        ),
        (
            {"multi-l2": {"units": "words", "cost": "euclidean"}},
            "multi-l2: loss l2 links words; remove units, cost: only for transport",
        ),
        (
            {"multi-wordot": {"cost": "cosine"}},
            "multi-wordot.cost: 'cosine' is not allowed; legal: squared, euclidean",
        ),
        ({"multi-l2": {"lambda": 1}}, "multi-l2.lambda: unknown key with value 1; legal keys: origin, "),
        ({"x": {"origin": "folder", "folder": ""}}, "x.folder: is empty; fill it in"),
        (
            {"x": {"origin": "package", "package": "a-b", "folder": "m"}},
            "x.package: 'a-b' is not allowed; legal: letters",
        ),
        (
            {"mini-vit-base": {"patch_size": ...}},
            "mini-vit-base: the key 'patch_size' is missing for random; add it",
        ),
    ],
)
def test_a_wrong_encoder_is_one_line(encoder, line):
    assert line in refused(encoders=encoder)


def test_the_path_of_a_mistake_is_where_it_was_written():
    assert refused(encoders={"aligned": {"blur": 0}}).startswith("encoders.aligned.blur: 0 is not allowed")


def test_missing_keys_are_not_filled_in():
    assert "masked" not in checked()["encoders"]["mini-mono"]  # its default is the library's


@pytest.mark.parametrize(
    ("adapters", "line"),
    [
        ({"mbert": {"encoder": "mini"}}, "mbert.encoder: 'mini' is not defined; legal (encoders): "),
        ({"mbert": {"reduction": 0}}, "mbert.reduction: 0 is not allowed; legal: at least 1"),
        ({"mbert": {"language_exponent": 0.5}}, "mbert.language_exponent: unknown key with value 0.5"),
        ({"mbert": {"languages": ["qab"]}}, "mbert.languages: unknown key with value ['qab']"),
    ],
)
def test_wrong_adapters_are_one_line(adapters, line):
    assert refused(adapters=adapters).startswith(f"adapters.{line}")
