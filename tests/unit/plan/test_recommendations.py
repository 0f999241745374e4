"""The plan of a recommendation: its candidates, their budget, and that no target label is behind it."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pytest
from small_run import ROOT, asked

from xstitch.core.errors import InputError
from xstitch.plan import candidates, recommendations
from xstitch.plan.candidates import jobs_of, missing_for, possible_candidates
from xstitch.plan.cases import evaluated_languages
from xstitch.plan.chains import in_chain
from xstitch.plan.extends import merge
from xstitch.plan.model_inputs import standardising_input
from xstitch.plan.overlays import lay
from xstitch.plan.run import load_run
from xstitch.plan.unlabelled import unlabelled_source

CASE = {"task": "taxi1500", "src": "qaa", "tgt": "qab"}
PUBLISHED = ["de", "es", "zh", "mt", "sah", "fo", "nds", "tt"]
TWO = {"candidates": ["frozen-rr-own", "frozen-ls"]}


@cache
def mini():
    return load_run(lay(ROOT / "config/config.yaml", [], {"scale": "mini"}, ROOT / "config"), ROOT)


def changed(**config):
    """The mini run with some keys of its configuration changed."""
    whole = merge(mini().config, config)
    return replace(mini(), config=whole, recipes=whole["recipes"])


def own(tmp_path, text):
    """A run with a language of one's own."""
    (tmp_path / "qaa-qae.tsv").write_text("a\tb\n", encoding="utf-8")
    (tmp_path / "text.txt").write_text("b\n", encoding="utf-8")
    (tmp_path / "own.yaml").write_text(text.format(folder=tmp_path), encoding="utf-8")
    files = [tmp_path / "own.yaml"]
    return load_run(lay(ROOT / "config/config.yaml", files, {"scale": "mini"}, ROOT / "config"), ROOT)


TEXT = "corpora: {{cc100: {{files: {{qae: {folder}/text.txt}}}}}}"
OWN = """
chains: 1
languages: {{qae: {{name: Mini E, lexicon: own}}}}
lexica: {{own: {{kind: tsv, folder: {folder}}}}}
corpora: {{cc100: {{files: {{qae: {folder}/text.txt}}}}}}
tasks: {{taxi1500: {{targets: [qae]}}}}
"""


def test_all_recipes_of_the_list_are_candidates_in_its_order_where_files_allow():
    found = possible_candidates(mini(), *CASE.values())
    assert list(found.minutes) == mini().config["recommend"]["candidates"]
    assert found.left_out == {}
    assert all(minutes > 0 for minutes in found.minutes.values())


def test_the_jobs_of_a_candidate_are_those_of_its_base_and_its_own():
    found = [job.rule for job in jobs_of(mini(), "frozen-rr-own", *CASE.values())]
    assert found == ["fit_head", "map_embeddings", "stitch_model", "standardise_head"]
    tuned = [job.rule for job in jobs_of(mini(), "rr-softmax", *CASE.values())]
    assert tuned == ["map_embeddings", "finetune_model", "stitch_model"]
    adapted = [job.rule for job in jobs_of(mini(), "iwda", *CASE.values())]
    assert adapted == ["finetune_model", "adapt_model"]


def costing(monkeypatch, **seconds):
    """Let jobs take some seconds by their recipe, or none."""

    def needs(*job):
        return SimpleNamespace(core_seconds=seconds.get(job[2].recipe.replace("-", "_"), 0.0))

    monkeypatch.setattr(candidates, "needs_of", needs)


def test_cheap_ones_are_taken_first_until_the_budget_is_spent(monkeypatch):
    # Two jobs of frozen-rr and of frozen-ls each, and one of each standardised recipe.
    costing(monkeypatch, frozen=60, frozen_rr=60, frozen_ls=30, frozen_rr_own=60, frozen_ls_own=30)
    names = ["frozen-rr-own", "frozen-ls-own", "frozen-rr", "frozen-ls"]
    run = changed(recommend={"candidates": names, "minutes": 4.6})
    found = possible_candidates(run, *CASE.values())
    # frozen-ls: 1 (head) + 1; frozen-ls-own adds .5, frozen-rr 2; frozen-rr-own's minute is not left.
    assert found.minutes == {"frozen-ls-own": 0.5, "frozen-rr": 2.0, "frozen-ls": 2.0}
    assert found.left_out == {"frozen-rr-own": "its 1.0 minutes are not left of recommend.minutes (4.6)"}


def test_a_budget_for_less_than_two_is_refused():
    with pytest.raises(InputError, match=r"recommend.minutes: 0.001 minutes do not allow two of the 2 cand"):
        possible_candidates(changed(recommend={**TWO, "minutes": 0.001}), *CASE.values())


def test_a_choice_of_one_is_refused_with_the_reason_of_the_other():
    run = changed(recommend=TWO, without=["frozen-ls"])
    with pytest.raises(
        InputError, match="needs two, but there is one; frozen-ls: config: without: leaves out"
    ):
        possible_candidates(run, *CASE.values())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            ", lexicon: own",
            "",
            "config: languages.qae.lexicon is missing, but anchors need it; name a lexicon",
        ),
        (TEXT, "", "cc100: the mini world has no qae.txt.xz; name your own file, or another `mirror`"),
        (
            "{folder}/text.txt",
            "{folder}/none.txt",
            "config: corpora.cc100.files.qae: .*none.txt: no such file",
        ),
        (
            "folder: {folder}",
            "folder: {folder}/none",
            "config: lexica.own.folder: .*qaa-qae.tsv: no such file",
        ),
    ],
)
def test_a_missing_dictionary_or_text_is_one_clear_line(tmp_path, old, new, message):
    assert old in OWN
    run = own(tmp_path, OWN.replace(old, new))
    with pytest.raises(InputError, match=f"^{message}") as refused:
        possible_candidates(run, "taxi1500", "qaa", "qae")
    assert "\n" not in str(refused.value)


def test_an_own_language_leaves_out_what_its_files_do_not_allow(tmp_path):
    found = possible_candidates(own(tmp_path, OWN), "taxi1500", "qaa", "qae")
    assert set(found.left_out) == {"frozen-wechsel", "frozen-wechsel-own"}  # their alignment needs MUSE
    assert "qaa-qae.0-5000.txt" in found.left_out["frozen-wechsel"]
    assert "frozen-rr-own" in found.minutes


def test_a_recipe_for_other_languages_is_no_candidate():
    run = changed(recipes={"frozen-ls": {"targets": ["qac"]}})
    assert (
        missing_for(run, "frozen-ls", *CASE.values())
        == "config: recipes.frozen-ls.targets does not include qab"
    )


def test_no_labelled_text_of_the_target_is_an_input_of_the_choice_or_of_a_job_before_it():
    run = mini()
    files = recommendations.choice_input(run, asked(**CASE))
    for job in {
        job for name in run.config["recommend"]["candidates"] for job in jobs_of(run, name, *CASE.values())
    }:
        files |= {f"{job}{key}": file for key, file in candidates.INPUTS[job.rule](run, job.names).items()}
    flat = [path for file in files.values() for path in (file if isinstance(file, list) else [file])]
    assert "results/unlabelled/taxi1500/qab.parquet" in flat
    assert "results/tasks/taxi1500/qaa/dev.parquet" in flat
    assert not [path for path in flat if path.startswith("results/tasks/taxi1500/qab")]


def test_the_choice_has_the_models_the_texts_and_what_translates_source_texts():
    run = changed(recommend=TWO)
    assert recommendations.choice_input(run, asked(**CASE)) == {
        "models": [
            "results/adapted/frozen-rr-own/taxi1500/qaa-qab/seed0",
            "results/stitched/frozen-ls/taxi1500/qaa-qab/seed0",
        ],
        "texts": "results/unlabelled/taxi1500/qab.parquet",
        "dev": "results/tasks/taxi1500/qaa/dev.parquet",
        "lexicon": "results/lexica/muse/qaa-qab.parquet",
        "target": "results/vectors/fasttext/qab.npz",
    }


def test_a_source_without_development_texts_gives_training_texts():
    run = changed(recommend=TWO, tasks={"taxi1500": {"files": {"qaa": {"train": "train.tsv"}}}})
    files = recommendations.choice_input(run, asked(**CASE))
    assert files["dev"] == "results/tasks/taxi1500/qaa/train.parquet"


def test_scores_are_part_of_the_report_only_with_labelled_test_texts(tmp_path):
    files = recommendations.best_report_input(mini(), asked(**CASE))
    assert files["scores"] == "results/reports/best/taxi1500/qaa-qab.scores.tsv"
    assert files["corpus"] == "results/corpora/cc100/qab.parquet"
    case = asked(task="taxi1500", src="qaa", tgt="qae")
    assert {"scores", "predictions"}.isdisjoint(recommendations.best_report_input(own(tmp_path, OWN), case))


def test_the_card_of_any_candidate_can_be_written():
    facts = recommendations.best_facts(changed(recommend=TWO), asked(**CASE))
    assert {name: fact["method"] for name, fact in facts.items()} == {
        "frozen-rr-own": "standardise",
        "frozen-ls": "stitch",
    }


def test_choices_are_judged_in_all_chains_and_languages():
    case = asked(task="taxi1500", src="qaa")
    files = recommendations.judged_input(changed(recommend=TWO), case)
    assert len(files["choices"]) == len(recommendations.judged_cases(mini(), case)) == 9
    assert files["choices"][3] == "chains/2/results/recommended/taxi1500/qaa-qab.tsv"
    assert recommendations.judged_cases(mini(), case)[3] == ["2", "qab"]
    assert files["scores"][:2] == [
        "results/scores/frozen-ls/taxi1500/qaa.tsv",
        "results/scores/frozen-rr-own/taxi1500/qaa.tsv",
    ]


def test_the_results_that_are_taken_are_those_of_all_candidates_and_choices():
    job = asked(recipe="recommended", task="taxi1500", src="qaa")
    run = changed(recommend=TWO, recipes={"frozen-ls": {"seeds": [5, 6]}})
    assert recommendations.taken_seeds(run, job) == {"frozen-ls": 5, "frozen-rr-own": 0}
    assert recommendations.taken_input(run, job) == {
        "choices": [f"results/recommended/taxi1500/qaa-{tgt}.tsv" for tgt in ("qab", "qac", "qad")],
        "scores": [f"results/scores/{name}/taxi1500/qaa.tsv" for name in ("frozen-ls", "frozen-rr-own")],
        "predictions": [
            f"results/predictions/{name}/taxi1500/qaa.parquet" for name in ("frozen-ls", "frozen-rr-own")
        ],
    }
    assert evaluated_languages(run, "recommended", "taxi1500") == ["qab", "qac", "qad"]


def test_results_are_taken_within_a_chain():
    run, job = mini(), asked(recipe="recommended", task="taxi1500", src="qaa")
    files = in_chain(run, recommendations.taken_input(run, job), "chains/2/")
    assert all(path.startswith("chains/2/results/") for paths in files.values() for path in paths)


@pytest.mark.parametrize(("scale", "targets"), [("real", ["de", "es", "zh"]), ("paper", PUBLISHED)])
def test_choices_are_taken_in_all_languages_that_other_recipes_are_scored_in(scale, targets):
    run = load_run(lay(ROOT / "config/config.yaml", [], {"scale": scale}, ROOT / "config"), ROOT)
    files = recommendations.taken_input(run, asked(recipe="recommended", task="taxi1500", src="en"))
    assert files["choices"] == [f"results/recommended/taxi1500/en-{tgt}.tsv" for tgt in targets]
    assert evaluated_languages(run, "frozen-rr-own", "taxi1500") == targets
    assert "results/scores/frozen-rr-own/taxi1500/en.tsv" in files["scores"]


def test_a_recipe_for_other_languages_has_nothing_to_be_taken():
    job = asked(recipe="recommended", task="taxi1500", src="qaa")
    three = ["frozen-rr-own", "frozen-ls", "frozen-orthogonal"]
    run = changed(
        recommend={"candidates": three},
        recipes={"recommended": {"targets": ["qab"]}, "frozen-ls": {"targets": ["qac"]}},
    )
    assert list(recommendations.taken_seeds(run, job)) == ["frozen-orthogonal", "frozen-rr-own"]


def test_texts_without_labels_are_training_texts_or_a_corpus(tmp_path):
    case = {"task": "taxi1500", "lang": "qab"}
    assert unlabelled_source(mini(), asked(**case)) == "results/tasks/taxi1500/qab/train.parquet"
    run = own(tmp_path, OWN)
    assert unlabelled_source(run, asked(**{**case, "lang": "qae"})) == "results/corpora/cc100/qae.parquet"
    nowhere = own(tmp_path, OWN.replace(TEXT, ""))
    with pytest.raises(
        InputError, match=r"no unlabelled texts in qae; name a file of plain text under corpora"
    ):
        unlabelled_source(nowhere, asked(**{**case, "lang": "qae"}))


def test_texts_of_a_task_that_a_user_brings_are_planned_before_they_are_there():
    run = load_run(lay(ROOT / "config/config.yaml", [], {"scale": "paper"}, ROOT / "config"), ROOT)
    case = asked(task="taxi1500", lang="fo")
    assert unlabelled_source(run, case) == "results/tasks/taxi1500/fo/train.parquet"


def test_features_are_standardised_by_texts_without_labels():
    files = standardising_input(mini(), asked(recipe="frozen-ls-own", seed="0", **CASE))
    assert files["texts"] == "results/unlabelled/taxi1500/qab.parquet"


def test_only_curves_that_are_there_are_read(tmp_path):
    (tmp_path / "curves.tsv").touch()
    files = [f"{tmp_path}/curves.tsv", f"{tmp_path}/none.tsv"]
    assert recommendations.recorded_curves(changed(recommend={"curves": files})) == files[:1]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (
            "recommend: {candidates: [frozen-ls, frozen-together]}",
            "frozen-together makes no model without labels",
        ),
        ("recommend: {candidates: [frozen-ls, lr]}", "lr makes no model without labels"),
        ("recommend: {candidates: [frozen-ls, recommended]}", "recommended makes no model without labels"),
        (
            "recipes: {all: {extends: frozen-together, members: [frozen-ls, recommended]}}",
            "recommended makes no",
        ),
        ("recipes: {recommended: {seeds: [1]}}", "recipes.recommended.seeds"),
        ("recommend: {candidates: [frozen-ls, frozen-lss]}", "frozen-lss"),
        ("recommend: {candidates: [frozen-ls]}", "recommend.candidates"),
        ("recommend: {minutes: 0}", "recommend.minutes"),
        ("recipes: {best: {extends: frozen-ls}}", "recipes.best: is the name of what is recommended"),
    ],
)
def test_a_wrong_list_is_refused_in_one_line(tmp_path, written, message):
    (tmp_path / "wrong.yaml").write_text(written, encoding="utf-8")
    with pytest.raises(InputError, match=message) as refused:
        load_run(
            lay(ROOT / "config/config.yaml", [tmp_path / "wrong.yaml"], {"scale": "mini"}, ROOT / "config"),
            ROOT,
        )
    assert "\n" not in str(refused.value)
