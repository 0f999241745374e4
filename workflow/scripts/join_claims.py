"""Join the claims of all papers, with their verdicts, in one table and one page."""

from xstitch.core.job import job
from xstitch.core.tsv import read_records, write_records
from xstitch.results.claims.page import write_claims_page
from xstitch.results.pages import Heading

with job(snakemake):
    parts = [read_records(part) for part in snakemake.input.parts]
    write_records([record for part in parts for record in part], snakemake.output.claims)
    heading = Heading(**snakemake.params.heading)
    recorded = dict(zip(snakemake.params.scales, snakemake.input.recorded, strict=True))
    write_claims_page(heading, snakemake.output.claims, snakemake.output.page, recorded)
