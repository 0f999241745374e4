"""The ledgers of settings are true of the paper configuration, and complete."""

from copy import deepcopy
from functools import cache, reduce
from pathlib import Path

import pytest

from xstitch.plan.ledger import digest, ledger_problems
from xstitch.plan.overlays import lay, load
from xstitch.plan.reach import reached, value_at, with_defaults
from xstitch.plan.run import load_papers, load_run
from xstitch.plan.tables import written_ledgers
from xstitch.results.ledger import Setting, read_ledger

CONFIG = Path(__file__).parents[3] / "config"
PAPERS = load_papers(CONFIG / "papers")
COMPLETE = ["mosecrot", "bootstrap", "x2s", "iwda", "wordot"]


@cache
def loaded():
    return load(CONFIG / "config.yaml", [], {"scale": "paper"}, CONFIG)


def ledger(paper):
    return read_ledger(CONFIG / f"reference/{paper}.settings.tsv")


def changed(key, value):
    """Return the paper configuration with another value."""
    config = deepcopy(loaded())
    *parents, last = key.split(".")
    reduce(lambda parent, part: parent[part], parents, config)[last] = value
    return config


def problems(paper, config):
    return ledger_problems(ledger(paper), config, PAPERS[paper])


def setting(key, value, scope="all"):
    return Setting(tuple(scope.split(", ")), key, value, "chosen", "", "p.settings.tsv:2")


@pytest.mark.parametrize("paper", COMPLETE)
def test_every_setting_has_a_row_with_its_value(paper):
    found = problems(paper, loaded())
    assert not found, "see CONTRIBUTING, a setting:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("paper", "key", "value"),
    [
        ("mosecrot", "recipes.rr-softmax.training.learning_rate", 1e-3),
        ("mosecrot", "recipes.rr-sparsemax.mapping.k", 5),
        ("mosecrot", "recipes.mbert.training.epochs", 4),
        ("mosecrot", "anchors.sample-small.size", 501),
        ("mosecrot", "vectors.wiki.limit", 100000),
        ("mosecrot", "encoders.bert-base-cased.repo", "google-bert/bert-base-uncased"),
        ("mosecrot", "languages.mt.lexicon", "muse"),
        ("mosecrot", "seeds", [1]),
        ("bootstrap", "recipes.anchors-ao.search.steps", 25),
        ("bootstrap", "recipes.heads-ao.search.learning_rate", 0.02),
        ("x2s", "tasks.panx.training.epochs", 3),
        ("x2s", "vectors.x2s.layer", 7),
        ("x2s", "encoders.multi-x2s-dcca.training.steps", 750),
        ("wordot", "parallel.opus.pairs", 25000),
        ("wordot", "parallel.opus.words", "language"),
        ("wordot", "parallel.opus.corpora.sw", ["Tanzil/v1"]),
        ("wordot", "encoders.multi-wordot.training.learning_rate", 5e-4),
        ("wordot", "encoders.multi-wordot-large-10k.training.accumulation", 2),
        ("wordot", "encoders.multi-wordot.subword", "first"),
        ("wordot", "encoders.multi-wordot.layer", 8),
        ("wordot", "encoders.multi-l2.training.warmup", 0.0),
        ("wordot", "tasks.xnli.by_recipe.xlmr-slow.training.learning_rate", 2e-5),
        ("wordot", "tasks.xquad.training.keep", "best"),
        ("wordot", "recipes.wordot-large.seeds", [1, 2, 3, 4, 5]),
        ("iwda", "recipes.iwda.training.learning_rate", 1e-4),
        ("iwda", "recipes.xlmr-large-zero-shot.training.learning_rate", 1e-5),
        ("iwda", "recipes.iwda-oracle.adaptation.penalty", 5),
        ("iwda", "recipes.iwda-critic4.adaptation.critic_steps", 8),
        ("iwda", "recipes.kd.adaptation.temperature", 1),
        ("iwda", "tasks.conll.samples.adapted_size", 5000),
        ("iwda", "tasks.marc.fields", ["review_title", "review_body"]),
        ("iwda", "tasks.xnli.by_recipe.zero-shot.training.epochs", 5),
    ],
)
def test_another_value_is_reported(paper, key, value):
    found = problems(paper, changed(key, value))
    name = "encoders.bert-base-cased.*" if key.startswith("encoders.bert") else key
    assert any(f"{name} is" in line and "in the configuration, not" in line for line in found)


def _another(value, key):
    """Return another number that is legal for the same key; there are three classes of reviews, or five."""
    if key == "classes":
        return 8 - value
    return (2 * value if isinstance(value, int) else 0.75 * value) or 1


@pytest.mark.parametrize("paper", COMPLETE)
def test_no_number_can_change_unnoticed(paper):
    # All of them at once: every number stays legal.
    config, whole = deepcopy(loaded()), with_defaults(loaded())
    paths = [
        path
        for path in reached(loaded(), PAPERS[paper])
        if isinstance(value_at(whole, path), int | float) and not isinstance(value_at(whole, path), bool)
    ]
    for path in paths:
        value = value_at(whole, path)
        parent = reduce(lambda parent, key: parent.setdefault(key, {}), path[:-1], config)
        parent[path[-1]] = _another(value, path[-1])
    found = "\n".join(problems(paper, config))
    missed = [key for key in map(".".join, paths) if f" {key} is " not in found]
    assert len(paths) > 50
    assert not missed


def test_zero_is_not_false():
    key = "recipes.rr-standard.freeze_embeddings"
    rows = [*ledger("mosecrot"), setting(key, 0, "Table 1, Table 2, Table 3")]
    (found,) = [line for line in ledger_problems(rows, loaded(), PAPERS["mosecrot"]) if key in line]
    assert f"{key} is False in the configuration, not 0" in found


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("recipes.rr-softmax.mapping.centre", True),  # a key of the mapping that no row is for
        ("tasks.taxi1500.training", {"epochs": 2}),
        ("recipes.ls.base", "mbert-copy"),
    ],
)
def test_a_new_value_needs_a_row(key, value):
    config = changed(key, value)
    config["recipes"]["mbert-copy"] = deepcopy(config["recipes"]["mbert"])
    new = {"recipes.ls.base": "recipes.mbert-copy.encoder", "tasks.taxi1500.training": f"{key}.epochs"}
    assert any(
        line.startswith("no row for:") and new.get(key, key) in line for line in problems("mosecrot", config)
    )


def test_a_row_that_reaches_nothing_is_reported():
    rows = [*ledger("mosecrot"), setting("recipes.rr-cold.mapping.tau", 0.02)]
    (found,) = ledger_problems(rows, loaded(), PAPERS["mosecrot"])
    assert "recipes.rr-cold.mapping.tau reaches no table or figure" in found


def test_a_wrong_scope_is_reported():
    rows = [row for row in ledger("mosecrot") if row.key != "recipes.rr-k10.mapping.k"]
    rows.append(setting("recipes.rr-k10.mapping.k", 10, "Table 4"))
    assert ledger_problems(rows, loaded(), PAPERS["mosecrot"]) == [
        "p.settings.tsv:2: recipes.rr-k10.mapping.k is for Table 3, not Table 4"
    ]


def test_two_rows_that_are_as_precise_are_reported():
    rows = [*ledger("mosecrot"), setting("recipes.rr-k10.*apping.k", 10, "Table 3")]
    rows = [row for row in rows if row.key != "recipes.rr-k10.mapping.k"]
    rows.append(setting("recipes.rr-k10.mappin*.k", 10, "Table 3"))
    found = ledger_problems(rows, loaded(), PAPERS["mosecrot"])
    assert any(line.startswith("recipes.rr-k10.mapping.k: both") for line in found)


def test_a_digest_may_not_hide_numbers():
    tree = with_defaults(loaded())["recipes"]["rr-k10"]["mapping"]
    row = setting("recipes.rr-k10.mapping.*", digest(tree), "Table 3")
    rows = [other for other in ledger("mosecrot") if "rr-k10" not in other.key] + [row]
    found = [
        line for line in ledger_problems(rows, loaded(), PAPERS["mosecrot"]) if "rr-k10.mapping.*" in line
    ]
    assert any("has numbers below it" in line for line in found)


def reach(paper):
    return {".".join(path): shown for path, shown in reached(loaded(), PAPERS[paper]).items()}


def test_values_are_followed_to_tables():
    found = reach("mosecrot")
    assert found["recipes.rr-k1.mapping.k"] == {"Table 3"}
    assert found["recipes.original.encoder"] == {"Table 1", "Table 2"}  # by way of `ls`
    assert found["lexica.panlex.kind"] == {"Table 2", "Table anchors"}  # by way of languages
    assert found["recipes.rr-softmax.training.weight_decay"] == {"Table 1"}  # a default; Table 2 has its own
    assert found["recipes.rr-softmax.training.epochs"] == {
        "Table 2"
    }  # the reviews' own value wins in Table 1
    assert found["tasks.marc3.training.epochs"] == {"Table 1", "Table 3", "Table 4"}
    assert found["seeds"] == {"Table 1", "Table 2", "Table 3", "Table 4", "Table anchors"}


def test_what_no_table_needs_is_left_out():
    found = reach("mosecrot")
    assert "recipes.rr-agreeing.anchors" not in found  # only compared beyond the paper
    assert "Table anchors" not in found["recipes.rr-standard.mapping.k"]  # counting anchors maps nothing
    assert not any(key.startswith("recipes.ls.training") for key in found)  # of its base
    assert "languages.de.lexicon" not in reach("x2s")  # nothing is stitched


def test_spaces_alignments_and_what_they_name_are_followed():
    bootstrap, x2s = reach("bootstrap"), reach("x2s")
    assert bootstrap["recipes.anchors-ao.search.steps"] >= {"Table 1", "Table 3", "Figure 1"}
    assert bootstrap["images.cifar10.dataset"] == {"Table 7"}
    assert not any(key.startswith("recipes.anchors-alternating") for key in bootstrap)  # a row of ours
    assert "Table 3" not in bootstrap["recipes.heads-ao.training.learning_rate"]  # shows searches only
    assert x2s["vectors.x2s.layer"] >= {"Table 1", "Table 3"}  # by way of alignments and encoders
    assert "Table 12" not in x2s.get(
        "recipes.xlmr.training.batch_size", ()
    )  # sentence retrieval trains nothing
    assert x2s["corpora.cc100.sentences"] >= {"Table 1"}
    assert not any(shown == "Table 4" for names in x2s.values() for shown in names)  # a list of languages


def test_tables_of_sentences_depend_on_corpora_and_on_no_seeds_of_models():
    found = reach("wordot")
    assert "seeds" not in found
    assert found["seed"] >= {"Table 6", "Table 9"}
    assert "Table 6" in found["parallel.opus.corpora.zh"]
    assert found["encoders.multi-wordot-large.training.learning_rate"] >= {"Table 9", "Table 11"}
    assert not any(
        "adaptation" in key for key in found
    )  # a task's values for one recipe are of training only


def test_quoted_rows_and_overridden_values_are_left_out():
    found = reach("iwda")
    assert found["recipes.iwda-critic4.training.epochs"] == {"Table 5"}
    assert found["tasks.xnli.by_recipe.zero-shot.training.epochs"] == {"Figure 5"}
    assert "tasks.xnli.training.epochs" not in found  # the recipe's own value wins
    assert "tasks.xnli.by_recipe.zero-shot.adaptation.strength" not in found  # nobody set it
    assert "Table corrections" not in found["recipes.iwda-oracle.adaptation.weights"]
    assert not any("published" in key for key in found)


def test_target_sets_reach_what_measures_on_them_or_adapts_to_them():
    found = reach("iwda")
    assert found["tasks.marc.samples.size"] == {"Figure 1", "Figure 2", "Figure 6", "Figure 8"}
    assert found["tasks.marc.samples.adapted_size"] == {"Table corrections", "Figure 3", "Figure 9"}
    assert "tasks.conll.samples.size" not in found  # only adapted to


def test_adapters_are_followed_and_a_rows_own_tasks_heeded():
    found = reach("wordot")
    assert found["adapters.mbert.reduction"] == {"Table 1", "Table 7"}
    assert found["adapters.xlmr.encoder"] == {"Table 7"}
    assert found["tasks.xquad.by_recipe.mad-x.training.epochs"] == {"Table 1", "Table 7"}
    assert not [key for key in found if key.startswith("tasks.xquad.by_recipe.mad-x.adaptation")]
    assert "recipes.mad-x.training.epochs" not in found  # XQuAD has its own; XNLI is not run
    assert "corpora.wikipedia-long.sentences" in found


def test_the_index_reads_the_ledgers_that_are_written(tmp_path, monkeypatch):
    run = load_run(lay(CONFIG / "config.yaml", [], {"scale": "paper"}, CONFIG), CONFIG.parent)
    (tmp_path / "config/reference").mkdir(parents=True)
    (tmp_path / "config/reference/x2s.settings.tsv").touch()
    monkeypatch.chdir(tmp_path)
    assert written_ledgers(run) == ["config/reference/x2s.settings.tsv"]
