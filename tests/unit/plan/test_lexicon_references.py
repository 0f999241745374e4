"""Lexica in the configuration: one line for every mistake."""

from pathlib import Path

import pytest
import yaml

from xstitch.core.errors import InputError
from xstitch.plan.lexicon_references import COMMON_KEYS, LEXICON_KEYS, check_lexica

SCHEMA = Path(__file__).parents[3] / "workflow/schemas/config.schema.yaml"
MUSE, PANLEX = {"kind": "muse"}, {"kind": "panlex-lite"}


def chained(first, second, through="qab"):
    return {"kind": "pivot", "lexica": [first, second], "through": through, "discount": 0.5}


def test_the_schema_and_the_readers_know_the_same_keys():
    entry = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))["properties"]["lexica"]["additionalProperties"]
    assert set(entry["properties"]["kind"]["enum"]) == set(LEXICON_KEYS)
    of_readers = {key for keys in LEXICON_KEYS.values() for key in keys}
    assert set(entry["properties"]) == {*COMMON_KEYS, *of_readers, "extends", "template"}


def test_a_lexicon_may_be_made_of_lexica_that_are_made_of_others():
    united = {"kind": "union", "lexica": ["muse", "chain"], "weights": {"chain": 0.1}}
    lexica = {"both": united, "chain": chained("muse", "panlex"), "muse": MUSE, "panlex": PANLEX}
    check_lexica(lexica, ["qaa", "qab", "qac"])


@pytest.mark.parametrize(
    ("lexicon", "message"),
    [
        ({"kind": "panlex-lite", "reverse": True}, r"lexica.x.reverse: not for panlex-lite; legal: kind"),
        (
            {"kind": "union", "lexica": ["muse", "mose"]},
            r"lexica.x.lexica: 'mose' is not defined; legal: x, m",
        ),
        ({"kind": "union", "lexica": ["muse", "p"], "weights": {"m": 1}}, r"lexica.x.weights: 'm' is not"),
        (chained("muse", "p", "de"), r"lexica.x.through: 'de' is not defined; legal: qaa, qab"),
        (chained("muse", "x"), r"lexica.x: is made of itself: x -> x"),
        (
            {"kind": "panlex-meanings", "dataset": "d", "file": "{iso}", "shards": {"en": 2}},
            r"lexica.x.shards: 'en' is not defined",
        ),
    ],
)
def test_mistakes_are_named(lexicon, message):
    with pytest.raises(InputError, match=message):
        check_lexica({"x": lexicon, "muse": MUSE, "p": PANLEX}, ["qaa", "qab"])


def test_a_circle_of_two_is_shown():
    lexica = {"a": {"kind": "union", "lexica": ["muse", "b"]}, "b": chained("a", "muse"), "muse": MUSE}
    with pytest.raises(InputError, match="a -> b -> a"):
        check_lexica(lexica, ["qaa", "qab"])
