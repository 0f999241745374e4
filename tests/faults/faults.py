"""The faults: each disturbs a run of the workflow, lets the same command finish, and reports the outcome."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from comparing import contents, mark_unfinished
from trials import SAME, Job, Trial, kill, late_trial, new_trial, running_jobs

# The rules that write checkpoints, in folders that match; they are killed after a checkpoint.
TRAININGS = {
    "pretrain_encoder": "encoders/mini-*",
    "continue_encoder": "encoders/multi-x2s-*",
    "align_encoder": "encoders/multi-[lw]*",
    "train_adapter": "adapters",
    "distill_vectors": "vectors",
    "finetune_model": "models",
    "adapt_model": "adapted",
    "measure_improvements": "improvements",
}
MOST_RUNS = 30
# Results that together need every rule that the lead table does not: papers, figures, reports, exports.
OTHERS = (
    "results/lexica/both/qaa-qab.parquet",
    "results/lexica/grown-15/qaa-qab.parquet",
    "results/vectors/x2s-ma/qab.npz",
    "results/vectors/fasttext/qab.vec",
    "results/vectors/fasttext/qab.kv",
    "results/encoded/mini-vit-small/cifar10.npz",
    "results/scores/x2s-ma/bli/qaa.tsv",
    "results/scores/x2s-ma/similarity/qaa.tsv",
    "results/encoders/multi-l2",
    "results/scores/xlmr-x2s-dcca/tatoeba/qaa.tsv",
    "results/scores/mad-x/xquad/qaa.tsv",
    "results/scores/rr-softmax/anchors/qaa.tsv",
    "results/scores/frozen-gromov-5/found-pairs/qaa.tsv",
    "results/scores/heads-gt/taxi1500/qaa.tsv",
    "results/scores/anchors-ao/retrieval/qaa.tsv",
    "results/scores/anchors-ao/hyperparameters/qaa.tsv",
    "results/figures/steps/iwda/marc/qaa-qab/seed1.svg",
    "results/figures/gradients/zero-shot/marc/qaa.svg",
    "results/figures/iwda/figure1.svg",
    "results/figures/bootstrap/figure1.svg",
    "results/reports/rr-softmax/taxi1500/qaa-qab.html",
    "results/exported/rr-softmax/taxi1500/qaa-qab/seed1/README.md",
    "results/reports/best/taxi1500/qaa-qab.html",
    "results/recommended/taxi1500/qaa.tsv",
    "results/scores/recommended/taxi1500/qaa.tsv",
    "results/tables/mosecrot/choices.tsv",
    "results/scores/frozen-together/taxi1500/qaa.tsv",
    "results/scores/lr-across/taxi1500/qaa.tsv",
    "results/figures/mosecrot/labels.svg",
    "results/scores/frozen-glosses/taxi1500/qaa.tsv",
    "results/scores/frozen-rr-taught/taxi1500/qaa.tsv",
    "results/claims/mosecrot/table2.tsv",
    "results/tables/iwda/corrections.tsv",
    "results/tables/x2s/table4.tsv",
    "results/tables/wordot/table6.tsv",
    "results/tables/wordot/table9.tsv",
    "results/tables/index.tsv",
)
# Outputs of every kind that jobs could have been writing at the same time: none depends on another.
HALVES = [
    "results/stitched/rr-softmax/taxi1500/qaa-qab/seed1",
    "results/stitched/ls/taxi1500/qaa-qab/seed1",
    "results/scores/lr/taxi1500/qaa.tsv",
    "results/predictions/lr/taxi1500/qaa.parquet",
]


@dataclass(frozen=True)
class Row:
    """One line of the table; `as_expected` says whether the fault struck and was handled as it should be."""

    fault: str
    tried: int
    lost_seconds: float
    outcome: str
    as_expected: bool = True

    @property
    def withstood(self) -> bool:
        """Whether nothing was lost, done twice or handled in an unexpected way."""
        return self.as_expected and SAME in self.outcome


@dataclass(frozen=True)
class Reference:
    """An undisturbed run: its folder, its results and how long the jobs of each rule took."""

    folder: Path
    results: dict[str, str]
    seconds: dict[str, float]


def undisturbed(trial: Trial) -> Reference:
    """Run the workflow without a fault."""
    main, seconds = trial.start(), {}
    while main.poll() is None:
        for job in running_jobs(main):
            seconds[job.rule] = max(seconds.get(job.rule, 0.0), job.age)
        time.sleep(0.05)
    assert main.returncode == 0, trial.printed[-3000:]
    return Reference(trial.folder, contents(trial.folder), seconds)


def kill_jobs(folder: Path, reference: Reference) -> Row:
    """Kill a job of every rule of the lead table."""
    return _kill_jobs("SIGKILL of a job of every rule", new_trial(folder), reference)


def kill_other_jobs(folder: Path, reference: Reference) -> Row:
    """Kill a job of every rule that the lead table does not need."""
    other = folder.with_name(f"{folder.name}-undisturbed")
    trial, control = (late_trial(copy, reference.folder, targets=OTHERS) for copy in (folder, other))
    return _kill_jobs("the same, all other rules", trial, undisturbed(control))


def _kill_jobs(fault: str, trial: Trial, reference: Reference) -> Row:
    """Kill a job of every rule at a random moment, trainings after a checkpoint; rerun until all is done."""
    waiting, moments = set(reference.seconds), random.Random(1)
    moment = {rule: moments.uniform(0, 0.4) * reference.seconds[rule] for rule in sorted(waiting)}
    while trial.runs < MOST_RUNS:
        main = trial.start()
        while main.poll() is None:
            for job in running_jobs(main):
                if job.rule in waiting and _is_time(job, moment[job.rule], trial.folder):
                    with suppress(psutil.NoSuchProcess):  # it has just ended: the next job of its rule, then
                        trial.lost += kill(job)
                        waiting.remove(job.rule)
            time.sleep(0.02)
        if main.returncode == 0:
            break
    trainings, resumed = TRAININGS.keys() & reference.seconds.keys() - waiting, _resumed(trial.folder)
    notes = [f"{len(resumed)} of {len(trainings)} trainings resumed"] + [
        f"missed {rule}" for rule in sorted(waiting)
    ]
    outcome = "; ".join([trial.verdict(reference.results), *notes])
    return Row(fault, len(moment) - len(waiting), trial.lost, outcome, resumed >= trainings and not waiting)


def _is_time(job: Job, moment: float, folder: Path) -> bool:
    """Return whether to kill a job now."""
    if job.rule in TRAININGS:
        return any((folder / "results/checkpoints").glob(f"{TRAININGS[job.rule]}/**/step-*/state.json"))
    return job.age >= moment


def _resumed(folder: Path) -> set[str]:
    """Return the rules whose trainings resumed from a checkpoint, according to their logs."""
    logs = {rule: (folder / "logs" / rule).rglob("*.log") for rule in TRAININGS}
    return {
        rule
        for rule, files in logs.items()
        if any("resumed at step" in file.read_text(encoding="utf-8") for file in files)
    }


def kill_main(folder: Path, reference: Reference) -> Row:
    """Kill the main process while jobs of several rules run; give the same command after each kill."""
    trial, tried, orphans = new_trial(folder), 0, 0
    for rule in ("generate_world", "sample_corpus", "pretrain_encoder", "map_embeddings", "evaluate_models"):
        main = trial.start()
        if job := trial.wait_for_job(main, rule):
            trial.lost += sum(each.age for each in running_jobs(main))
            main.send_signal(signal.SIGKILL)
            tried += 1
            orphans += not _ends(job)
        main.wait()
    outcome = _finished_outcome(trial, reference)
    notes = f"; {orphans} jobs outlived it" if orphans else "; its jobs ended with it"
    return Row("SIGKILL of the main process", tried, trial.lost, outcome + notes, not orphans)


def _ends(job: Job, seconds: float = 20) -> bool:
    """Wait for a job to end; return whether it does within some seconds."""
    end = time.monotonic() + seconds
    while job.process.is_running() and job.process.status() != "zombie":
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def _finished_outcome(trial: Trial, reference: Reference) -> str:
    """Give the command once more and return the verdict on its results."""
    return trial.verdict(reference.results) if trial.run() == 0 else f"failed: {trial.printed[-300:]}"


def leave_halves(folder: Path, reference: Reference) -> Row:
    """Leave half-written outputs and the folders they were written in, as jobs that die while writing do."""
    trial = late_trial(folder, reference.folder)
    for output in HALVES:
        path = folder / output
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-aT", reference.folder / output, path], check=True)  # scores were removed
        file = path / "model.safetensors" if path.is_dir() else path
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        leftover = path.parent / f".{path.name}.abcd_123"
        leftover.mkdir()
        (leftover / path.name).write_bytes(b"half")
        mark_unfinished(folder, output)
    return Row("partial files of dead jobs", len(HALVES), 0.0, _finished_outcome(trial, reference))


def fill_disk(folder: Path, reference: Reference) -> Row:
    """Fill the disk after half of the missing results, then make room."""
    trial = late_trial(folder, reference.folder)
    results, aside = folder / "results", folder / "aside"
    missing = _size(reference.folder / "results") - _size(results)
    results.rename(aside)
    results.mkdir()
    with _mounted(results, "-t", "tmpfs", "tmpfs"):
        subprocess.run(["cp", "-a", f"{aside}/.", results], check=True)
        disk = os.statvfs(results)
        used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
        subprocess.run(["mount", "-o", f"remount,size={used + missing // 2}", results], check=True)
        code = trial.run()
        named = _refusals(trial.printed, code, "No space left on device")
        subprocess.run(["mount", "-o", "remount,size=50%", results], check=True)
        outcome = _finished_outcome(trial, reference)
    return Row("full disk", 1, 0.0, f"{_counted(named)}; then {outcome}", named > 0)


def _size(folder: Path) -> int:
    """Return the size of a folder's files in bytes, rounded up to pages of 4 KB."""
    return sum(-(-file.stat().st_size // 4096) * 4096 for file in folder.rglob("*") if file.is_file())


def forbid_writing(folder: Path, reference: Reference) -> Row:
    """Mount the results read-only, then make them writable again."""
    trial = late_trial(folder, reference.folder)
    results = folder / "results"
    with _mounted(results, "--bind", str(results)):
        subprocess.run(["mount", "-o", "remount,bind,ro", results], check=True)
        code = trial.run()
    named = _refusals(trial.printed, code, "Read-only file system")
    outcome = f"{_counted(named)}; then {_finished_outcome(trial, reference)}"
    return Row("read-only results", 1, 0.0, outcome, named > 0)


@contextmanager
def _mounted(folder: Path, *options: str) -> Iterator[None]:
    """Mount something on a folder for a while."""
    subprocess.run(["mount", *options, folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def _refusals(printed: str, code: int, problem: str) -> int:
    """Count the lines in which a run that could not write says so; 0 if it did not fail."""
    lines = {line for line in printed.splitlines() if problem in line}
    return sum(line.lstrip().startswith("error: ") for line in lines) if code else 0


def _counted(named: int) -> str:
    return f"failed, {named} lines name the place" if named else "no line names the place"


def start_twice(folder: Path, reference: Reference) -> Row:
    """Start a second main process while the first runs."""
    trial = late_trial(folder, reference.folder)
    first = trial.start()
    trial.wait_for_job(first, "evaluate_models")
    second = Trial(folder, runs=100)
    code = second.run()
    lines = [line for line in second.printed.splitlines() if line.startswith("error: ")]
    refused = code != 0 and len(lines) == 1 and f"process {first.pid} on" in lines[0]
    first.wait()
    outcome = trial.verdict(reference.results) if first.returncode == 0 else f"failed: {trial.printed[-300:]}"
    note = f"second {'refused in a line' if refused else 'not refused'}"
    return Row("two main processes", 1, 0.0, f"{note}; {outcome}", refused)
