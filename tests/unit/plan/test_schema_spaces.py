"""Vectors, alignments, anchors and searches in the configuration: one line for every mistake."""

import pytest
from configured import checked, refused

SEARCH = {"kind": "given", "anchors": 9, "seeds": 3}
OPTIMISE = {**SEARCH, "kind": "optimise", "steps": 9, "learning_rate": 0.1, "sinkhorn": {}}
ALTERNATE = {**SEARCH, "kind": "alternate", "start": {}, "learning": {}, "vocabulary": 9, "restarts": 1}


@pytest.mark.parametrize(
    ("vectors", "line"),
    [
        (
            {"fasttext": {"buckets": ...}, "trained": {"buckets": ...}},
            ": the key 'buckets' is missing for fasttext",
        ),
        (
            {"word2vec": {"program": "glove"}},
            "word2vec.program: 'glove' is not allowed; legal: fasttext, word2vec",
        ),
        ({"fasttext": {"corpus": "x"}}, "fasttext.corpus: 'x' is not defined; legal (corpora): cc100"),
        ({"fasttext": {"files": {"qab": "x"}}}, "fasttext.files: not for train; leave it out"),
        ({"wiki": {"limit": 0}}, "wiki.limit: 0 is not allowed; legal: at least 1"),
        ({"wiki": {"limit": "all"}}, "wiki.limit: 'all' is not allowed; legal: a whole number or null"),
        ({"wiki": {"file": ...}}, "wiki: needs 'dataset' and 'file', or 'files' by language"),
        ({"x2s-ma": {"alignment": "x"}}, "x2s-ma.alignment: 'x' is not defined; legal (alignments): "),
        # Checked by the library's own settings.
        ({"x2s": {"encoder": "x"}}, "x2s.encoder: 'x' is not defined; legal (encoders): "),
        ({"x2s": {"layers": 6}}, "x2s.layers: unknown key with value 6; legal keys: method, origin, layer, "),
        ({"x2s": {"method": "mean"}}, "x2s.method: 'mean' is not allowed; legal: x2static, aggregation"),
        (
            {"x2s": {"context": "document"}},
            "x2s.context: 'document' is not allowed; legal: sentence, paragraph",
        ),
        ({"x2s": {"epochs": 0}}, "x2s.epochs: 0 is not allowed; legal: at least 1"),
        ({"x2s": {"layer": 1.5}}, "x2s.layer: 1.5 is not allowed; legal: a whole number"),
        (
            {"x2s": {"threshold": "5e-6"}},
            "x2s.threshold: '5e-6' is not allowed; legal: a number; for a number, ",
        ),
        ({"x2s": {"max_contexts": -1}}, "x2s.max_contexts: -1 is not allowed; legal: at least 1"),
        ({"x2s": {"min_count": None}}, "x2s.min_count: None is not allowed; legal: a whole number"),
        ({"x2s": {"lowercase": "no"}}, "x2s.lowercase: 'no' is not allowed; legal: true or false"),
        ({"x2s": {"layer": ...}}, "x2s: the key 'layer' is missing for distill; add it"),
    ],
)
def test_wrong_vectors_are_one_line(vectors, line):
    assert line in refused(vectors=vectors)


def test_word2vec_needs_no_buckets():
    assert "buckets" not in checked()["vectors"]["word2vec"]


@pytest.mark.parametrize(
    ("alignment", "line"),
    [
        ({"method": "magic"}, ".method: 'magic' is not allowed; legal: none, orthogonal, supervised, "),
        ({"method": "supervised"}, ": the key 'dictionary' is missing for supervised; add it"),
        ({"method": "semi-supervised"}, ": the key 'dictionary' is missing for semi-supervised; add it"),
        ({"method": "none", "dictionary": "muse"}, ".dictionary: not for none; leave it out"),
        (
            {"method": "orthogonal", "dictionary": "muze"},
            ".dictionary: 'muze' is not defined; legal (lexica and alignments): muse",
        ),
        ({"method": "unsupervised", "keep": 0}, ".keep: 0 is not allowed; legal: more than 0"),
        ({"method": "unsupervised", "patience": 0}, ".patience: 0 is not allowed; legal: at least 1"),
        ({"method": "unsupervised", "growth": 1}, ".growth: 1 is not allowed; legal: more than 1"),
        ({"method": "unsupervised", "seed": 1}, ".seed: unknown key with value 1"),
        ({"method": "unsupervised", "validation": "x"}, ".validation: 'x' is not defined; legal (lexica): "),
        (
            {"method": "rcsls", "dictionary": "muse", "constraint": "round"},
            ".constraint: 'round' is not allowed; legal: none, spectral",
        ),
        ({"method": "rcsls", "dictionary": "muse", "step": 0}, ".step: 0 is not allowed; legal: more than 0"),
    ],
)
def test_a_wrong_alignment_is_one_line(alignment, line):
    assert refused(alignments={"x": {"vectors": "fasttext", **alignment}}).startswith(f"alignments.x{line}")


@pytest.mark.parametrize(
    ("anchors", "line"),
    [
        (
            {"pairing": "by-target"},
            "pairing: 'by-target' is not allowed; legal: one-to-one, by-source",
        ),
        (
            {"choice": "best"},
            "choice: 'best' is not allowed; legal: source-frequency, first-listed, highest-score",
        ),
        ({"agreement": {"k": 0}}, "agreement.k: 0 is not allowed; legal: at least 1"),
        ({"agreement": {"k": 5, "folds": 1}}, "agreement.folds: 1 is not allowed; legal: at least 2"),
        ({"agreement": {"k": 5, "csls_k": 0}}, "agreement.csls_k: 0 is not allowed; legal: at least 1"),
        ({"agreement": True}, "agreement: True is not allowed; legal: keys with values or null"),
        (
            {"stop_words": -1},
            "stop_words: -1 is not allowed; legal: a list, or a whole number of at least 0, or pack",
        ),
        ({"stop_words": [1]}, "stop_words: [1] is not allowed; legal: a list, or a whole number"),
        ({"fold_target": True}, "fold_target: unknown key with value True"),
    ],
)
def test_wrong_anchors_are_one_line(anchors, line):
    assert refused(anchors={"full": anchors}).startswith(f"anchors.full.{line}")


def test_agreement_needs_its_k():
    assert refused(anchors={"full": {"agreement": {}}}).startswith(
        "anchors.full.agreement: the key 'k' is missing"
    )


@pytest.mark.parametrize(
    ("search", "line"),
    [
        ({"anchors": 9, "seeds": 3}, ": the key 'kind' is missing; add it"),
        (
            {**SEARCH, "kind": "sought"},
            ".kind: 'sought' is not allowed; legal: none, given, seeds, optimise, alternate, words",
        ),
        ({**SEARCH, "steps": 9}, ".steps: not for given; leave it out; legal: kind, anchors, seeds"),
        ({**SEARCH, "anchors": 0}, ".anchors: 0 is not allowed; legal: at least 1"),
        ({**SEARCH, "kind": "optimise"}, ": the key 'steps' is missing for optimise; add it"),
        ({**OPTIMISE, "steps": 0}, ".steps: 0 is not allowed; legal: at least 1"),
        ({**OPTIMISE, "learning_rate": 0}, ".learning_rate: 0 is not allowed; legal: more than 0"),
        ({**OPTIMISE, "sinkhorn": {"eps": 0}}, ".sinkhorn.eps: 0 is not allowed; legal: more than 0"),
        (
            {**OPTIMISE, "sinkhorn": {"iterations": 0}},
            ".sinkhorn.iterations: 0 is not allowed; legal: at least 1",
        ),
        ({**OPTIMISE, "vocabulary": 9}, ".vocabulary: not for optimise; leave it out"),
        ({**ALTERNATE, "restarts": 0}, ".restarts: 0 is not allowed; legal: at least 1"),
        ({**ALTERNATE, "vocabulary": 0}, ".vocabulary: 0 is not allowed; legal: at least 1"),
        ({**ALTERNATE, "learning": {"keep": 2}}, ".learning.keep: 2 is not allowed; legal: at most 1"),
    ],
)
def test_a_wrong_search_is_one_line(search, line):
    recipe = {"method": "relative", "search": search}
    assert refused(recipes={"x": recipe}).startswith(f"recipes.x.search{line}")


@pytest.mark.parametrize("search", [SEARCH, {**SEARCH, "seeds": None}, OPTIMISE, ALTERNATE])
def test_no_defaults_are_filled_into_a_search(search):
    assert (
        checked(recipes={"x": {"method": "relative", "search": search}})["recipes"]["x"]["search"] == search
    )


def test_a_lexicon_always_searches_among_frequent_words():
    lexicon = {"kind": "bootstrap", "lexica": ["panlex"], "vectors": "fasttext"}
    line = refused(lexica={"x": {**lexicon, "search": SEARCH}})
    legal = "seeds, optimise, alternate, centroids, gromov"
    assert line == f"lexica.x.search.kind: 'given' is not allowed; legal: {legal}"
    line = refused(lexica={"x": {**lexicon, "search": OPTIMISE}})
    assert line == "lexica.x.search: the key 'vocabulary' is missing for optimise; add it"
    checked(lexica={"x": {**lexicon, "search": {**OPTIMISE, "vocabulary": 9}}})
    checked(lexica={"x": {**lexicon, "search": ALTERNATE}})


@pytest.mark.parametrize("kind", ["centroids", "gromov"])
def test_a_lexicon_may_be_searched_for_without_a_known_pair(kind):
    lexicon = {"kind": "bootstrap", "lexica": ["panlex"], "vectors": "fasttext"}
    search = {"kind": kind, "anchors": 9, "seeds": 0, "vocabulary": 99}
    checked(lexica={"x": {**lexicon, "search": search}})
    checked(lexica={"x": {**lexicon, "search": {**ALTERNATE, "seeds": 0}}})
    too_many = {"centroids": {"clusters": 201}, "gromov": {"words": 5001}}[kind]
    key = next(iter(too_many))
    line = refused(lexica={"x": {**lexicon, "search": {**search, **too_many}}})
    assert line.startswith(f"lexica.x.search.{key}: ")
    line = refused(recipes={"x": {"method": "relative", "search": {**SEARCH, "seeds": 0}}})
    assert line.startswith("recipes.x.search.seeds: ")
