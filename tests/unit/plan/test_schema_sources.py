"""Languages, corpora, lexica and other sources in the configuration: one line for every mistake."""

import pytest
from configured import checked, refused


def chained(first, second, through="qab"):
    return {"kind": "pivot", "lexica": [first, second], "through": through, "discount": 0.5}


def test_a_lexicon_can_be_made_from_lexica_that_are_made_from_others():
    united = {"kind": "union", "lexica": ["muse", "chain"], "weights": {"chain": 0.1}}
    assert (
        checked(lexica={"united": united, "chain": chained("muse", "panlex")})["lexica"]["united"] == united
    )


@pytest.mark.parametrize(
    ("lexicon", "line"),
    [
        (
            {"kind": "panlex-lite", "reverse": True},
            "lexica.x.reverse: not for panlex-lite; leave it out; legal: kind, min_score, extends, template",
        ),
        ({"kind": "tsv"}, "lexica.x: the key 'folder' is missing for tsv; add it"),
        ({"reverse": True}, "lexica.x: the key 'kind' is missing; add it"),
        (
            {"kind": "must"},
            "lexica.x.kind: 'must' is not allowed; legal: muse, muse-train, tsv, panlex-lite, "
            "panlex-swadesh, panlex-meanings, union, pivot, bootstrap",
        ),
        (
            {"kind": "muse", "min_score": "1"},
            "lexica.x.min_score: '1' is not allowed; legal: a number; for",
        ),
        (
            {"kind": "union", "lexica": ["muse", "mose"]},
            "lexica.x.lexica: 'mose' is not defined; legal (lexica): muse",
        ),
        (
            {"kind": "union", "lexica": ["muse"]},
            "lexica.x.lexica: ['muse'] is not allowed; legal: at least 2",
        ),
        ({"kind": "union", "lexica": ["muse", "muse"]}, "lexica.x.lexica: 'muse' is listed twice"),
        (
            {"kind": "union", "lexica": ["muse", "panlex"], "weights": {"m": 1}},
            "lexica.x.weights: 'm' is not one of its lexica; legal: muse, panlex",
        ),
        (
            {"kind": "union", "lexica": ["muse", "panlex"], "weights": {"muse": 0}},
            "lexica.x.weights.muse: 0 is not allowed; legal: more than 0",
        ),
        (
            chained("muse", "panlex", "de"),
            "lexica.x.through: 'de' is not defined; legal (languages): qaa, qab",
        ),
        (
            {**chained("muse", "panlex"), "lexica": ["muse"]},
            "lexica.x.lexica: ['muse'] is not allowed; legal: exactly 2 entries",
        ),
        (chained("muse", "x"), "lexica.x: is made from itself: x -> x; remove one"),
        (
            {"kind": "panlex-meanings", "dataset": "d", "file": "{iso}", "shards": {"en": 2}},
            "lexica.x.shards: 'en' is not defined; legal (languages)",
        ),
        (
            {"kind": "panlex-meanings", "dataset": "d", "file": "{lang}.tsv"},
            "lexica.x.file: '{lang}.tsv' is not allowed; legal: a name with {iso}",
        ),
    ],
)
def test_a_wrong_lexicon_is_one_line(lexicon, line):
    assert refused(lexica={"x": lexicon}).startswith(line)


def test_a_circle_of_two_lexica_is_shown():
    a = {"kind": "union", "lexica": ["muse", "b"]}
    assert refused(lexica={"a": a, "b": chained("a", "muse")}).endswith("a -> b -> a; remove one")


@pytest.mark.parametrize(
    ("overlay", "line"),
    [
        (
            {"corpora": {"first-half": {"part": [3, 2]}}},
            "corpora.first-half.part: there is no part 3 of 2",
        ),
        (
            {"corpora": {"first-half": {"part": [1]}}},
            "corpora.first-half.part: [1] is not allowed; legal: exactly 2 entries",
        ),
        (
            {"corpora": {"wikipedia": {"min_tokens": 3}}},
            "corpora.wikipedia.min_tokens: not for paragraphs; leave it out",
        ),
        (
            {"corpora": {"sampled": {"min_tokens": ...}, "cc100": {"min_tokens": ...}}},
            "corpora.cc100: the key 'min_tokens' is missing for sentences; add it",
        ),
        (
            {"corpora": {"wikipedia": {"file": ...}}},
            "corpora.wikipedia: needs both 'dataset' and 'file', or neither",
        ),
        ({"corpora": {"cc100": {"share": 0}}}, "corpora.cc100.share: 0 is not allowed; legal: more than 0"),
        (
            {"corpora": {"cc100": {"files": {"qab": ""}}}},
            "corpora.cc100.files.qab: is empty; fill it in",
        ),
        (
            {"parallel": {"opus": {"corpora": {"qab": ["Europarl"]}}}},
            "parallel.opus.corpora.qab.0: 'Europarl' is not allowed; legal: NAME/VERSION",
        ),
        (
            {"parallel": {"opus": {"words": "perl"}}},
            "parallel.opus.words: 'perl' is not allowed; legal: moses, language",
        ),
        (
            {"images": {"cifar10": {"folder": "pictures"}}},
            "images.cifar10: needs either 'dataset' and 'files', or 'folder'",
        ),
        (
            {"images": {"new": {"size": None, "dataset": "cifar10"}}},
            "images.new: needs either 'dataset' and 'files', or",
        ),
        (
            {"languages": {"qab": {"tokeniser": "icu"}}},
            "languages.qab.tokeniser: unknown key with value 'icu'; legal keys: lexicon, name, family, "
            "script, tokenizer, ebible, panlex, cc100, tatoeba, conll, extends, template; did you mean "
            "'tokenizer'?",
        ),
    ],
)
def test_a_wrong_source_is_one_line(overlay, line):
    assert refused(**overlay).startswith(line)
