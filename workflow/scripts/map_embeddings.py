"""Map both embedding tables of a language pair into the source model's space."""

from pathlib import Path

from xstitch.core.files import save_npz
from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.encoders.special_tokens import special_words
from xstitch.spaces.aligned import load_aligned
from xstitch.spaces.mapping import map_pair
from xstitch.vectors.table import Vectors

with job(snakemake):
    aligned = snakemake.input.get("aligned")
    tables = map_pair(
        Vectors.load(snakemake.input.source),
        Vectors.load(snakemake.input.target),
        read_table(snakemake.input.anchors),
        special_words(Path(snakemake.input.encoder)),
        snakemake.params.mapping,
        load_aligned(aligned) if aligned else None,
    )
    save_npz(snakemake.output.mapped, **tables)
