"""Map both embedding tables of a language pair into the source model's space."""

from pathlib import Path

from tokenizers import Tokenizer

from xstitch.core.files import save_npz
from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.encoders.special_tokens import special_words
from xstitch.spaces.aligned import load_aligned
from xstitch.spaces.mapping import Aids, map_pair
from xstitch.vectors.table import Vectors

with job(snakemake):
    encoder, given = Path(snakemake.input.encoder), snakemake.input.get
    aids = Aids(
        load_aligned(given("aligned")) if given("aligned") else None,
        read_table(given("lexicon")) if given("lexicon") else None,
        Tokenizer.from_file(str(encoder / "tokenizer.json")) if given("lexicon") else None,
    )
    tables = map_pair(
        Vectors.load(snakemake.input.source),
        Vectors.load(snakemake.input.target),
        read_table(snakemake.input.anchors),
        special_words(encoder),
        snakemake.params.mapping,
        aids,
    )
    save_npz(snakemake.output.mapped, **tables)
