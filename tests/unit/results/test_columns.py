"""Columns of tables over several tasks: what each averages, for the paper's languages and for a run's own."""

from pathlib import Path

import pytest
import yaml

from xstitch.results.columns import held_columns, split_column, table_tasks
from xstitch.results.scores import Score
from xstitch.results.tables import fill_grid

ROOT = Path(__file__).parents[3]
MEASURES = {
    "QA F1": {"task": "xquad", "metric": "f1"},
    "QA EM": {"task": "xquad", "metric": "exact_match"},
    "NLI": {"task": "xnli", "metric": "accuracy"},
}
SPEC = {
    "split": "test",
    "whole": 100,
    "decimals": 1,
    "column": "measure",
    "measures": MEASURES,
    "averages": {"seen": ["en", "de"], "all": ["en", "de", "zh"]},
    "columns": ["NLI en", "NLI de", "NLI zh", "NLI seen", "QA F1 de", "QA F1 all", "QA EM all"],
    "rows": [{"row": "mBERT", "recipe": "mbert"}],
}
LANGUAGES = {"xnli": ["en", "de", "zh"], "xquad": ["en", "de"]}


def languages_of(contents):
    return {column: content["languages"] for column, content in contents.items()}


def score(task, metric, tgt, value, seed=1):
    return Score("mbert", task, "en", tgt, "test", metric, seed, value, 10, "paper")


def test_a_column_belongs_to_the_longest_measure_that_matches():
    assert split_column("QA F1 de", MEASURES) == ("QA F1", "de")
    assert split_column("QA F1", {**MEASURES, "QA": {}}) == ("QA F1", "")
    with pytest.raises(ValueError, match="begins with none of the measures"):
        split_column("QA", MEASURES)


def test_a_table_needs_the_tasks_of_the_measures_it_shows():
    assert table_tasks(SPEC) == ["xquad", "xnli"]
    assert table_tasks({**SPEC, "columns": ["QA EM de"]}) == ["xquad"]
    assert table_tasks({"task": "bli", "columns": ["de"]}) == ["bli"]


def test_columns_keep_the_papers_languages_if_a_run_has_them():
    assert languages_of(held_columns(SPEC, LANGUAGES, {})) == {
        "NLI en": ["en"],
        "NLI de": ["de"],
        "NLI zh": ["zh"],
        "NLI seen": ["en", "de"],
        "QA F1 de": ["de"],
        "QA F1 all": ["en", "de"],
        "QA EM all": ["en", "de"],
    }


def test_columns_of_languages_that_a_run_lacks_are_left_out():
    contents = held_columns(SPEC, {"xnli": ["en", "zh"], "xquad": ["en", "de"]}, {})
    assert list(contents)[:3] == ["NLI en", "NLI zh", "NLI seen"]
    assert contents["NLI seen"]["languages"] == ["en"]


def test_a_run_of_other_languages_shows_its_own_and_averages_those_it_names():
    languages = {"xnli": ["qaa", "qab", "qac"], "xquad": ["qaa", "qab"]}
    assert languages_of(held_columns(SPEC, languages, {"seen": ["qaa", "qab"]})) == {
        "NLI qaa": ["qaa"],
        "NLI qab": ["qab"],
        "NLI qac": ["qac"],
        "NLI seen": ["qaa", "qab"],
        "QA F1 qaa": ["qaa"],
        "QA F1 qab": ["qab"],
        "QA F1 all": ["qaa", "qab"],
        "QA EM all": ["qaa", "qab"],
    }


def test_cells_are_means_over_languages_in_percent():
    spec = {**SPEC, "held": held_columns(SPEC, LANGUAGES, {})}
    scores = [score("xnli", "accuracy", "en", 0.8), score("xnli", "accuracy", "de", 0.6)]
    scores += [score("xnli", "accuracy", "zh", 0.1), score("xnli", "macro_f1", "de", 0.0)]
    scores += [score("xquad", "f1", "en", 0.9), score("xquad", "f1", "de", 0.5)]
    grid = fill_grid(spec, {}, scores, "en")
    assert {column: cell.reproduced for (_, column), cell in grid.items()} == {
        "NLI en": pytest.approx(80),
        "NLI de": pytest.approx(60),
        "NLI zh": pytest.approx(10),
        "NLI seen": pytest.approx(70),
        "QA F1 de": pytest.approx(50),
        "QA F1 all": pytest.approx(70),
    }


def test_a_table_by_task_weighs_tasks_equally_and_repeats_values_without_a_seed():
    spec = {**SPEC, "column": "task", "average": "avg", "columns": ["NLI", "QA F1"]}
    spec["held"] = held_columns(spec, LANGUAGES, {})
    scores = [score("xnli", "accuracy", tgt, 0.3, seed=0) for tgt in ("en", "de", "zh")]
    scores += [score("xquad", "f1", tgt, value, seed) for tgt, value, seed in
               [("en", 0.4, 1), ("de", 0.6, 1), ("en", 0.6, 2), ("de", 0.8, 2)]]  # fmt: skip
    grid = fill_grid(spec, {}, scores, "en")
    assert grid["mBERT", "NLI"].values == (pytest.approx(30),)
    assert grid["mBERT", "QA F1"].values == (pytest.approx(50), pytest.approx(70))
    assert grid["mBERT", "avg"].values == (pytest.approx(40), pytest.approx(50))


@pytest.mark.parametrize("paper", ["x2s", "wordot", "iwda"])
def test_every_shipped_column_begins_with_a_measure(paper):
    tables = yaml.safe_load((ROOT / f"config/papers/{paper}.yaml").read_text(encoding="utf-8"))["tables"]
    for spec in tables.values():
        if spec.get("column") in ("task", "measure"):
            assert table_tasks(spec)
            contents = held_columns(spec, {task: ["qaa", "qab"] for task in table_tasks(spec)}, {})
            assert all(content["languages"] for content in contents.values())


def test_the_average_of_tasks_in_several_chains_counts_a_score_without_a_seed_in_its_own_chain():
    """One task is scored once a chain (seed 0), the other once or twice."""
    spec = {**SPEC, "column": "task", "average": "avg", "columns": ["NLI", "QA F1"]}
    spec["held"] = held_columns(spec, {"xnli": ["de"], "xquad": ["de"]}, {})

    def in_chain(chain, task, metric, value, seed):
        return score(task, metric, "de", value, seed=seed)._replace(chain=chain)

    once = [in_chain("1", "xnli", "accuracy", 0.3, 0), in_chain("2", "xnli", "accuracy", 0.5, 0)]
    other = [in_chain("1", "xquad", "f1", 0.1, 1), in_chain("2", "xquad", "f1", 0.9, 1)]
    (average,) = [
        cell for (_, column), cell in fill_grid(spec, {}, once + other, "en").items() if column == "avg"
    ]
    assert average.runs.keys() == {("1", 0), ("2", 0)}
    assert average.values == pytest.approx((20, 70))
    twice = [in_chain("1", "xquad", "f1", 0.2, 2), in_chain("2", "xquad", "f1", 0.7, 2)]
    grid = fill_grid(spec, {}, [*once, *other, *twice], "en")
    (average,) = [cell for (_, column), cell in grid.items() if column == "avg"]
    assert {run: float(value[0]) for run, value in average.runs.items()} == pytest.approx(
        {("1", 1): 20, ("1", 2): 25, ("2", 1): 70, ("2", 2): 60}
    )
