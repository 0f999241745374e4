"""List how many sentence pairs each parallel corpus has."""

from xstitch.core.job import job
from xstitch.core.tsv import read_records, write_records
from xstitch.results.pages import Heading, write_list_page

with job(snakemake):
    write_records(
        [row for file in snakemake.input.counts for row in read_records(file)], snakemake.output.table
    )
    write_list_page(Heading(**snakemake.params.heading), snakemake.output.table, snakemake.output.page)
