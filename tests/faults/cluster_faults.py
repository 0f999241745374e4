"""Faults of a cluster: a job cancelled, a node lost, the submitting process killed."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

from cluster import Cluster, rule_of
from faults import Reference, Row
from project_copy import TABLE, Project
from submitting import adapt_profile, start_submitting
from trials import SAVING, SECONDS, Trial, late_trial

RULE = "finetune_model"


def cancel_job(folder: Path, reference: Reference) -> Row:
    """Cancel a training: it is submitted again with twice the memory and resumes from its checkpoint."""
    trial = _late_trial(folder, reference)
    with Cluster(_cluster_folder(folder)) as cluster:
        main = _start(cluster, trial)
        job = _running(cluster, trial, main)
        trial.lost += _seconds(job)
        cluster.run("scancel", job["JobId"])
        code = main.wait(SECONDS)
        jobs = [other for other in cluster.jobs() if rule_of(other) == RULE]
    memory = sorted(other["MinMemoryNode"] for other in jobs)
    outcome = _verdict(trial, code, reference)
    return Row(
        "scancel of a job", 1, trial.lost, f"{outcome}; tried again by itself; memory {' '.join(memory)}"
    )


def lose_node(folder: Path, reference: Reference) -> Row:
    """Set the node of a training down: SLURM puts the job back into the queue for another node."""
    trial = _late_trial(folder, reference)
    with Cluster(_cluster_folder(folder)) as cluster:
        main = _start(cluster, trial)
        job = _running(cluster, trial, main)
        trial.lost += _seconds(job)
        cluster.run("scontrol", "update", f"nodename={job['NodeList']}", "state=down", "reason=test")
        code = main.wait(SECONDS)
        again = next(other for other in cluster.jobs() if other["JobId"] == job["JobId"])
    moved = f"{job['NodeList']} to {again['NodeList']}, restarts {again['Restarts']}"
    outcome = f"{_verdict(trial, code, reference)}; {moved}"
    return Row("node set down", 1, trial.lost, outcome, again["NodeList"] != job["NodeList"])


def kill_submitter(folder: Path, reference: Reference) -> Row:
    """Kill the submitting process: the next run cancels the jobs it left in the queue and continues."""
    trial = _late_trial(folder, reference)
    with Cluster(_cluster_folder(folder)) as cluster:
        main = _start(cluster, trial)
        trial.lost += _seconds(_running(cluster, trial, main))
        main.send_signal(signal.SIGKILL)
        main.wait()
        code = _start(cluster, trial).wait(SECONDS)
    cancelled = "its jobs in the queue are cancelled" in trial.printed
    note = "its jobs cancelled by the next run" if cancelled else "nothing was left in the queue"
    return Row(
        "SIGKILL of the submitting process", 1, trial.lost, f"{_verdict(trial, code, reference)}; {note}"
    )


def _late_trial(folder: Path, reference: Reference) -> Trial:
    trial = late_trial(folder, reference.folder, "models/rr-softmax", "stitched/rr-softmax")
    adapt_profile(Project(folder))
    return trial


def _cluster_folder(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}-cluster")


def _start(cluster: Cluster, trial: Trial) -> subprocess.Popen:
    trial.note()
    trial.runs += 1
    with trial.log.open("w", encoding="utf-8") as output:
        return start_submitting(cluster, trial.folder, output, TABLE, **SAVING)


def _running(cluster: Cluster, trial: Trial, main: subprocess.Popen) -> dict[str, str]:
    """Wait until a training runs that has written a checkpoint."""
    while main.poll() is None:
        # Files first: to ask SLURM takes longer than a training on a fast machine.
        if any((trial.folder / "results/checkpoints").rglob("step-*/state.json")):
            jobs = [job for job in cluster.jobs() if rule_of(job) == RULE and job["JobState"] == "RUNNING"]
            if jobs:
                return jobs[0]
        time.sleep(0.01)
    raise RuntimeError(f"no training was caught: {trial.printed[-3000:]}")


def _seconds(job: dict[str, str]) -> float:
    hours, minutes, seconds = job["RunTime"].split(":")
    return 3600 * int(hours) + 60 * int(minutes) + int(seconds)


def _verdict(trial: Trial, code: int, reference: Reference) -> str:
    return trial.verdict(reference.results) if code == 0 else f"failed: {trial.printed[-300:]}"
