"""Tables, figures, comparisons and reports: what fills them, and which rule makes them."""

import re
from dataclasses import replace

import pytest
from small_run import ROOT, asked, default_run, paper_run, small_run

from xstitch.core.errors import InputError
from xstitch.plan.figures import (
    drawn_exchanged,
    drawn_input,
    drawn_names,
    drawn_rows,
    drawn_words,
    figure_spec,
    language_order,
    measured_input,
)
from xstitch.plan.papers import comparison_names, filled_rows, lead_paper
from xstitch.plan.reports import (
    coverage_input,
    covered_name,
    covered_text,
    report_about,
    report_input,
    source_input,
    source_seeds,
)
from xstitch.plan.shift_tables import table_cases, table_files
from xstitch.plan.tables import (
    compared_predictions,
    comparison_labels,
    comparison_spec,
    counted_pairs,
    listed_languages,
    matching_input,
    matching_spec,
    measured_pairs,
    missing_by_table,
    possible_tables,
    run_columns,
    table_scores,
    table_spec,
)
from xstitch.plan.wildcards import (
    list_pattern,
    measurements_pattern,
    names,
    scores_pattern,
    shifts_pattern,
    spaces_pattern,
)

RUN = small_run()
RUNS = {"mini": default_run(), "paper": paper_run()}


def table(number, paper="first", **more):
    return asked(paper=paper, table=f"table{number}", **more)


def figure(number, paper="second"):
    return asked(paper=paper, number=number)


def test_rows_that_are_quoted_or_left_out_are_not_filled():
    spec = RUN.papers["first"]["tables"]["1"]
    assert [row["row"] for row in filled_rows(RUN, spec)] == ["LS", "RR"]
    assert [row["row"] for row in filled_rows(small_run(without=["ls"]), spec)] == ["RR"]


def test_one_paper_leads():
    assert lead_paper(RUN) == "second"
    assert lead_paper(default_run()) == "mosecrot"


def test_scores_behind_a_table():
    assert table_scores(RUN, table(1)) == [
        "results/scores/ls/verses/en.tsv",
        "results/scores/rr/verses/en.tsv",
    ]
    with pytest.raises(
        InputError, match=r"^table 4 of second cannot be made yet: the configuration has no task"
    ):
        table_scores(RUN, table(4, "second"))
    with pytest.raises(InputError, match=r"^first has no table nouns; its tables: 1, 2, 3, 4$"):
        table_scores(RUN, asked(paper="first", table="nouns"))


def test_a_row_may_show_some_of_a_tables_tasks():
    measures = {"V": {"task": "verses", "metric": "f1"}, "N": {"task": "nli", "metric": "f1"}}
    rows = [{"row": "Z", "recipe": "zero"}, {"row": "W", "recipe": "within", "tasks": ["nli"]}]
    spec = {**RUN.papers["first"]["tables"]["1"], "column": "measure", "measures": measures, "rows": rows}
    spec["columns"] = ["V de", "V sw", "N de"]
    run = replace(RUN, papers={"first": {"tables": {"1": spec}}})
    assert table_scores(run, table(1)) == [
        "results/scores/zero/verses/en.tsv",
        "results/scores/zero/nli/en.tsv",
        "results/scores/within/nli/en.tsv",
    ]
    # `within` is run in German alone, which is no reason to leave out Swahili where it has no scores.
    assert table_spec(run, table(1))["columns"] == ["V de", "V sw", "N de"]


def test_columns_are_the_papers_or_else_those_of_the_run():
    assert table_spec(RUN, table(1))["columns"] == ["de"]
    assert table_spec(RUN, table(2))["columns"] == ["en"]
    assert table_spec(RUN, table(3))["columns"] == ["de", "sw"]
    assert [row["row"] for row in table_spec(RUN, table(1))["rows"]] == ["LS", "RR", "old"]
    assert table_spec(RUN, table(3))["rows"][0]["shown"] == "10 (here 50)"


@pytest.mark.parametrize(
    ("spec", "columns"),
    [
        ({"column": "target", "columns": ["fr"]}, ["de", "sw"]),
        ({"column": "target", "columns": ["en", "fr"]}, ["en", "de", "sw"]),
        ({"column": "language"}, ["en", "de", "sw"]),
        ({"column": "pair"}, ["de-en", "en-de", "sw-en", "en-sw"]),
        ({"column": "couple"}, ["de-en", "de-sw", "en-sw"]),
        ({"column": "direction"}, []),
        (
            {
                "column": "measure",
                "place": "pair",
                "task": "words",
                "measures": {"M": {}, "N": {}},
                "across": True,
            },
            ["M FT-PX", "N FT-PX", "M PX-FT", "N PX-FT"],
        ),
    ],
)
def test_columns_that_a_run_can_fill(spec, columns):
    assert run_columns(RUN, spec, ["de", "sw"]) == columns


def test_pairs_include_a_side_with_itself_unless_a_table_is_across():
    assert measured_pairs(RUN, {"task": "verses"}, ["de"]) == ["en-en", "en-de", "de-en", "de-de"]
    assert measured_pairs(RUN, {"task": "verses", "across": True}, ["de"]) == ["en-de", "de-en"]


def test_possible_tables():
    made = [*(f"first/table{number}" for number in (1, 2, 3, 4)), "second/table5", "second/table6"]
    assert possible_tables(RUN) == [f"results/tables/{name}.tsv" for name in made]
    missing = missing_by_table(RUN)
    assert [name for name, lacking in missing.items() if lacking] == ["second 4", "second decreases"]


def test_the_default_run_makes_every_table():
    assert len(possible_tables(default_run())) == len(missing_by_table(default_run())) == 52


def test_lists():
    languages = listed_languages(RUN, table(4))
    assert [(row["name"], row["here"]) for row in languages] == [
        ("Chinese", ""),
        ("German", "target"),
        ("English", "source"),
        ("Swahili", "target"),
    ]
    assert counted_pairs(RUN, table(6, "second")) == ["results/parallel/opus/de.counts.tsv"]
    assert matching_spec(RUN, table(5, "second"))["shown"] == ["sw"]  # the first that the encoder knows
    assert matching_input(RUN, table(5, "second")) == {
        "encoder": "results/encoders/linked",
        "pairs": ["results/parallel/opus/sw.parquet"],
    }
    message = r"^table 5 of second cannot be made yet: the configuration has no recipe linked$"
    with pytest.raises(InputError, match=message):
        matching_spec(small_run(without=["linked"]), table(5, "second"))


def test_comparisons():
    job = asked(paper="first", comparison="beyond")
    assert comparison_names(RUN) == ["beyond"]
    assert compared_predictions(RUN, job) == [
        "results/predictions/ls/verses/en.parquet",
        "results/predictions/rr/verses/en.parquet",
    ]
    assert len(comparison_labels(RUN, job)) == 6
    with pytest.raises(
        InputError, match=r"^beyond compares with ls, which config `without` leaves out; remove it there$"
    ):
        comparison_spec(small_run(without=["ls"]), job)
    with pytest.raises(InputError, match=r"^second has no comparison beyond; its comparisons: none$"):
        comparison_spec(RUN, asked(paper="second", comparison="beyond"))


def test_panels_show_the_runs_language_in_the_same_role():
    (panel,) = figure_spec(RUN, figure("2"))["panels"]
    assert (panel["target"], panel["title"]) == ("sw", "Reviews, en to sw")
    (panel,) = figure_spec(RUN, figure("3"))["panels"]
    assert (panel["target"], panel["title"]) == (None, "Reviews")


def test_measurements_behind_figures():
    stem = "results/improvements/iwda/reviews/en-sw"
    assert measured_input(RUN, figure("2")) == [f"{stem}/seed1.tsv", f"{stem}/seed2.tsv"]
    assert measured_input(RUN, figure("3")) == ["results/shifts/zero/reviews/en.tsv"]
    with pytest.raises(InputError, match=r"^figure 4 of second: no task novels in the config$"):
        measured_input(RUN, figure("4"))
    with pytest.raises(InputError, match=r"^second has no figure 9; its figures: 1, 2, 3, 4$"):
        measured_input(RUN, figure("9"))
    with pytest.raises(InputError, match=r"^first has no figure 1; its figures: none$"):
        measured_input(RUN, figure("1", "first"))
    steps = measured_input(default_run(), figure("7", "iwda"))
    assert steps[0] == "results/adapted/iwda/conll/qaa-qab/seed1"


def test_spaces_that_are_drawn():
    file = "results/bootstrapped/searched/words/FT-PX/seed1.npz"
    assert drawn_rows(RUN, figure("1")) == [
        {"row": "S", "search": {"kind": "optimise"}, "seed": 1, "anchors_file": file},
        {"row": "K", "search": {"kind": "given"}, "seed": 1, "anchors_file": ""},
    ]
    assert drawn_input(RUN, figure("1")) == {
        "source": ["results/vectors/ft/en.npz"],
        "target": ["results/encoded/vit/batches.npz"],
        "found_anchors": [file],
    }
    assert (drawn_names(RUN, figure("1")), drawn_words(RUN, figure("1"))) == (["FT", "PX"], {"size": 9})
    assert drawn_exchanged(RUN, figure("1")) is False
    assert drawn_exchanged(small_run(tasks={"words": {"exchanged": True}}), figure("1")) is True


def test_every_language_has_its_own_position():
    order = language_order(RUN)
    assert order == {"en": 0, "de": 1, "sw": 2, "zh": 3}


def test_reports_measure_coverage_on_the_best_available_text():
    job = {"recipe": "ls", "task": "verses", "src": "en"}
    german = asked(**job, tgt="de")
    assert covered_text(RUN, german) == ("test texts", "results/tasks/verses/de/test.parquet")
    assert covered_text(RUN, asked(**job, tgt="sw")) == ("corpus", "results/corpora/web/sw.parquet")
    assert coverage_input(RUN, german)["text"] == "results/tasks/verses/de/test.parquet"
    imported = asked(**{**job, "recipe": "rr"}, tgt="sw")
    assert covered_text(RUN, imported) is None
    assert [covered_name(RUN, case) for case in (german, imported)] == ["test texts", ""]
    assert coverage_input(RUN, imported) == {
        "vectors": "results/vectors/wiki/sw.npz",
        "lexicon": "results/lexica/both/en-sw.parquet",
        "anchors": "results/anchors/own/mono/en-sw.parquet",
    }


def test_reports_show_scores_if_there_are_test_texts():
    job = asked(recipe="ls", task="verses", src="en", tgt="sw")
    files = report_input(RUN, job)
    assert {name: files[name] for name in ("coverage", "models", "finetuned")} == {
        "coverage": "results/reports/ls/verses/en-sw.coverage.tsv",
        "models": [f"results/stitched/ls/verses/en-sw/seed{seed}" for seed in (1, 2)],
        "finetuned": [f"results/models/zero/verses/en/seed{seed}" for seed in (1, 2)],
    }
    assert "scores" not in files
    job.tgt = "de"
    files = report_input(RUN, job)
    assert files["scores"] == "results/scores/ls/verses/en.tsv"
    assert files["predictions"] == "results/predictions/ls/verses/en.parquet"
    assert files["test"] == "results/tasks/verses/de/test.parquet"


def test_reports_show_the_source_languages_score_before_stitching():
    job = asked(recipe="rr", task="verses", src="en", tgt="sw")
    files = report_input(RUN, job)
    assert files["source_scores"] == "results/reports/rr/verses/en-sw.source.tsv"
    assert files["source_predictions"] == "results/reports/rr/verses/en-sw.source.parquet"
    assert source_input(RUN, job) == {
        "models": [f"results/models/rr/verses/en-sw/seed{seed}" for seed in source_seeds(RUN, job)],
        "test": "results/tasks/verses/en/test.parquet",
    }


def test_a_report_says_what_was_done_for_a_language():
    about = report_about(RUN, asked(recipe="ls", task="verses", src="en", tgt="de"))
    assert about["title"] == "German (de)"
    assert about["summary"] == "Stitched to a model of English (en) by recipe ls for task verses."
    assert (about["language"], about["source_language"], about["segmenter"]) == ("German", "English", "")
    split = replace(RUN, languages={**RUN.languages, "de": {**RUN.languages["de"], "tokenizer": "jieba"}})
    assert report_about(split, asked(recipe="ls", task="verses", src="en", tgt="de"))["segmenter"] == "jieba"


def test_names_of_matching_entries():
    assert names(RUN, "lexica", kind=["muse", "union"]) == "muse|both"
    assert names(RUN, "recipes", method=["adversarial"]) == "iwda|ls-iwda|rr-iwda"
    assert names(RUN, "recipes", method=["no such"]) == "none"


def fits(pattern, path, folder="tables", start=""):
    """Whether a path is an output of a rule with this wildcard pattern, as Snakemake matches it."""
    return bool(re.match(rf"results/{folder}/(?P<paper>first|second)/{start}(?P<name>{pattern})\.\w+$", path))


def test_the_kind_of_a_table_determines_its_rule():
    patterns = {kind: list_pattern(RUN, kind) for kind in ("languages", "matches", "parallel")}
    patterns["scores"] = scores_pattern(RUN)
    rules = {
        f"{paper}/{name}": [
            kind for kind, pattern in patterns.items() if fits(pattern, f"results/tables/{paper}/{name}.tsv")
        ]
        for paper in ("first", "second")
        for name in ("table1", "table4", "table5", "table6", "table44", "beyond", "anchors")
    }
    others = {"first/table4": ["languages"], "second/table5": ["matches"], "second/table6": ["parallel"]}
    compared = {"first/beyond": [], "second/beyond": []}
    assert rules == {**{name: ["scores"] for name in rules}, **others, **compared}


def test_tables_of_shifts_have_a_rule_of_their_own():
    run = default_run()
    patterns = [shifts_pattern(run), scores_pattern(run)]
    for name, wanted in (
        ("decreases", [True, False]),
        ("corrections", [True, False]),
        ("table1", [False, True]),
        ("anchors", [False, True]),
    ):
        path = f"results/tables/iwda/{name}.tsv"
        assert [
            bool(re.fullmatch(rf"results/tables/iwda/(?:{pattern})\.tsv", path)) for pattern in patterns
        ] == wanted


def test_decreases_are_measured_on_whole_languages_with_the_first_seeds_models():
    cases = table_cases(default_run(), asked(paper="iwda", table="decreases"))
    assert [(case["chain"], case["recipe"], case["task"]) for case in cases] == [
        (chain, recipe, task)
        for chain in ("1", "2", "3")
        for recipe in ("zero-shot", "iwda", "iwda-oracle")
        for task in ("marc", "conll", "wikiann")
    ]
    assert cases[3]["file"] == "results/shifts/iwda/marc/qaa.whole.tsv"
    assert cases[9 + 3]["file"] == "chains/2/results/shifts/iwda/marc/qaa.whole.tsv"
    assert {case["seed"] for case in cases} == {1}


def test_corrections_are_of_the_languages_in_figure_3():
    job = asked(paper="iwda", table="corrections")
    assert table_files(default_run(), job) == [
        f"{chain}results/improvements/iwda/{pair}/seed1.tsv"
        for chain in ("", "chains/2/", "chains/3/")
        for pair in ("conll/qaa-qab", "marc/qaa-qad")
    ]
    assert [case["target"] for case in table_cases(default_run(), job)] == ["qab", "qad"] * 3
    with pytest.raises(InputError, match=r"^table decreases of second cannot be made yet: marc: no train/"):
        table_cases(RUN, asked(paper="second", table="decreases"))


def test_the_kind_of_a_figure_determines_its_rule():
    for number, drawn in (("1", True), ("2", False), ("11", False)):
        path = f"results/figures/second/figure{number}.svg"
        assert fits(spaces_pattern(RUN), path, "figures", "figure") == drawn
        assert fits(measurements_pattern(RUN), path, "figures", "figure") != drawn


def test_no_rule_names_a_paper():
    for file in (ROOT / "workflow/rules").rglob("*.smk"):
        assert not re.search(r'paper="\w|table="table\d|number="\d', file.read_text(encoding="utf-8")), file


def test_rows_that_a_run_has_no_recipe_for_may_be_optional():
    rows = {
        scale: filled_rows(run, run.papers["x2s"]["tables"]["preliminary"]) for scale, run in RUNS.items()
    }
    layers = {
        scale: [row["recipe"] for row in several if "aggregated" in row["recipe"]]
        for scale, several in rows.items()
    }
    assert layers["mini"] == ["aggregated-1", "aggregated-2"]
    assert layers["paper"] == [f"aggregated-{layer}" for layer in range(1, 13)]
    vectors = paper_run().config["vectors"]
    assert [vectors[name]["layer"] for name in layers["paper"]] == list(range(1, 13))
    assert {vectors[name]["method"] for name in layers["paper"]} == {"aggregation"}
    unknown = {"rows": [{"row": "x", "recipe": "nowhere"}]}
    assert filled_rows(RUN, unknown) == unknown["rows"]


def test_an_average_is_over_the_papers_languages_or_else_over_those_of_the_run():
    asked_for = table(1, "x2s")
    assert len(table_spec(paper_run(), asked_for)["over"]) == 17
    assert table_spec(default_run(), asked_for)["over"] == ["qab", "qac", "qad"]
