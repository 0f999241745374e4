"""The configuration: one line for every mistake, recipes resolved."""

from copy import deepcopy
from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.plan.extends import merge, resolve
from xstitch.plan.overlays import SCALES, lay
from xstitch.plan.references import check_references
from xstitch.plan.settings import load_tsv, refuse_repeated_keys, typed, validate

ROOT = Path(__file__).parents[3]
DEFAULT = lay(ROOT / "config/config.yaml", [], {}, ROOT / "config")


def changed(**changes):
    return merge(deepcopy(DEFAULT), changes)


def refusal(config):
    with pytest.raises(InputError) as caught:
        validate(config)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("scale", SCALES)
def test_the_shipped_configurations_are_legal(scale):
    written = lay(ROOT / "config/config.yaml", [], {"scale": scale}, ROOT / "config")
    config = validate(written)
    languages = load_tsv(ROOT / "config/languages.tsv", "language")
    check_references(config, languages)


@pytest.mark.parametrize("file", sorted((ROOT / "config").rglob("*.yaml")), ids=lambda file: file.name)
def test_no_shipped_file_repeats_a_key(file):
    refuse_repeated_keys(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: {c: 3}\n", "x.yaml:3: the key 'a' is already on line 1; join the two"),
        ("a:\n  - {b: 1}\n  - b: 1\n    b: 2\n", "x.yaml:4: the key 'b' is already on line 3"),
    ],
)
def test_a_repeated_key_is_refused(tmp_path, text, message):
    file = tmp_path / "x.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        refuse_repeated_keys(file)
    file.write_text("a: &a {b: 1}\nc: {<<: *a, b: 2}\nd: *a\n", encoding="utf-8")
    refuse_repeated_keys(file)


def test_scores_of_the_mini_world_cannot_be_labelled_real():
    config = resolve(changed(scale="paper"))
    with pytest.raises(InputError, match="scale: 'paper', but mirror: results/world is the mini world"):
        check_references(config, dict.fromkeys(config["languages"]))


def test_the_source_language_cannot_be_a_target():
    config = resolve(changed(source="qab"))
    with pytest.raises(
        InputError, match=r"targets: qab is the source language; name other targets, or another"
    ):
        check_references(config, dict.fromkeys(config["languages"]))


def test_no_language_has_the_name_of_the_mean_over_languages():
    config = resolve(changed(languages={"mean": {"name": "Mean"}}))
    with pytest.raises(InputError, match=r"^config: languages\.mean: stands for the mean over languages"):
        check_references(config, dict.fromkeys(config["languages"]))


def test_values_of_the_command_line_are_typed():
    given = {"seeds": ["1", "2"], "seed": 3, "tasks": {"marc": {"share": "0.5", "targets": ["no", "de"]}}}
    assert typed(given) == {
        "seeds": [1, 2],
        "seed": 3,
        "tasks": {"marc": {"share": 0.5, "targets": ["no", "de"]}},
    }


def test_a_misspelt_key_is_named_with_the_legal_ones():
    message = refusal(changed(sclae="mini"))
    assert "sclae" in message
    assert "did you mean 'scale'?" in message
    assert "'mini'" in message


def test_a_nested_misspelt_key_is_named_with_its_path():
    message = refusal(changed(recipes={"rr-standard": {"mapping": {"wieghting": "softmax"}}}))
    assert "recipes.rr-standard.mapping.wieghting" in message
    assert "did you mean 'weighting'?" in message


def test_a_wrong_value_is_named_with_the_legal_ones():
    message = refusal(changed(recipes={"rr-standard": {"mapping": {"weighting": "sofmax"}}}))
    assert "recipes.rr-standard.mapping.weighting: 'sofmax'" in message
    assert "standard, softmax, sparsemax" in message


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        ({"seeds": []}, "config: seeds: at least one is needed"),
        ({"seeds": [1, 1]}, "config: seeds: 1 is listed twice; name it once"),
        ({"seeds": [2**32]}, "seeds.0"),
        ({"seed": -1}, "seed"),
        ({"seed": "one"}, "seed"),
        ({"corpora": {"cc100": {"share": 1.5}}}, "corpora.cc100.share"),
        ({"recipes": {"Bad Name": {}}}, "Bad Name"),
        ({"encoders": {"x": {"origin": "download", "repo": "a/b", "files": ["c"]}}}, "revision"),
        ({"encoders": {"multi-mlm": {"loss": "dcca"}}}, "encoders.multi-mlm: the key 'alignment' is missing"),
        (
            {"encoders": {"multi-mlm": {"loss": "l2"}}},
            "encoders.multi-mlm.loss: 'l2' is not allowed; legal: none",
        ),
        ({"encoders": {"multi-l2": {"problem": "all"}}}, "encoders.multi-l2.problem: 'all' is not allowed"),
        (
            {"parallel": {"opus": {"corpora": {"qab": ["Europarl"]}}}},
            "parallel.opus.corpora.qab.0: 'Europarl'",
        ),
        ({"lexica": {"own": {"kind": "tsv"}}}, "folder"),
        ({"recipes": {"rr-standard": {"mapping": {"k": 0}}}}, "recipes.rr-standard.mapping.k"),
        ({"recipes": {"rr-standard": {"targets": []}}}, "recipes.rr-standard.targets"),
        ({"tasks": {"marc3": {"classes": 4}}}, "tasks.marc3.classes: 4 is not allowed; legal: 3, 5"),
        ({"tasks": {"marc3": {"fields": ["title"]}}}, "tasks.marc3.fields.0: 'title'"),
        ({"tasks": {"marc3": {"train_limit": 0}}}, "tasks.marc3.train_limit"),
        (
            {"tasks": {"new": {"kind": "marc", "targets": ["qab"], "max_length": 9}}},
            "key 'classes' is missing",
        ),
        ({"tasks": {"new": {"kind": "taxi1500", "targets": ["qab"]}}}, "key 'max_length' is missing"),
        (
            {"anchors": {"full": {"stop_words": "nltk"}}},
            "anchors.full.stop_words: 'nltk' is not allowed; legal: a list, or a whole number of at least 0",
        ),
        (
            {"lexica": {"two-hop": {"lexica": ["muse"]}}},
            "two-hop.lexica: ['muse'] is not allowed",
        ),
        ({"lock": ""}, "config: lock: is empty; fill it in"),
        ({"languages": {"XX": {}}}, "languages.XX: 'XX' is not a legal name; legal: lowercase letters"),
        (
            {"images": {"new": {"size": None}}},
            "images.new: needs either 'dataset' and 'files', or 'folder'",
        ),
        (
            {"tasks": {"retrieval": {"targets": ["qab"]}}},
            "tasks.retrieval.targets: not for spaces; leave it out",
        ),
        ({"portable": 1}, "portable: 1 is not allowed; legal: true or false"),
    ],
)
def test_wrong_values_are_refused_with_their_path(change, fragment):
    assert fragment in refusal(changed(**change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recipes": {"mbert": {"encoder": "bert"}}}, "recipes.mbert.encoder: 'bert' is not defined"),
        ({"recipes": {"ls": {"base": "none"}}}, "recipes.ls.base: 'none'"),
        ({"recipes": {"rr-kall": {"targets": ["xx"]}}}, "recipes.rr-kall.targets: 'xx'"),
        ({"languages": {"qab": {"lexicon": "x"}}}, "languages.qab.lexicon: 'x'"),
        ({"languages": {"xx": {}}}, "languages.xx: 'xx'"),
        ({"tasks": {"taxi1500": {"targets": ["de"]}}}, "tasks.taxi1500.targets: 'de'"),
        ({"source": "xx"}, "config: source: 'xx'"),
        ({"anchors": {"full": {"vectors": "x"}}}, "anchors.full.vectors: 'x'"),
        ({"alignments": {"x2s-m": {"vectors": "x"}}}, "alignments.x2s-m.vectors: 'x'"),
        ({"alignments": {"x2s-ma": {"dictionary": "x"}}}, "alignments.x2s-ma.dictionary: 'x'"),
        (
            {"alignments": {"fasttext-unsup": {"validation": "x"}}},
            "alignments.fasttext-unsup.validation: 'x'",
        ),
        ({"vectors": {"fasttext": {"corpus": "x"}}}, "vectors.fasttext.corpus: 'x'"),
        ({"encoders": {"mini-mono": {"languages": ["xx"]}}}, "encoders.mini-mono.languages: 'xx'"),
        ({"encoders": {"multi-mlm": {"base": "x"}}}, "encoders.multi-mlm.base: 'x' is not defined"),
        ({"encoders": {"multi-l2": {"parallel": "x"}}}, "encoders.multi-l2.parallel: 'x' is not defined"),
        ({"encoders": {"multi-x2s-mse": {"alignment": "x"}}}, "encoders.multi-x2s-mse.alignment: 'x'"),
        ({"recipes": {"ls": {"encoder": "mini-mono"}}}, "recipes.ls.encoder: not allowed with 'base'"),
        ({"recipes": {"new": {"method": "stitch"}}}, "recipes.new: the key 'anchors' is missing for stitch"),
    ],
)
def test_references_to_nothing_are_refused(change, message):
    languages = load_tsv(ROOT / "config/languages.tsv", "language")
    with pytest.raises(InputError, match=message):
        check_references(validate(changed(**change)), languages)


def test_bad_tables_of_the_configuration_name_the_line(tmp_path):
    path = tmp_path / "languages.tsv"
    path.write_text("language\tname\nxx\tX\nxx\tY\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"languages.tsv:3: language 'xx' is listed twice"):
        load_tsv(path, "language")
    path.write_text("language\tname\nxx\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"languages.tsv:2: "):
        load_tsv(path, "language")
