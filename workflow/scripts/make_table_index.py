"""List all tables of all papers, what is missing to make them, and where their settings come from."""

from pathlib import Path

import yaml

from xstitch.core.job import job
from xstitch.core.tsv import write_records
from xstitch.results.ledger import counted_by_table, ledger_paper, read_ledger
from xstitch.results.pages import Heading, write_list_page
from xstitch.results.tables import table_path

with job(snakemake):
    ledgers = {ledger_paper(file): read_ledger(file) for file in snakemake.input.ledgers}
    rows = []
    for file in map(Path, snakemake.input.papers):
        tables = yaml.safe_load(file.read_text(encoding="utf-8"))["tables"]
        counts = counted_by_table(ledgers.get(file.stem, []), tables)
        for number, table in tables.items():
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
                    **counts[number],
                }
            )
    write_records(rows, snakemake.output.index)
    write_list_page(Heading(**snakemake.params.heading), snakemake.output.index, snakemake.output.page)
