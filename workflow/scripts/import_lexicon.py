"""Read a bilingual lexicon of any format to a table of pairs with scores."""

from xstitch.job import job
from xstitch.lexica import lexicon_table, read_muse, read_panlex_lite, read_tsv
from xstitch.parquet import write_table

READERS = {
    "muse": read_muse,
    "muse-train": read_muse,
    "tsv": read_tsv,
    "panlex-lite": lambda file: read_panlex_lite(file, snakemake.params.source, snakemake.params.target),
}

with job(snakemake):
    lexicon = lexicon_table(READERS[snakemake.params.reader](snakemake.input.file))
    write_table(lexicon, snakemake.output.lexicon)
    print(f"{len(lexicon):,} pairs")
