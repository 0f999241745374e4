"""Copy the lead paper's table to its short address."""

import shutil

from xstitch.core.files import whole_file
from xstitch.core.job import job

with job(snakemake):
    for name in ("table", "comparison"):
        with whole_file(snakemake.output[name]) as partial:
            shutil.copyfile(snakemake.input[name], partial)
