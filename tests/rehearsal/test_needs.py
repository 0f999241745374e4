"""From what a job noted to what it needs at scale paper, and the verdict."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from cases import Case, load_cases
from needs import FAILED, FITS, MEMORY, NOT_RUN, TIME, Measured, judge, measured, project, table_rows
from planning import Job, planned

LOOP = {
    "label": "fine-tuning", "unit": "step", "count": 2, "cpu_seconds": 80.0, "fastest_cpu": 30.0,
    "before_mb": 1000, "peak_mb": 9000, "weights_mb": 500, "trained_mb": 0,
}  # fmt: skip
RECORD = {  # on two threads
    "rule": "train", "output": ["results/m"], "cpu_seconds": 100.0, "threads": 2, "peak_mb": 9000,
    "loops": [{**LOOP, "label": "loading", "count": 9, "before_mb": 500}, LOOP],
}  # fmt: skip
CUDA, CHECKPOINT = 2000, 1100  # MB that a process with a GPU has on its host


USUAL = Case("train", "results/m", "fine-tuning", "update", 1000, 1, 1, "a paper")


def case(**changes) -> Case:
    return replace(USUAL, **changes)


def test_the_loop_of_a_case_is_found_by_its_label():
    assert measured(RECORD, case()) == Measured(50.0, 9000, 40.0, 2, 15.0, 1000, 9000, 500)
    assert measured(RECORD, case(loop="")) == Measured(50.0, 9000)


def test_loops_grow_with_units_and_batches_and_the_rest_does_not():
    # 15 seconds per update, 10 of evaluation, 10 outside of the loop; 8,000 MB on top of 1,000.
    needs = project(measured(RECORD, case()), case(), on_gpu=False, ratio=100)
    assert needs.hours_here == pytest.approx((10 + 15 * 1000) / 3600)
    assert (needs.host_mb, needs.gpu_mb) == (9000, 0)
    needs = project(measured(RECORD, case()), case(factor=4), on_gpu=False, ratio=100)
    assert needs.hours_here == pytest.approx((10 + 60 * 1000) / 3600)
    assert needs.host_mb == 1000 + 4 * 8000


def test_gradients_and_moments_do_not_grow_with_the_batch():
    # Of 8,000 MB 3,000 are the training state of 1,000 MB, 5,000 the activations of a small batch.
    record = {**RECORD, "loops": [{**LOOP, "weights_mb": 1200, "trained_mb": 1000}]}
    needs = project(measured(record, case()), case(factor=4), on_gpu=True, ratio=100)
    assert needs.host_mb == 1000 + CUDA + CHECKPOINT
    assert needs.gpu_mb == 1200 + 3000 + 4 * 5000


def test_loops_over_other_things_than_updates_take_the_mean():
    assert measured(RECORD, case(unit="image")).unit_seconds == 20.0


def test_on_a_gpu_the_host_keeps_what_was_there_before_the_loop():
    needs = project(measured(RECORD, case()), case(), on_gpu=True, ratio=100)
    assert (needs.host_mb, needs.gpu_mb) == (1000 + CUDA, 500 + 8000)
    assert needs.hours_on_gpu == pytest.approx((10 + 150) / 3600)


def test_a_loop_may_be_counted_in_times_of_itself():
    repeated = case(amount=None, times=7)
    needs = project(measured(RECORD, repeated), repeated, on_gpu=False, ratio=100)
    assert needs.hours_here == pytest.approx((10 + 7 * 30) / 3600)


def test_a_job_without_a_loop_is_repeated():
    plain = case(loop="", amount=None, times=3)
    needs = project(measured(RECORD, plain), plain, on_gpu=True, ratio=100)
    assert needs.hours_here == needs.hours_on_gpu == pytest.approx(150 / 3600)
    assert (needs.host_mb, needs.gpu_mb) == (9000 + CUDA, 0)


@pytest.mark.parametrize(
    ("asked_mb", "asked_hours", "on_gpu", "verdict"),
    [(9000, 5, False, FITS), (8999, 5, False, MEMORY), (9000, 4, False, TIME), (3000, 0.05, True, FITS),
     (2999, 0.05, True, MEMORY), (3000, 0.04, True, TIME)],
)  # fmt: skip
def test_verdicts(asked_mb, asked_hours, on_gpu, verdict):
    needs = project(measured(RECORD, case()), case(), on_gpu, ratio=100)
    assert judge(needs, asked_mb, asked_hours, on_gpu) == verdict


def test_a_batch_too_large_for_the_gpu_is_too_little_memory():
    needs = project(measured(RECORD, case()), case(factor=11), on_gpu=True, ratio=100)
    assert needs.gpu_mb == 88_500
    assert judge(needs, 1e9, 1e9, on_gpu=True) == MEMORY


def test_cases_that_failed_or_were_not_run_say_so(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/m").touch()
    resources = {"mem_mb": "3000", "runtime": "60", "gpu": "1"}
    jobs = [Job("train", (), (name,), SimpleNamespace(), resources) for name in ("results/m", "results/f")]
    notes = [RECORD, {**RECORD, "output": ["results/f"]}]
    cases = [case(), case(target="results/f"), case(target="results/never")]
    rows = list(table_rows(cases, notes, jobs, tmp_path, 100))
    assert [row["verdict"] for row in rows] == [FITS, FAILED, NOT_RUN]
    assert rows[0]["seconds_per_unit"] == "15" and rows[0]["units_at_paper_scale"] == "1000"
    assert rows[0]["asked_mb"] == "3000" and rows[0]["gpu_mb"] == "8500"


def test_jobs_are_read_off_a_dry_run():
    text = """
rule align_vectors:
    input: a.npz, b.npz
    output: c.npz, d.parquet
    log: l
    wildcards: alignment=x, src=en
    resources: tmpdir=/tmp, runtime=240, mem_mb=8000, gpu=1
[date]
localrule all:
    input: c.npz
"""
    first, second = planned(text)
    assert (first.rule, first.input, first.output) == (
        "align_vectors",
        ("a.npz", "b.npz"),
        ("c.npz", "d.parquet"),
    )
    assert first.wildcards.src == "en" and first.resources["mem_mb"] == "8000"
    assert second.rule == "all"


def test_every_case_says_where_its_amount_comes_from():
    assert [entry.target for entry in load_cases() if not entry.source] == []


def test_a_job_notes_its_peak_and_its_loops(tmp_path):
    script = tmp_path / ".snakemake/scripts/tmp1.train.py"
    script.parent.mkdir(parents=True)
    script.write_text(
        "from types import SimpleNamespace\nfrom tqdm import tqdm\n"
        "snakemake = SimpleNamespace(rule='train', output=['results/m'], threads=1)\n"
        "for _ in tqdm(range(3), desc='fine-tuning', unit='step'):\n    bytearray(100 * 2**20)\n"
    )
    notes = tmp_path / "notes.jsonl"
    measuring = Path(__file__).parent / "measuring"
    variables = {**os.environ, "PYTHONPATH": str(measuring), "REHEARSAL_NOTES": str(notes)}
    subprocess.run([sys.executable, str(script)], env=variables, check=True)
    record = json.loads(notes.read_text())
    (loop,) = record["loops"]
    assert (record["rule"], record["output"]) == ("train", ["results/m"])
    assert (loop["label"], loop["unit"], loop["count"]) == ("fine-tuning", "step", 3)
    assert 0 < loop["fastest"] <= loop["seconds"]
    assert 90 < record["peak_mb"] - loop["before_mb"] < 120
