"""Map both embedding tables of a language pair into the source model's space."""

from pathlib import Path

from xstitch.files import save_npz
from xstitch.job import job
from xstitch.parquet import read_table
from xstitch.projection import map_pair
from xstitch.tokens import special_words
from xstitch.vectors import Vectors

with job(snakemake):
    tables = map_pair(
        Vectors.load(snakemake.input.source),
        Vectors.load(snakemake.input.target),
        read_table(snakemake.input.anchors),
        special_words(Path(snakemake.input.encoder)),
        snakemake.params.mapping,
    )
    save_npz(snakemake.output.mapped, **tables)
