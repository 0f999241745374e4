"""Compare recipes on a task that no paper's comparison has: compared_task.py TASK LABELS PREDICTIONS NAME.

The rows are those of the lead paper's comparison `frozen` and of its Table 2, then those of all other papers'
tables, that the run has predictions of, with the first of them as baseline. LABELS are separated by commas,
or "" where words have tags; PREDICTIONS is a run's folder results/predictions; the table goes to
docs/results/NAME.tsv and to the page docs/results/NAME.md.
"""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow/scripts"))

from recorded_results import RESULTS, record  # noqa: E402

from xstitch.core.parquet import read_table  # noqa: E402
from xstitch.core.tsv import write_records  # noqa: E402
from xstitch.plan.run import load_papers  # noqa: E402
from xstitch.results.comparisons import compare_recipes  # noqa: E402
from xstitch.results.scores import ONE_CHAIN  # noqa: E402

SOURCE, SEED = "en", 1


def row_names() -> dict[str, str]:
    """The rows of recipes, as the first table that has them calls them."""
    papers = load_papers(ROOT / "config/papers")
    lead = papers["mosecrot"]
    tables = [lead["comparisons"]["frozen"], lead["tables"]["2"]]
    tables += [table for paper in papers.values() for table in paper["tables"].values()]
    names: dict[str, str] = {}
    for row in chain.from_iterable(table.get("rows", []) for table in tables):
        names.setdefault(row.get("recipe"), row["row"])
    return names


def compared(task: str, labels: list[str] | None, folder: Path) -> list[dict[str, str]]:
    """The scores of all recipes that were run, and their differences from the first."""
    names = row_names()
    files = {recipe: folder / recipe / task / f"{SOURCE}.parquet" for recipe in names}
    predictions = {recipe: {ONE_CHAIN: read_table(file)} for recipe, file in files.items() if file.is_file()}
    return compare_recipes(predictions, next(iter(predictions)), names, labels, SEED)


if __name__ == "__main__":
    task, labels, folder, name = sys.argv[1:]
    table = RESULTS / f"{name}.tsv"
    write_records(compared(task, labels.split(",") if labels else None, Path(folder)), table)
    record(table, name)
