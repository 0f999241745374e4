"""The literal cluster command on a real SLURM cluster, checked against SLURM's records: `make slurm-test`.

The file name keeps a plain pytest from starting a cluster.
"""

import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cluster as slurm
import pytest
import yaml
from project_copy import TABLE, Project, copy_project, planned_jobs, shrink_project
from submitting import PROFILE, adapt_profile, start_submitting

from xstitch.plan.costs.requests import LEAST_ON_GPU_MB

LOCAL = {"download_dataset", "make_table", "make_lead_table"}
SECONDS = 3600  # for a busy machine; an idle one needs a tenth


@dataclass(frozen=True)
class Run:
    """What a run left behind: Snakemake's log and SLURM's records of its jobs, by rule."""

    project: Project
    planned: dict[str, int]
    log: str
    jobs: list[tuple[str, dict[str, str]]]


def prepared(folder: Path) -> Project:
    """Copy the project at the smallest scale."""
    project = copy_project(folder)
    shrink_project(project)
    adapt_profile(project)
    return project


def submit(cluster: slurm.Cluster, project: Project, *arguments: str) -> str:
    """Run the cluster command to its end and return Snakemake's log, which says more than the terminal."""
    printed = project.folder / "output.txt"
    with printed.open("w", encoding="utf-8") as output:
        process = start_submitting(cluster, project.folder, output, *arguments)
    try:
        assert process.wait(SECONDS) == 0, printed.read_text(encoding="utf-8")[-5000:]
    finally:
        process.kill()
    return max((project.folder / ".snakemake/log").glob("*.log")).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Start a cluster without accounting."""
    if reason := slurm.missing():
        pytest.skip(reason)
    with slurm.Cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def table(cluster, tmp_path_factory) -> Run:
    """Run the literal command from scratch to the table."""
    project = prepared(tmp_path_factory.mktemp("table"))
    planned = planned_jobs(project.snakemake("-n", TABLE))
    log = submit(cluster, project, TABLE)
    records = [(slurm.rule_of(job), job) for job in cluster.jobs()]
    return Run(project, planned, log, records)


def gpu_rules(project: Project) -> set[str]:
    profile = yaml.safe_load((project.folder / PROFILE).read_text())
    return set(profile["set-resources"])


def test_the_table_is_made(table):
    lines = (table.project.folder / TABLE).read_text().splitlines()
    assert lines[0] == "method\tqab"
    assert {line.split("\t")[0] for line in lines} >= {"LR", "LS", "RRs softmax top50"}


def test_every_job_except_downloads_and_tables_ran_once_on_slurm(table):
    counts = {}
    for rule, job in table.jobs:
        assert job["JobState"] == "COMPLETED"
        counts[rule] = counts.get(rule, 0) + 1
    assert counts == {rule: number for rule, number in table.planned.items() if rule not in LOCAL}


def test_gpu_rules_ran_on_gpu_nodes_with_a_device(table):
    jobs = [job for rule, job in table.jobs if rule in gpu_rules(table.project)]
    assert len(jobs) == 1 + 2 + 2 + 3  # encoder, fine-tunings, heads fitted and standardised, evaluations
    for job in jobs:
        assert job["Partition"] == "gpu"
        assert job["NodeList"] in slurm.GPU_NODES
        assert job["JOB_GRES"] == "gpu:fake:1"  # the device itself is only shown while a job runs


def test_cpu_rules_ran_on_cpu_nodes_without_a_device(table):
    jobs = [job for rule, job in table.jobs if rule not in gpu_rules(table.project)]
    assert len(jobs) > 10
    for job in jobs:
        assert job["Partition"] == "cpu"
        assert job["NodeList"] in slurm.CPU_NODES
        assert job["JOB_GRES"] == "(null)"


def test_downloads_ran_on_the_submitting_host(table):
    assert not {rule for rule, _ in table.jobs} & LOCAL
    assert len(re.findall(r"^localrule download_dataset:", table.log, flags=re.M)) == 8


def test_jobs_request_the_resources_of_their_rules(table):
    requested = {(rule, job["MinMemoryNode"], job["TimeLimit"]) for rule, job in table.jobs}
    least = f"{LEAST_ON_GPU_MB}M"  # of the mini world's small jobs
    assert ("finetune_model", least, "00:20:00") in requested
    assert ("generate_world", "1000M", "00:10:00") in requested


def test_a_training_that_meets_its_time_limit_is_tried_again_and_resumes(cluster, tmp_path_factory):
    """A training far longer than its limit of one minute: how fast this machine is does not matter."""
    project = prepared(tmp_path_factory.mktemp("limit"))
    config = project.folder / "config/config.yaml"
    settings = yaml.safe_load(config.read_text(encoding="utf-8"))
    settings["encoders"]["mini-mono"]["training"]["epochs"] = 10_000
    config.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    printed = project.folder / "output.txt"
    limit = ("--set-resources", "pretrain_encoder:runtime=1", "pretrain_encoder:slurm_partition=gpu")
    with printed.open("w", encoding="utf-8") as output:
        process = start_submitting(
            *(cluster, project.folder, output, "results/encoders/mini-mono", *limit),
            XSTITCH_CHECKPOINT_SECONDS="5",
        )
    try:
        log = project.folder / "logs/pretrain_encoder/mini-mono.log"
        resumed = _awaited(process, lambda: re.search(r"resumed at step (\d+) of (\d+)", _text(log)))
        jobs = [job for job in cluster.jobs() if str(project.folder) in job["StdOut"]]
    finally:
        process.kill()  # a request to end would wait for the training
        process.wait()
        cluster.run("scancel", "--user", "root")
    trainings = [job for job in jobs if slurm.rule_of(job) == "pretrain_encoder"]
    assert [job["JobState"] for job in trainings] == ["TIMEOUT", "RUNNING"]
    assert [job["TimeLimit"] for job in trainings] == ["00:01:00", "00:02:00"]
    assert 0 < int(resumed[1]) < int(resumed[2])


def _awaited(process: subprocess.Popen, found: Callable[[], re.Match | None]) -> re.Match:
    """Wait for what a run writes, as long as it runs."""
    end = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < end:
        if match := found():
            return match
        time.sleep(0.5)
    raise AssertionError("the run ended, or took too long, without what was awaited")


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def test_with_accounting_groups_and_a_gpu_model_work(cluster, tmp_path_factory):
    """With accounting, the same profile runs a few jobs in the ways it documents, according to sacct."""
    if reason := slurm.missing(accounting=True, running=True):
        pytest.skip(reason)
    cluster.stop()
    project = prepared(tmp_path_factory.mktemp("accounting"))
    with slurm.Cluster(tmp_path_factory.mktemp("accounted"), accounting=True) as accounted:
        targets = (
            *("results/encoders/mini-mono", "results/lexica/muse/qaa-qab.parquet"),
            "results/corpora/cc100/qab.parquet",
        )
        submit(
            accounted,
            project,
            *targets,
            *("--set-resources", "pretrain_encoder:gpu_model=fake", "pretrain_encoder:slurm_partition=gpu"),
            *("--groups", "import_lexicon=tiny", "--group-components", "tiny=2"),
        )
        listing = accounted.run(
            "sacct", "--allocations", "--noheader", "--parsable2", "--format=State,NodeList,AllocTRES"
        )
    jobs = [line.split("|") for line in listing.splitlines()]
    assert {job[0] for job in jobs} == {"COMPLETED"}
    devices = [job[1] for job in jobs if "gres/gpu" in job[2]]
    assert len(devices) == 1
    assert devices[0] in slurm.GPU_NODES
    assert len(jobs) == 1 + 2 + 1 + 1  # world, corpora, lexicon, encoder
