"""Curves: the recipes and files behind their points, and what each point was given."""

from dataclasses import replace

import pytest
from small_run import asked, default_run, paper_run, small_run

from xstitch.core.errors import InputError
from xstitch.plan.cases import (
    contrastive_cases,
    contrastive_input,
    contrastive_settings,
    evaluated_languages,
    features_input,
    label_draws,
    labelled_cases,
    labelled_input,
    labelled_settings,
    labels_drawn,
)
from xstitch.plan.curves import (
    counted_files,
    curve_amounts,
    curve_chains,
    curve_files,
    curve_labels,
    curve_names,
    curve_predictions,
    curve_spec,
)

FROZEN = {
    "frozen": {"method": "frozen", "seeds": [0], "encoder": "mono"},
    "frozen-rr": {"method": "stitch", "seeds": [0], "base": "frozen", "anchors": "full", "mapping": {}},
    "own": {"method": "standardise", "seeds": [0], "base": "frozen-rr"},
    "few": {"method": "labelled-head", "base": "frozen-rr", "labels": 10, "seeds": [0, 1], "targets": ["de"]},
    "alone": {"method": "labelled-head", "base": "frozen-rr", "labels": None, "source_labels": False},
    "tuned": {
        "method": "contrastive-head",
        "base": "frozen-rr",
        "labels": 10,
        "contrast": {"rounds": 3},
        "training": {"epochs": 1, "learning_rate": 1e-3},
    },
    "lr-few": {"method": "logistic-regression", "vectors": "half", "labels": 5, "seeds": [3]},
}
ROWS = [
    {"row": "S", "recipe": "own"},
    {"row": "S", "recipe": "few"},
    {"row": "LR", "recipe": "lr-few"},
    {"row": "none", "recipe": "frozen-rr", "level": True},
]
PAIRS = [{"row": "LR", "over": "S"}, {"row": "LR", "over": "none"}]


def make_run(axis="labels", rows=ROWS, **changes):
    run = small_run(vectors={"half": {"origin": "train", "corpus": "web", "sentences": 3}}, **changes)
    curve = {"task": "verses", "axis": axis, "rows": rows, "crossings": PAIRS}
    papers = {**run.papers, "first": {**run.papers["first"], "curves": {"some": curve}}}
    return replace(run, recipes={**run.recipes, **FROZEN}, papers=papers)


CURVE = asked(paper="first", curve="some")


def amounts(run):
    return {
        (part["recipe"], part["target"]): (part["file"], part["most"]) for part in curve_amounts(run, CURVE)
    }


def test_curves_of_a_run():
    assert curve_names(make_run()) == ["some"]
    assert curve_files(make_run()) == ["results/figures/first/some.svg"]
    assert curve_labels(make_run(), CURVE)[0] == "Recommendation"
    with pytest.raises(InputError, match=r"^second has no curve some; its curves: none$"):
        curve_spec(make_run(), asked(paper="second", curve="some"))


def test_rows_that_are_left_out_take_their_crossings_with_them():
    assert curve_spec(make_run(), CURVE)["crossings"] == PAIRS
    spec = curve_spec(make_run(without=["frozen-rr"]), CURVE)
    assert [row["recipe"] for row in spec["rows"]] == ["own", "few", "lr-few"]
    assert spec["crossings"] == PAIRS[:1]


def test_predictions_chain_by_chain():
    run = make_run(chains=2, rows=ROWS[:2])
    first = ["results/predictions/own/verses/en.parquet", "results/predictions/few/verses/en.parquet"]
    assert curve_predictions(run, CURVE) == [*first, *(f"chains/2/{file}" for file in first)]
    assert curve_chains(run, CURVE) == ["1", "2"]


def test_labels_are_counted_in_the_training_texts():
    assert amounts(make_run()) == {
        ("own", "de"): ("", 0),
        ("own", "sw"): ("", 0),
        ("few", "de"): ("results/tasks/verses/de/train.parquet", 10),
        ("lr-few", "de"): ("results/tasks/verses/de/train.parquet", 5),
        ("lr-few", "sw"): ("results/tasks/verses/sw/train.parquet", 5),
    }
    german, swahili = (f"results/tasks/verses/{lang}/train.parquet" for lang in ("de", "sw"))
    files = [german, german, swahili]
    assert counted_files(make_run(chains=2), CURVE) == [*files, *(f"chains/2/{file}" for file in files)]


def test_pairs_are_the_anchors_behind_a_model():
    run = make_run("pairs", ROWS[:1])
    assert amounts(run)["own", "de"] == ("results/anchors/full/mono/en-de.parquet", None)


def test_text_is_what_the_vectors_were_trained_on():
    found = amounts(make_run("sentences", [ROWS[0], ROWS[2]]))
    assert found["own", "de"] == ("results/corpora/web/de.parquet", None)
    assert found["lr-few", "sw"] == ("results/corpora/web/sw.parquet", 3)
    wiki = make_run("sentences", ROWS[:1], anchors={"full": {"vectors": "wiki"}})
    with pytest.raises(InputError, match=r"^config: vectors.wiki is not trained on text, but own is a point"):
        curve_amounts(wiki, CURVE)


def test_what_a_head_for_a_few_labels_is_fitted_to():
    run, few, alone = make_run(), *(asked(recipe=name, task="verses", src="en") for name in ("few", "alone"))
    features = "results/features/frozen-rr/verses/en-de.npz"
    train, test = (f"results/tasks/verses/de/{split}.parquet" for split in ("train", "test"))
    assert labelled_cases(run, few) == [["de", features, train, test]]
    source = "results/tasks/verses/en/train.parquet"
    assert labelled_input(run, few) == {"features": [features], "texts": [train, test], "source": source}
    assert [case[0] for case in labelled_cases(run, alone)] == ["de", "sw"]
    assert labelled_settings(run, few) == {"labels": 10, "source_labels": True}
    assert labelled_settings(run, alone) == {"labels": None, "source_labels": False}
    assert evaluated_languages(run, "few", "verses") == ["de"]  # not the source, whose words are gone


def test_a_body_is_tuned_on_the_texts_that_other_heads_learn_from():
    run, job = make_run(), asked(recipe="tuned", task="verses", src="en")
    first, second = contrastive_cases(run, job)
    assert first == [
        "de",
        "results/stitched/frozen-rr/verses/en-de/seed0",
        "results/models/frozen/verses/en/seed0",
        "results/tasks/verses/de/train.parquet",
        "results/tasks/verses/de/test.parquet",
    ]
    assert second[0] == "sw"
    assert contrastive_input(run, job) == {
        "models": [first[2], first[1], second[1]],
        "texts": [*first[3:], *second[3:]],
    }
    assert evaluated_languages(run, "tuned", "verses") == ["de", "sw"]
    assert curve_amounts(make_run(rows=[{"row": "T", "recipe": "tuned"}]), CURVE)[0]["most"] == 10


def test_a_task_changes_how_a_body_is_tuned_only_for_the_recipe_it_names():
    job = asked(recipe="tuned", task="verses", src="en")
    plain = {"labels": 10, "contrast": {"rounds": 3}, "training": {"epochs": 1, "learning_rate": 1e-3}}
    assert contrastive_settings(make_run(), job) == plain  # not the epochs of fine-tuning on the task
    run = make_run(tasks={"verses": {"by_recipe": {"tuned": {"training": {"epochs": 2}}}}})
    assert contrastive_settings(run, job)["training"] == {"epochs": 2, "learning_rate": 1e-3}


def test_a_few_labels_are_the_same_texts_for_every_method():
    run = default_run()
    for number in (10, 50, 200):
        names = [f"{kind}-{number}" for kind in ("frozen-labels", "contrastive-labels", "lr-labels")]
        jobs = [asked(recipe=name, task="taxi1500", src="qaa") for name in names]
        assert {(labels_drawn(run, job), *label_draws(run, job)) for job in jobs} == {(number, 0, 1, 2)}


def test_features_are_those_of_a_frozen_model_in_both_languages():
    wildcards = asked(recipe="frozen-rr", task="verses", src="en", tgt="de")
    assert features_input(make_run(), wildcards) == {
        "model": "results/stitched/frozen-rr/verses/en-de/seed0",
        "source_model": "results/models/frozen/verses/en/seed0",
        "source": "results/tasks/verses/en/train.parquet",
        "train": "results/tasks/verses/de/train.parquet",
        "test": "results/tasks/verses/de/test.parquet",
    }


def test_draws_of_labels():
    run = make_run()
    assert (labels_drawn(run, asked(recipe="lr-few")), label_draws(run, asked(recipe="lr-few"))) == (5, [3])
    assert (labels_drawn(run, asked(recipe="lr")), label_draws(run, asked(recipe="lr"))) == (None, [0])


@pytest.mark.parametrize("scale", ["mini", "paper"])
@pytest.mark.parametrize("curve", ["pairs", "text", "labels"])
def test_the_lead_papers_curves_name_what_there_is(scale, curve):
    run = default_run() if scale == "mini" else paper_run()
    wildcards = asked(paper="mosecrot", curve=curve)
    if scale == "paper" and curve == "text":  # whose vectors are published ones
        with pytest.raises(InputError, match="name vectors with origin train"):
            curve_amounts(run, wildcards)
        return
    points = curve_amounts(run, wildcards)
    assert {part["recipe"] for part in points} <= set(run.recipes)
    limits = [part["most"] for part in points if part["most"]]
    assert len(set(limits)) == {"pairs": 0, "text": 2, "labels": 3}[curve]
