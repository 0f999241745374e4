"""List the languages of a paper and of this run: family, script and how text is segmented."""

from xstitch.core.job import job
from xstitch.core.tsv import write_records
from xstitch.results.pages import Heading, write_list_page

KEYS = {
    "Language": "name",
    "Code": "language",
    "Family": "family",
    "Script": "script",
    "Tool": "tokenizer",
    "Here": "here",
}

with job(snakemake):
    records = [
        {title: language[key] for title, key in KEYS.items()} for language in snakemake.params.languages
    ]
    write_records(records, snakemake.output.table)
    write_list_page(Heading(**snakemake.params.heading), snakemake.output.table, snakemake.output.page)
