"""Write docs/chains.md: how far the chains of the demo are apart, and whether other chains stay within them.

`make chains` runs Table 2 with six chains first. Every half of them is a run of three chains, as the demo is,
and shares no draw with the other half.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow/scripts"))

from xstitch.core.parquet import read_table  # noqa: E402
from xstitch.plan.overlays import lay  # noqa: E402
from xstitch.plan.run import load_run  # noqa: E402
from xstitch.plan.tables import predicted_cells, table_predictions, table_scores, table_spec  # noqa: E402
from xstitch.results.intervals import Interval  # noqa: E402
from xstitch.results.replication import components, replications  # noqa: E402
from xstitch.results.resampled_scores import Predicted, with_resamples  # noqa: E402
from xstitch.results.scores import read_scores  # noqa: E402
from xstitch.results.tables import Grid, fill_grid  # noqa: E402

CHAINS = 6
LEAD = SimpleNamespace(paper="mosecrot", table="table2")
BEGIN, END = "<!-- written by `make chains` -->\n", "<!-- end -->\n"


def six_chains() -> tuple[Grid, int]:
    """The cells of Table 2 in six chains, and the seed of their resamples."""
    run = load_run(lay(ROOT / "config/config.yaml", [], {"chains": CHAINS}, ROOT / "config"), ROOT)
    scores = [score for file in table_scores(run, LEAD) for score in read_scores(ROOT / file)]
    cells = zip(predicted_cells(run, LEAD), table_predictions(run, LEAD), strict=True)
    predicted = [
        Predicted(cell["recipe"], cell["task"], read_table(ROOT / file), cell["labels"], cell["chain"])
        for cell, file in cells
    ]
    seed = run.config["seed"]
    return fill_grid(table_spec(run, LEAD), {}, with_resamples(scores, predicted, seed), run.source), seed


def compared(grid: Grid, seed: int) -> Iterator[str]:
    """The first three chains and the other three, cell by cell, and all halves together."""
    everything = {key: list(replications(cell.runs, seed, cell.within)) for key, cell in grid.items()}
    first = [inside for splits in everything.values() for inside in splits[0].inside]
    every = [inside for splits in everything.values() for split in splits for inside in split.inside]
    yield f"Of {len(first)} numbers of chains 1 to 3 and 4 to 6, {sum(first)} are within the other three's\n"
    yield f"interval; of all {len(every)} numbers of all halves, {fmean(every):.0%}.\n\n"
    yield "| method | language | chains 1 to 3 | chains 4 to 6 | within each other | of all halves |\n"
    yield "|---|---|---|---|---|---|\n"
    for (row, column), splits in everything.items():
        inside = {2: "both", 1: "one", 0: "neither"}[sum(splits[0].inside)]
        share = fmean(chain.from_iterable(split.inside for split in splits))
        shown = " | ".join(map(_shown, (splits[0].one, splits[0].other)))
        yield f"| {row} | {column} | {shown} | {inside} | {share:.0%} |\n"


def apart(grid: Grid) -> Iterator[str]:
    """The components of variance, cell by cell."""
    yield "| method | language | chains | seeds | items |\n|---|---|---|---|---|\n"
    for (row, column), cell in grid.items():
        found = components(cell.runs)
        seeds = "" if found.seeds is None else f"{found.seeds:.3f}"
        yield f"| {row} | {column} | {found.chains:.3f} | {seeds} | {found.items:.3f} |\n"


def _shown(bounds: Interval) -> str:
    return f"{bounds.value:.2f} [{bounds.low:.2f}, {bounds.high:.2f}]"


if __name__ == "__main__":
    grid, seed = six_chains()
    written = "".join([*compared(grid, seed), "\n", *apart(grid)])
    page = ROOT / "docs/chains.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{written}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
