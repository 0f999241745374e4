"""From what a job noted to what it needs at scale paper, and the verdict."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from cases import Case, load_cases
from measurements import Measured, measured, newly_measured, read_measured, write_measured
from needs import FITS, MEMORY, NOT_RUN, TIME, judge, project, table_rows
from page import write_page
from planning import Job, planned

LOOP = {
    "label": "fine-tuning", "unit": "step", "count": 2, "cpu_seconds": 80.0, "fastest_cpu": 30.0,
    "before_mb": 1000, "peak_mb": 9000, "weights_mb": 500, "trained_mb": 0,
}  # fmt: skip
RECORD = {  # on two threads
    "rule": "train", "output": ["results/m"], "date": "2026-01-02", "cpu_seconds": 100.0, "threads": 2,
    "peak_mb": 9000, "loops": [{**LOOP, "label": "loading", "count": 9, "before_mb": 500}, LOOP],
}  # fmt: skip
CUDA, CHECKPOINT = 2000, 1100  # MB that a process with a GPU has on its host
CORE = 936.0  # GFLOPS: an A100, 30 % of whose 312 TFLOPS are counted, is 100 times as fast


USUAL = Case("train", "results/m", "fine-tuning", "update", 1000, 1, 1, None, "a paper")


def case(**changes) -> Case:
    return replace(USUAL, **changes)


def read(case, record=RECORD):
    return measured(record, case, CORE)


def test_the_loop_of_a_case_is_found_by_its_label():
    known = {"core_gflops": CORE, "date": "2026-01-02"}
    assert read(case()) == Measured(50.0, 9000, 40.0, 2, 15.0, 1000, 9000, 500, **known)
    assert read(case(loop="")) == Measured(50.0, 9000, **known)


def test_loops_grow_with_units_and_batches_and_the_rest_does_not():
    # 15 seconds per update, 10 of evaluation, 10 outside of the loop; 8,000 MB on top of 1,000.
    needs = project(read(case()), case(), on_gpu=False)
    assert needs.hours_here == pytest.approx((10 + 15 * 1000) / 3600)
    assert (needs.host_mb, needs.gpu_mb) == (9000, 0)
    needs = project(read(case()), case(factor=4), on_gpu=False)
    assert needs.hours_here == pytest.approx((10 + 60 * 1000) / 3600)
    assert needs.host_mb == 1000 + 4 * 8000


def test_gradients_and_moments_do_not_grow_with_the_batch():
    # Of 8,000 MB 3,000 are the training state of 1,000 MB, 5,000 the activations of a small batch.
    record = {**RECORD, "loops": [{**LOOP, "weights_mb": 1200, "trained_mb": 1000}]}
    needs = project(read(case(), record), case(factor=4), on_gpu=True)
    assert needs.host_mb == 1000 + CUDA + CHECKPOINT
    assert needs.gpu_mb == 1200 + 3000 + 4 * 5000


def test_loops_over_other_things_than_updates_take_the_mean():
    assert read(case(unit="image")).unit_seconds == 20.0


def test_on_a_gpu_the_host_keeps_what_was_there_before_the_loop():
    needs = project(read(case()), case(), on_gpu=True)
    assert (needs.host_mb, needs.gpu_mb) == (1000 + CUDA, 500 + 8000)
    assert needs.hours_on_gpu == pytest.approx((10 + 150) / 3600)


def test_a_loop_may_be_counted_in_times_of_itself():
    repeated = case(amount=None, times=7)
    needs = project(read(repeated), repeated, on_gpu=False)
    assert needs.hours_here == pytest.approx((10 + 7 * 30) / 3600)


def test_a_job_without_a_loop_is_repeated():
    plain = case(loop="", amount=None, times=3)
    needs = project(read(plain), plain, on_gpu=True)
    assert needs.hours_here == needs.hours_on_gpu == pytest.approx(150 / 3600)
    assert (needs.host_mb, needs.gpu_mb) == (9000 + CUDA, 0)


@pytest.mark.parametrize(
    ("asked_mb", "asked_hours", "on_gpu", "verdict"),
    [(9000, 5, False, FITS), (8999, 5, False, MEMORY), (9000, 4, False, TIME), (3000, 0.05, True, FITS),
     (2999, 0.05, True, MEMORY), (3000, 0.04, True, TIME)],
)  # fmt: skip
def test_verdicts(asked_mb, asked_hours, on_gpu, verdict):
    needs = project(read(case()), case(), on_gpu)
    assert judge(needs, asked_mb, asked_hours, on_gpu) == verdict


def test_a_batch_too_large_for_the_gpu_is_too_little_memory():
    needs = project(read(case()), case(factor=11), on_gpu=True)
    assert needs.gpu_mb == 88_500
    assert judge(needs, 1e9, 1e9, on_gpu=True) == MEMORY


def asked(name, mem_mb="3000"):
    resources = {"mem_mb": mem_mb, "runtime": "60", "gpu": "1"}
    return Job("train", (), (name,), SimpleNamespace(), resources)


def test_only_jobs_that_ended_well_count_as_measured(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/m").touch()
    notes = [RECORD, {**RECORD, "output": ["results/f"]}]
    cases = [case(), case(target="results/f"), case(target="results/never")]
    found = newly_measured(cases, notes, tmp_path)
    assert set(found) == {"results/m"} and found["results/m"].date == "2026-01-02"


def test_earlier_measurements_are_judged_by_what_rules_ask_for_now(tmp_path):
    old, new = case(target="results/old"), case()
    write_measured([old], {"results/old": replace(read(old), date="2025-12-31")}, tmp_path / "m.tsv")
    found = read_measured(tmp_path / "m.tsv") | {"results/m": read(new)}
    write_measured([new, old], found, tmp_path / "m.tsv")
    assert read_measured(tmp_path / "m.tsv") == found
    cases = [new, old, case(target="results/never")]
    rows = list(table_rows(cases, found, [asked("results/m"), asked("results/old", "2999")]))
    assert [row["verdict"] for row in rows] == [FITS, MEMORY, NOT_RUN]
    assert [row["date"] for row in rows] == ["2026-01-02", "2025-12-31", ""]
    assert rows[0]["seconds_per_unit"] == "15" and rows[0]["units_at_paper_scale"] == "1000"
    assert rows[1]["asked_mb"] == "2999" and rows[0]["gpu_mb"] == "8500"
    jobs = [replace(found["results/m"], remark=remark, core_gflops=90) for remark in ("by hand", "")]
    write_page(tmp_path / "page.md", rows, jobs)
    page = (tmp_path / "page.md").read_text()
    assert "1 of 3 cases fit, 1 were not run. 1 rows: by hand." in page
    assert "1,040 times\n  as fast: 93,600 GFLOPS" in page and "against 90 GFLOPS" in page
    assert "| train | old | 2025-12-31 | update | 15 | 1000 | 9000 | 3000 | 8500 | 2999 |" in page


def test_a_case_that_is_no_more_is_not_kept(tmp_path):
    write_measured([case()], {"results/m": read(case()), "results/gone": read(case())}, tmp_path / "m.tsv")
    assert list(read_measured(tmp_path / "m.tsv")) == ["results/m"]
    assert read_measured(tmp_path / "none.tsv") == {}


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


def run_job(tmp_path, loop, **variables):
    """Run a script as a job of Snakemake; return its note."""
    script = tmp_path / ".snakemake/scripts/tmp1.train.py"
    script.parent.mkdir(parents=True)
    script.write_text(
        "from types import SimpleNamespace\nfrom tqdm import tqdm\n"
        f"snakemake = SimpleNamespace(rule='train', output=['{tmp_path}/m'], threads=1)\n{loop}"
    )
    notes = tmp_path / "notes.jsonl"
    paths = {"PYTHONPATH": str(Path(__file__).parent / "measuring"), "REHEARSAL_NOTES": str(notes)}
    subprocess.run([sys.executable, str(script)], env={**os.environ, **paths, **variables}, check=True)
    return json.loads(notes.read_text())


def test_a_job_notes_its_peak_and_its_loops(tmp_path):
    loop = "for _ in tqdm(range(3), desc='fine-tuning', unit='step'):\n    bytearray(100 * 2**20)\n"
    record = run_job(tmp_path, loop)
    (noted,) = record["loops"]
    assert (record["rule"], record["output"]) == ("train", [f"{tmp_path}/m"])
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", record["date"])
    assert (noted["label"], noted["unit"], noted["count"]) == ("fine-tuning", "step", 3)
    assert 0 < noted["fastest"] <= noted["seconds"]
    assert 90 < record["peak_mb"] - noted["before_mb"] < 120


def test_a_job_that_takes_too_long_ends_within_its_loop_and_leaves_an_empty_file(tmp_path):
    loop = "for _ in tqdm(range(5), desc='neighbours'):\n    pass\nraise SystemExit('went on')\n"
    ends = json.dumps({f"{tmp_path}/m": ["neighbours", 2]})
    (noted,) = run_job(tmp_path, loop, REHEARSAL_ENDS=ends)["loops"]
    assert (noted["label"], noted["count"]) == ("neighbours", 2)
    assert (tmp_path / "m").read_bytes() == b""


def test_a_loop_that_can_be_cut_short_is(tmp_path):
    loop = "for _ in tqdm(range(5), desc='batches'):\n    pass\nopen(snakemake.output[0], 'w').write('all')\n"
    (noted,) = run_job(tmp_path, loop, REHEARSAL_STOPS=json.dumps({"batches": 3}))["loops"]
    assert noted["count"] == 3
    assert (tmp_path / "m").read_text() == "all"
