"""Which languages, models and files are scored."""

from small_run import asked, small_run, with_recipe

from xstitch.plan.cases import (
    evaluated_languages,
    evaluation_cases,
    evaluation_input,
    recipe_targets,
    relative_head_cases,
    scored_languages,
    shift_cases,
    shift_input,
    targets_of,
)


def texts(lang, split="test", task="verses"):
    return f"results/tasks/{task}/{lang}/{split}.parquet"


def test_targets_come_from_the_task_or_else_from_the_recipe():
    run = small_run()
    assert targets_of(run, "ls", "verses") == ["de", "sw"]
    assert targets_of(run, "within", "verses") == ["de"]
    assert targets_of(run, "ls", "novels") == []
    assert recipe_targets(run, asked(recipe="within", task="reviews")) == ["de"]


def test_models_that_know_the_source_are_scored_on_it():
    run = small_run()
    assert evaluated_languages(run, "zero", "verses") == ["en", "de", "sw"]
    assert evaluated_languages(run, "kd", "verses") == ["en", "de", "sw"]
    for recipe in ("lr", "ls", "ls-iwda"):
        assert evaluated_languages(run, recipe, "verses") == ["de", "sw"]
    assert scored_languages(run, "vecmap", "bli") == ["de", "sw"]  # an alignment has no model


def test_one_model_for_all_languages():
    cases = evaluation_cases(small_run(), asked(recipe="zero", task="verses", src="en"))
    assert cases == [
        [tgt, seed, f"results/models/zero/verses/en/seed{seed}", texts(tgt)]
        for tgt in ("en", "de", "sw")
        for seed in (1, 2)
    ]


def test_a_recipe_may_have_its_own_seeds():
    run = with_recipe(small_run(), "zero", seeds=[7, 9, 11])
    zero, ls = (evaluation_cases(run, asked(recipe=name, task="verses", src="en")) for name in ("zero", "ls"))
    assert [case[1] for case in zero if case[0] == "de"] == [7, 9, 11]
    assert [case[1] for case in ls if case[0] == "de"] == [1, 2]


def test_recipes_with_a_model_per_pair_score_each_of_them_on_the_source():
    run = small_run(seeds=[3])
    cases = evaluation_cases(run, asked(recipe="iwda", task="verses", src="en"))
    folder = "results/adapted/iwda/verses"
    assert cases == [
        ["en", 3, f"{folder}/en-de/seed3", texts("en")],
        ["en", 3, f"{folder}/en-sw/seed3", texts("en")],
        ["de", 3, f"{folder}/en-de/seed3", texts("de")],
        ["sw", 3, f"{folder}/en-sw/seed3", texts("sw")],
    ]


def test_the_input_of_an_evaluation_names_every_file_once():
    files = evaluation_input(small_run(), asked(recipe="ls", task="verses", src="en"))
    assert files == {
        "models": [
            f"results/stitched/ls/verses/en-{tgt}/seed{seed}" for tgt in ("de", "sw") for seed in (1, 2)
        ],
        "tests": [texts("de"), texts("sw")],
    }


def test_shifts_are_measured_on_held_out_texts():
    job = asked(recipe="within", task="reviews", src="en")
    german, english = ([texts(lang, split, "reviews") for split in ("dev", "test")] for lang in ("de", "en"))
    model = "results/models/within/reviews/de/seed1"
    assert shift_cases(small_run(), job) == [["de", model, german, english]]
    assert shift_input(small_run(), job) == {
        "models": [model],
        "files": [*german, *english],
        "train": [texts("en", "train", "reviews")],
    }


def test_heads_have_found_anchors_only_if_they_are_searched_for():
    run, job = small_run(), asked(recipe="heads", task="reviews")
    first, second = (f"results/bootstrapped/heads/reviews/de-en/seed{seed}.npz" for seed in (1, 2))
    assert relative_head_cases(run, job) == [["de", 1, first], ["de", 2, second]]
    known = with_recipe(run, "heads", search={"kind": "given"})
    assert relative_head_cases(known, job) == [["de", 1, ""], ["de", 2, ""]]
