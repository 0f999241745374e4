"""Save the target side of an alignment as vectors."""

from xstitch.core.job import job
from xstitch.spaces.aligned import load_aligned

with job(snakemake):
    load_aligned(snakemake.input.aligned).target.save(snakemake.output.vectors)
