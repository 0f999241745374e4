"""Chains: where their files are, what they share, and the seeds of their draws."""

from dataclasses import replace

import pytest
from small_run import asked, default_run, small_run

from xstitch.plan.chains import (
    chain_folders,
    chain_name,
    chain_of,
    chain_seed,
    drawn_world,
    in_all_chains,
    in_chain,
    is_generated,
    job_chain_name,
    job_seed,
)
from xstitch.plan.extends import merge
from xstitch.plan.tables import compared_chains, compared_predictions, predicted_cells, table_predictions

MINI, REAL = default_run(), small_run(chains=2)
SECOND = "chains/2/"


def test_the_first_chain_has_the_runs_own_folder():
    assert chain_folders(MINI) == ["", "chains/2/", "chains/3/"]
    assert [chain_name(folder) for folder in chain_folders(MINI)] == ["1", "2", "3"]
    assert chain_of("chains/12/results/scores/lr/taxi1500/qaa.tsv") == "chains/12/"
    assert chain_of("results/chains/2/x") == ""


def test_paths_are_moved_wherever_the_planner_names_them():
    files = {
        "models": ["results/models/a", ["results/models/b", 3]],
        "text": "own/results/text.txt",
        "seed": 1,
    }
    assert in_chain(MINI, files, "") is files
    assert in_chain(MINI, files, SECOND) == {
        "models": ["chains/2/results/models/a", ["chains/2/results/models/b", 3]],
        "text": "own/results/text.txt",  # the user's
        "seed": 1,
    }
    assert in_all_chains(REAL, ["results/a", "results/b"]) == [
        "results/a",
        "results/b",
        "chains/2/results/a",
        "chains/2/results/b",
    ]


def test_generated_downloads_differ_from_chain_to_chain_and_real_ones_are_shared():
    file = "resources/muse/2017/en-de.txt"
    assert in_chain(MINI, file, SECOND) == f"chains/2/{file}"
    assert in_chain(REAL, file, SECOND) == file
    given = "resources/given/host/vectors.vec"
    assert in_chain(MINI, given, SECOND) == given


def test_encoders_that_are_not_trained_here_are_shared():
    fixed = [name for name, entry in REAL.encoders.items() if entry["origin"] == "download"]
    trained = [name for name, entry in MINI.encoders.items() if entry["origin"] == "pretrain"]
    assert fixed and trained
    for name in fixed:
        assert in_chain(REAL, f"results/encoders/{name}", SECOND) == f"results/encoders/{name}"
    for name in trained:
        assert in_chain(MINI, f"results/encoders/{name}", SECOND) == f"chains/2/results/encoders/{name}"


def test_seeds_follow_from_the_runs_and_the_chain():
    assert [job_seed(MINI, asked(chain=folder)) for folder in chain_folders(MINI)] == [1, 1001, 2001]
    assert chain_seed(2**32 - 1, SECOND) == 999  # a legal seed, too
    assert [job_chain_name(MINI, asked(chain=folder)) for folder in ("", SECOND)] == ["1", "2"]
    assert drawn_world(MINI, asked(chain="")) == MINI.config["world"]
    second = drawn_world(MINI, asked(chain=SECOND))
    assert second == {**MINI.config["world"], "seed": MINI.config["world"]["seed"] + 1000}


def test_jobs_that_copy_from_a_generated_world_are_known_in_every_chain():
    assert is_generated(["results/world/host/file"]) and is_generated(
        ["x", "chains/3/results/world/host/file"]
    )
    assert not is_generated(["results/worlds/file", "mirror/results/world/file"])


def test_a_comparison_is_over_all_chains():
    run, job = small_run(chains=2), asked(paper="first", comparison="beyond")
    paths = [f"results/predictions/{recipe}/verses/en.parquet" for recipe in ("ls", "rr")]
    assert compared_predictions(run, job) == [*paths, *(f"chains/2/{path}" for path in paths)]
    assert compared_chains(run, job) == ["1", "2"]


def test_the_predictions_of_a_table_come_in_the_order_of_its_cells():
    job = asked(paper="mosecrot", table="table2")
    cells, files = predicted_cells(MINI, job), table_predictions(MINI, job)
    assert len(cells) == len(files) == 3 * 7
    for cell, file in zip(cells, files, strict=True):
        assert chain_name(chain_of(file)) == cell["chain"]
        assert f"/{cell['recipe']}/{cell['task']}/" in file


@pytest.mark.parametrize("recipe", ["lr-across", "frozen-together"])
def test_a_table_has_intervals_of_rows_that_are_no_single_model_too(recipe):
    table = {"tables": {"2": {"rows": [{"row": "row", "recipe": recipe}], "ours": []}}}
    run = replace(MINI, papers=merge(MINI.papers, {"mosecrot": table}))
    files = table_predictions(run, asked(paper="mosecrot", table="table2"))
    path = f"results/predictions/{recipe}/taxi1500/qaa.parquet"
    assert files == [path, f"chains/2/{path}", f"chains/3/{path}"]


def test_a_table_of_tagged_sentences_has_intervals_over_them():
    job = asked(paper="iwda", table="table2")
    cells, files = predicted_cells(MINI, job), table_predictions(MINI, job)
    assert cells and len(cells) == len(files)
    assert {(cell["task"], cell["labels"]) for cell in cells} == {("conll", None)}


def test_a_table_of_sentence_pairs_has_intervals_over_them():
    cells = predicted_cells(MINI, asked(paper="wordot", table="table4"))
    assert {(cell["task"], cell["labels"]) for cell in cells} == {
        ("xnli", ("entailment", "neutral", "contradiction"))
    }
