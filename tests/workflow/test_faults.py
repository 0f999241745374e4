"""Kills at the start of the workflow, as a sample of `make fault-test`, which tries all stages and faults."""

import re
import signal
import subprocess
import sys
import time

import pytest
from comparing import contents, mark_unfinished
from faults import OTHERS
from project_copy import ENVIRONMENT, ROOT, TABLE, copy_project, planned_jobs, shrink_project
from trials import Trial, kill, new_trial

pytestmark = pytest.mark.workflow
CORPUS = "results/corpora/cc100/qab.parquet"
# Not tried: lists of targets, which run nothing; what needs the hub; a user's own addresses and vectors; what
# needs every table.
UNTRIED = {
    *("all", "tables", "claims", "download_encoder", "import_encoder", "download_given", "import_vectors"),
    "join_claims",
}


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> tuple[Trial, subprocess.CompletedProcess]:
    """A run whose main process was killed under its first job, and what a second one said before that."""
    trial = new_trial(tmp_path_factory.mktemp("killed"), CORPUS)
    main = trial.start()
    job = trial.wait_for_job(main, "generate_world")
    while not (trial.folder / "logs/generate_world.log").exists():
        time.sleep(0.01)  # the job begins with asking to end with its parent, then opens its log
    job.process.send_signal(signal.SIGSTOP)  # or it might end before the second process is refused
    second = subprocess.run(
        [sys.executable, "-m", "snakemake", CORPUS],
        cwd=trial.folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    main.kill()
    main.wait()
    job.process.wait(timeout=60)  # without its parent it ends, even if it is stopped
    return trial, second


def test_a_second_main_process_is_refused_in_one_line(killed):
    trial, second = killed
    errors = [line for line in second.stderr.splitlines() if "error" in line.lower()]
    assert second.returncode == 1
    assert len(errors) == 1
    assert errors[0].startswith(f"error: {trial.folder}: another snakemake works here (process ")


def test_the_same_command_goes_on_after_kills_of_the_main_process_and_of_a_job(killed):
    trial, _ = killed
    main = trial.start()
    job = trial.wait_for_job(main, "sample_corpus")
    assert "was killed: its lock is removed" in trial.printed
    kill(job)
    assert main.wait() == 1
    assert not (trial.folder / CORPUS).exists()
    assert trial.run() == 0
    trial.note()
    assert trial.again == 0


def test_half_a_file_of_a_dead_job_is_made_again_and_nothing_else(killed):
    trial, _ = killed
    whole, corpus = contents(trial.folder), trial.folder / CORPUS
    corpus.write_bytes(corpus.read_bytes()[:1000])
    leftover = corpus.parent / f".{corpus.name}.abcd_123"
    leftover.mkdir()
    (leftover / corpus.name).write_bytes(b"half")
    mark_unfinished(trial.folder, CORPUS)
    del trial.known[CORPUS]  # it does not count as finished any more
    assert trial.run() == 0
    assert trial.verdict(whole) == "identical, nothing twice"


def test_the_harness_kills_a_job_of_every_rule(tmp_path):
    files = [ROOT / "Snakefile", *(ROOT / "workflow/rules").rglob("*.smk")]
    rules = {name for file in files for name in re.findall(r"^rule (\w+):", file.read_text(), flags=re.M)}
    project = copy_project(tmp_path / "project")
    shrink_project(project)
    planned = planned_jobs(project.snakemake("-n", TABLE, *OTHERS))
    assert rules - planned.keys() == UNTRIED
