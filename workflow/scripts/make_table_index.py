"""List all tables of all papers and what is missing to make them."""

from pathlib import Path

import yaml

from xstitch.core.job import job
from xstitch.core.tsv import write_records
from xstitch.results.tables import table_path

with job(snakemake):
    rows = []
    for file in map(Path, snakemake.input.papers):
        for number, table in yaml.safe_load(file.read_text(encoding="utf-8"))["tables"].items():
            missing = snakemake.params.missing[f"{file.stem} {number}"]
            rows.append(
                {
                    "paper": file.stem,
                    "table": number,
                    "title": table["title"],
                    "task": table.get("task", ""),  # a list of languages has neither
                    "metric": table.get("metric", ""),
                    "missing": missing,
                    "file": "" if missing else table_path(file.stem, number),
                }
            )
    write_records(rows, snakemake.output.index)
