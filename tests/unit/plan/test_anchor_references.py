"""Bootstrapped anchors in the configuration: one line for every mistake."""

from copy import deepcopy
from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.plan.anchor_references import check_bootstrap
from xstitch.plan.overlays import load
from xstitch.plan.settings import validate

ROOT = Path(__file__).parents[3]
CONFIG = load(ROOT / "config/config.yaml", [], {}, ROOT / "config")


def check(change):
    config = deepcopy(CONFIG)
    change(config)
    check_bootstrap(config, config["recipes"])


def test_the_default_is_fine():
    check(lambda _: None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda config: config["corpora"]["first-half"].update(part=[3, 2]),
            r"corpora\.first-half\.part: there is no part 3 of 2",
        ),
        (
            lambda config: config["tasks"]["retrieval"]["spaces"][0].update(vectors="glove"),
            r"tasks\.retrieval\.spaces\.FT\.vectors: 'glove' is not defined; legal: fasttext, ",
        ),
        (
            lambda config: config["tasks"]["vision"]["spaces"][1].update(images="dogs"),
            r"tasks\.vision\.spaces\.small\.images: 'dogs' is not defined; legal: cifar10",
        ),
        (
            lambda config: config["tasks"]["hyperparameters"]["recipes"].update(Retrieval="ao"),
            r"tasks\.hyperparameters\.recipes: 'ao' is not defined",
        ),
        (
            lambda config: config["recipes"]["anchors-ao"]["search"].pop("steps"),
            r"recipes\.anchors-ao\.search: the key 'steps' is missing for optimise",
        ),
        (
            lambda config: config["recipes"]["anchors-gt"].update(search={}),
            r"recipes\.anchors-gt\.search\.kind: None is none of none, given, seeds",
        ),
        (
            lambda config: config["recipes"]["heads-gt"]["encoders"].update(qab="bert"),
            r"recipes\.heads-gt\.encoders\.qab: 'bert' is not defined",
        ),
        (
            lambda config: config["recipes"]["heads-gt"].update(texts="bible"),
            r"recipes\.heads-gt\.texts: 'bible' is not defined",
        ),
        (
            lambda config: config["lexica"]["grown-15"].update(vectors="glove"),
            r"lexica\.grown-15\.vectors: 'glove' is not defined",
        ),
        (
            lambda config: config["lexica"]["grown-15"]["search"].update(kind="seeds"),
            r"lexica\.grown-15\.search\.kind: 'seeds' is none of optimise, alternate",
        ),
        (
            lambda config: config["lexica"]["ao-15"]["search"].pop("vocabulary"),
            r"lexica\.ao-15\.search: the key 'vocabulary' is missing for optimise",
        ),
    ],
)
def test_a_mistake_is_one_line(change, message):
    with pytest.raises(InputError, match=message):
        check(change)


@pytest.mark.parametrize(
    ("section", "entry", "change"),
    [
        ("tasks", "retrieval", {"targets": ["qab"]}),
        ("tasks", "retrieval", {"spaces": [{"name": "FT", "vectors": "fasttext"}]}),
        ("tasks", "taxi1500", {"targets": None}),
        ("images", "cifar10", {"folder": "pictures"}),
        ("vectors", "fasttext", {"buckets": None}),
        ("lexica", "both", {"lexica": ["muse"]}),
    ],
)
def test_the_schema_refuses(section, entry, change):
    config = deepcopy(CONFIG)
    for key, value in change.items():
        if value is None:
            config[section][entry].pop(key)
        else:
            config[section][entry][key] = value
    with pytest.raises(InputError):
        validate(config, ROOT / "workflow/schemas/config.schema.yaml")
