"""Download one file of a data set, or copy it from the user's folder if it cannot be downloaded."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.sources.fetch.download import fetch
from xstitch.sources.fetch.http import Token
from xstitch.sources.fetch.local import copy_local

with job(snakemake):
    target = Path(snakemake.output.file)
    chain = snakemake.wildcards.chain  # empty unless every chain has a generated world to download from
    if snakemake.params.url:
        fetch(
            snakemake.params.url,
            target,
            mirror=f"{chain}{snakemake.config['mirror']}",
            sha256=snakemake.params.sha256,
            lock=Path(f"{chain}{snakemake.config['lock']}"),
            token=Token("HF_TOKEN"),
        )
    else:
        copy_local(
            snakemake.wildcards.dataset,
            snakemake.wildcards.file,
            snakemake.params.local,
            snakemake.params.note,
            target,
        )
