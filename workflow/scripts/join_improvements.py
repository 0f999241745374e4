"""Join what adaptation gains on the target sets of all jobs."""

from xstitch.core.job import job
from xstitch.core.tsv import read_records, write_records

with job(snakemake):
    parts = [read_records(part) for part in snakemake.input.parts]
    write_records([record for part in parts for record in part], snakemake.output.improvements)
