"""The table of a rehearsal as TSV, and the page that shows it (docs/rehearsal.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from measurements import Measured
from needs import CHECKPOINT_MB, COLUMNS, CUDA_MB, FITS, GPU, NOT_RUN

PAGE = """# A rehearsal at true size

`make rehearse` runs the largest jobs of every rule that a table or numbered figure needs at `scale: paper`,
on generated data and with random weights, and stops every training after a few updates
(`config/rehearsal.yaml`). Left out is what only the table of found pairs, comparisons of recipes, curves,
gradients of losses and recommendations need. `make rehearse TARGETS="results/..."` runs some of them again.
What jobs needed is kept in `tests/rehearsal/measured.tsv`, each with the day it was measured; this page and
`results/rehearsal.tsv` set all of it beside what rules ask for now. `tests/rehearsal/cases.tsv` names the
jobs, how much they have to do at paper scale, and where that number comes from.

- **Memory** is the kernel's own peak of the job ("peak MB"). A job with a GPU is measured on a CPU: what
  it had before its first update counts as memory of the host ("host MB"), with {cuda:,} MB for CUDA's
  libraries (an allowance) and the largest file of a checkpoint, {file:,} MB; weights and what came on top
  (gradients, Adam's moments, activations in fp32, times what the batch lacks) as memory of the GPU.
- **Time** is that of the processor, divided by the threads, which other processes do not stretch: of the main
  loop per unit (of an update without the evaluations between updates, times what its batch lacks), times the
  units at paper scale (n), plus the rest of the job as it was.
  On one {gpu} with {gpu_memory:.0f} GB loops are taken to be {ratio:,.0f} times
  as fast: {gpu_speed:,.0f} GFLOPS, 30 % of its peak in bf16, against {cpu_speed:.0f} GFLOPS of the core
  that was measured. That holds for large products of matrices; loops over small ones gain less.
- **Verdicts** compare both with `mem_mb` and `runtime` of the rule with the profile for SLURM, and the memory
  of the GPU.

{count} of {total} cases fit, {missing} were not run.{remarks}

"""
SHOWN = (
    "rule", "case", "day", "unit", "s", "n", "peak MB", "host MB", "GPU MB", "asked MB", "h here", "h GPU",
    "asked h", "verdict",
)  # fmt: skip


def write_table(file: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """Write the table as TSV."""
    lines = ["\t".join(COLUMNS), *("\t".join(row[column] for column in COLUMNS) for row in rows)]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_page(file: Path, rows: Sequence[Mapping[str, str]], jobs: Collection[Measured]) -> None:
    """Write the page; what is remarked about measurements is said with their number."""
    remarks, speed = [job.remark for job in jobs if job.remark], median(job.core_gflops for job in jobs)
    said = "".join(f" {remarks.count(remark)} rows: {remark}." for remark in dict.fromkeys(remarks))
    text = PAGE.format(
        gpu=GPU.name.upper(), gpu_memory=GPU.memory_gb, ratio=GPU.gflops / speed, gpu_speed=GPU.gflops,
        cpu_speed=speed, cuda=CUDA_MB, file=CHECKPOINT_MB, total=len(rows),
        count=sum(row["verdict"] == FITS for row in rows),
        missing=sum(row["verdict"] == NOT_RUN for row in rows), remarks=said,
    )  # fmt: skip
    cells = [SHOWN, ["---"] * len(SHOWN), *([row[column] for column in COLUMNS[:-1]] for row in rows)]
    table = "".join(f"| {' | '.join(line)} |\n" for line in cells)
    file.write_text(text + table, encoding="utf-8")
