"""Dry runs on an empty clone: what would be done, at every scale, and how mistakes are refused."""

import time

import pytest
from conftest import TABLE, planned_jobs

pytestmark = pytest.mark.workflow


def test_the_default_plan(clone):
    jobs = planned_jobs(clone.snakemake("-n", TABLE))
    # Three targets, two seeds. Fine-tuned: mBERT and the original model once a seed, relative
    # representations once a pair, weighting and seed; LS stitches the original model.
    assert jobs["finetune_model"] == 2 + 2 + 3 * 3 * 2
    assert jobs["map_embeddings"] == 4 * 3
    assert jobs["stitch_model"] == 4 * 3 * 2
    assert jobs["evaluate_models"] == 5
    assert jobs["generate_world"] == 1
    assert sum(jobs.values()) == 102


def test_the_paper_scale_plan_in_under_twenty_seconds(clone):
    started = time.monotonic()
    jobs = planned_jobs(clone.snakemake("-n", TABLE, "--configfile", "config/paper.yaml"))
    assert time.monotonic() - started < 20
    # Eight targets, five seeds, real downloads instead of a generated world.
    assert jobs["finetune_model"] == 5 + 5 + 8 * 3 * 5
    assert jobs["stitch_model"] == 4 * 8 * 5
    assert jobs["download_encoder"] == 2
    assert "generate_world" not in jobs
    assert sum(jobs.values()) == 401


def test_the_real_plan(clone):
    jobs = planned_jobs(clone.snakemake("-n", TABLE, "--configfile", "config/real.yaml"))
    assert jobs["finetune_model"] == 2 + 2 + 3 * 3 * 2


def test_the_literal_cluster_command(clone):
    output = clone.snakemake("--profile", "slurm", "-n", TABLE)
    assert sum(planned_jobs(output).values()) == 102


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["results/tables/table1.tsv"],
            "error: table 1 of mosecrot cannot be made yet: the configuration has no",
        ),
        (["results/tables/mosecrot/table9.tsv"], "error: mosecrot has no table 9; its tables: 1, 2, 3, 4"),
        ([TABLE, "--config", "sedes=1"], "error: config: sedes: unknown key with value 1"),
        (
            [TABLE, "--config", "scale=huge"],
            "error: config: scale: 'huge' is not allowed; legal: mini, real, paper",
        ),
        ([TABLE, "--config", "source=xx"], "error: config: source: 'xx' is not defined"),
        ([TABLE, "--config", "world={concepts: 3}"], "error: world.concepts: '3' is not a whole number"),
    ],
)
@pytest.mark.parametrize("dry", [["-n"], []])
def test_a_mistake_is_one_line_and_leaves_no_lock(clone, dry, arguments, message):
    output = clone.snakemake(*dry, *arguments, check=False)
    assert [line for line in output.splitlines() if line.startswith("error: ")] == [
        line for line in output.splitlines() if line.startswith(message)
    ]
    assert message in output
    assert "Traceback" not in output
    assert not (clone.folder / "results").exists()
    assert not list((clone.folder / ".snakemake/locks").glob("*"))
