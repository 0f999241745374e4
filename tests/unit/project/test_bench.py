"""The benchmark: its medians and spreads, when it refuses to report, what its page says."""

import importlib.util
import os
import platform
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import benchmark_page as page
import numpy as np
import pytest
from bench import Bench
from measuring import Product, measure, run_rounds
from records import merged, read_records, records_of, write_records
from samples import OURS, Rounds, Sample
from variables import bench_variables
from verdict import rows_of, spread_of

BENCH = Path(__file__).parents[2] / "bench"
QUIET = Sample(wall=1.0, processor=1.0, megabytes=10.0, others=0.0)
LOADING = ("import torch", "from torch", "import transformers", "from transformers", "import numpy")
WORK = Bench(lambda: None, amount=600, unit="texts", operations=120.0)


def samples(*processor, **changes):
    """Make a sample for each time; the clock agrees with the processor."""
    return [replace(QUIET, wall=seconds, processor=seconds, **changes) for seconds in processor]


def rounds(ours=(3.0, 3.0, 3.0), other=(6.0, 6.0, 6.0), products=(100.0, 100.0, 100.0)):
    return Rounds({OURS: samples(*ours), "torch": samples(*other)}, list(products))


def recorded(name, measured=None, day="2026-11-18", threads=1):
    measured = measured or rounds()
    return records_of(rows_of(name, WORK, measured), measured, day, threads)


def load_run():
    spec = importlib.util.spec_from_file_location("bench_run", BENCH / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_spread_is_the_distance_between_quartiles_by_the_median():
    assert spread_of([5.0, 1.0, 2.0, 4.0, 3.0]) == pytest.approx(2 / 3)
    assert spread_of([2.0, 2.0, 2.0]) == 0


def test_rows_have_medians_ratio_rate_and_share_of_the_limit():
    # Medians 3 and 6.3: one slow round counts for nothing.
    ours, other = rows_of("x", WORK, rounds((3.0, 2.9, 3.1, 3.0, 9.0), (6.3, 6.2, 6.4, 6.3, 6.3), [80.0] * 5))
    assert (ours.version, ours.seconds, ours.wall, ours.ratio) == (OURS, 3.0, 3.0, None)
    assert ours.rate == 200  # 600 texts in 3 seconds
    assert ours.limit == pytest.approx(0.5)  # 40 of 80 operations a second
    assert (other.version, other.seconds, other.ratio) == ("torch", 6.3, pytest.approx(2.1))
    assert ours.verdict == other.verdict == ""


def test_memory_is_that_of_the_worst_round():
    grown = Rounds({OURS: [QUIET, replace(QUIET, megabytes=70.0), QUIET]}, [1.0, 1.0, 1.0])
    assert rows_of("x", WORK, grown)[0].megabytes == 70


@pytest.mark.parametrize(
    ("disturbed", "who"),
    [
        ({"ours": (3.0, 3.0, 4.0, 4.0)}, OURS),
        ({"other": (6.0, 5.0, 8.0, 8.0)}, "torch"),
        ({"products": (100.0, 80.0, 60.0, 100.0)}, "the product"),
    ],
)
def test_a_machine_that_is_too_noisy_gets_no_numbers_to_quote(disturbed, who):
    quiet = {"ours": (3.0,) * 4, "other": (6.0,) * 4, "products": (100.0,) * 4}
    for row in rows_of("x", WORK, rounds(**{**quiet, **disturbed})):
        assert row.verdict.startswith(f"too noisy: {who} varies by")
        assert (row.ratio, row.rate, row.limit) == (None, None, None)


def test_a_spread_of_the_limit_itself_is_no_noise():
    # Quartiles of 1.0, 1.0, 1.15, 1.15 are 1.0 and 1.15, the median is 1.075: .1395.
    assert rows_of("x", WORK, rounds(ours=(1.0, 1.0, 1.15, 1.15)))[1].ratio == pytest.approx(6 / 1.075)


def test_the_clock_of_a_shared_processor_is_not_reported():
    shared = Rounds({OURS: [replace(QUIET, wall=1.2)] * 3}, [1.0] * 3)
    row = rows_of("x", WORK, shared)[0]
    assert (row.seconds, row.wall, row.verdict) == (1.0, None, "")
    assert "| shared |" in page.line(row)


@pytest.mark.parametrize(
    ("others", "verdict"), [(0.05, ""), (0.2, "too noisy: other programs used 20% of the machine")]
)
def test_work_of_several_processes_is_measured_by_the_clock_of_a_quiet_machine(others, verdict):
    both = Rounds(
        {OURS: [Sample(2.0, 4.0, 1.0, others)] * 3, "one": [Sample(3.0, 3.0, 1.0, 0.0)] * 3}, [1.0] * 3
    )
    ours, one = rows_of("x", replace(WORK, clock="wall"), both)
    assert ours.verdict == one.verdict == verdict
    assert one.ratio == (None if verdict else pytest.approx(1.5))
    assert ours.rate == (None if verdict else 300)


def test_rounds_alternate_and_the_first_does_not_count():
    calls = []
    bench = Bench(lambda: calls.append("a"), {"b": lambda: calls.append("b")}, rounds=3)
    measured = run_rounds(bench)
    assert calls == ["a", "b", "b", "a", "a", "b", "b", "a"]
    assert {name: len(found) for name, found in measured.versions.items()} == {OURS: 3, "b": 3}
    assert len(measured.products) == 3
    assert Rounds.from_dict(measured.as_dict()) == measured


def test_a_sample_has_the_processor_time_of_children_and_the_peak_that_was_freed():
    code = "import time\nwhile time.process_time() < 0.3: pass"
    child = measure(lambda: subprocess.run([sys.executable, "-c", code], check=True))
    assert child.processor > 0.25
    holding = [sys.executable, "-c", "held = bytes(400 * 2**20); input()"]
    with subprocess.Popen(holding, stdin=subprocess.PIPE) as other:  # no part of what is measured
        time.sleep(0.5)
        peak = measure(lambda: np.ones(25 * 2**20).sum())  # 200 MB
        other.communicate(b"\n")
    assert 190 < peak.megabytes < 260


def test_the_product_has_a_rate():
    assert Product().rate() > 1e8


def test_variables_are_set_before_a_benchmark_starts():
    variables = bench_variables(1, {"OMP_NUM_THREADS": "8", "OMP_WAIT_POLICY": "ACTIVE", "HOME": "/home"})
    assert variables["OMP_NUM_THREADS"] == variables["MKL_NUM_THREADS"] == "1"
    assert variables["OMP_WAIT_POLICY"] == "PASSIVE"
    assert variables["HOME"] == "/home"


def test_the_program_that_starts_benchmarks_loads_no_numerical_library():
    code = "import sys; sys.argv = ['run.py']; import run; print({'numpy', 'torch'} & {*sys.modules})"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=BENCH,
        env={**os.environ, "PYTHONPATH": str(BENCH)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "set()"


def test_all_benchmarks_are_found_and_unknown_names_refused():
    run = load_run()
    names = [function for _, function in run.find([])]
    assert len(names) == len(set(names))
    assert {"bench_finetuning", "bench_relative_representations", "bench_text_to_npz"} <= {*names}
    assert run.find(["dcca"]) == [("bench_contextual", "bench_dcca")]
    with pytest.raises(SystemExit, match="error: no benchmark dca; there are: "):
        run.find(["dca"])


def test_the_page_names_the_kind_of_machine_but_not_the_machine():
    written = page.page(recorded("finding", rounds(products=(9.04e10,) * 3)))
    assert "2026-11-18" in written
    assert "one thread" in written
    assert "nearly idle:\nother programs used 0% of it" in written
    assert "Growth" not in written
    assert "90 GFLOP/s" in written
    assert f"{os.cpu_count()} cores" in written
    assert platform.node() not in written
    assert "| finding | ours | 3 | 0% | 3 | 10 | 200 texts | 0% |  |" in written
    assert "|  | torch | 6 | 0% | 6 | 10 | 100 texts | 0% | **2.00** |" in written


def test_the_page_says_that_a_machine_was_busy_and_shows_growth():
    busy = Rounds({OURS: [replace(QUIET, others=0.6), replace(QUIET, others=0.4)]}, [1.0, 1.0])
    written = page.page(recorded("finding", busy), "| kernel |\n")
    assert "busy:\nother programs used 50% of it (median; 50% to 50%)" in written
    assert written.endswith("| kernel |\n")


def test_runs_of_a_day_add_up_and_the_latest_counts(tmp_path):
    old = [*recorded("b"), *recorded("a", rounds(ours=(1.0, 9.0, 9.0)))]
    write_records(old, tmp_path / "bench.tsv")
    assert read_records(tmp_path / "bench.tsv") == old
    new = recorded("a")
    assert merged(read_records(tmp_path / "bench.tsv"), new, ["a", "b"]) == [*new, *recorded("b")]
    assert merged(old, new, ["a"]) == new  # a benchmark that is no more
    for other in (recorded("a", day="2026-11-19"), recorded("a", threads=2)):
        assert merged(old, other, ["a", "b"]) == other


def test_tables_of_an_earlier_layout_are_not_read(tmp_path):
    assert read_records(tmp_path / "none.tsv") == []
    (tmp_path / "old.tsv").write_text("benchmark\tversion\nx\tours\n")
    assert read_records(tmp_path / "old.tsv") == []


@pytest.mark.parametrize("script", sorted(BENCH.glob("*.py")), ids=lambda path: path.stem)
def test_a_program_says_how_threads_wait_before_it_loads_torch(script):
    lines = script.read_text(encoding="utf-8").splitlines()
    if 'if __name__ == "__main__":' not in lines:
        return  # loaded by run.py, which starts with the variables
    loads = [n for n, line in enumerate(lines) if line.startswith(LOADING)]
    says = [n for n, line in enumerate(lines) if "OMP_WAIT_POLICY" in line or line.startswith("from xstitch")]
    assert not loads or says[0] < loads[0]


def test_a_noisy_row_says_so_on_the_page():
    row = rows_of("finding", WORK, rounds(ours=(3.0, 9.0, 3.0, 9.0)))[1]
    assert page.line(row).endswith("| too noisy: ours varies by 100% |")
