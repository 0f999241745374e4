"""Read a bilingual lexicon in any format into a table of pairs with scores."""

from xstitch.core.job import job
from xstitch.core.parquet import write_table
from xstitch.sources.lexica import lexicon_table, read_muse, read_tsv, swapped, trusted
from xstitch.sources.panlex import read_panlex_lite, read_panlex_meanings, read_swadesh

READERS = {
    "muse": lambda files, _: read_muse(files.file),
    "muse-train": lambda files, _: read_muse(files.file),
    "tsv": lambda files, _: read_tsv(files.file),
    "panlex-lite": lambda files, pair: read_panlex_lite(files.file, *pair),
    "panlex-meanings": lambda files, pair: read_panlex_meanings(files.source, files.target, *pair),
    "panlex-swadesh": lambda files, pair: read_swadesh(files.file, *pair),
}

with job(snakemake):
    settings = snakemake.params.lexicon
    varieties = snakemake.params.source, snakemake.params.target
    entries = READERS[settings["kind"]](snakemake.input, varieties)
    lexicon = lexicon_table(swapped(entries) if settings.get("reverse") else entries)
    if "min_score" in settings:
        lexicon = trusted(lexicon, settings["min_score"])
    write_table(lexicon, snakemake.output.lexicon)
    print(f"{len(lexicon):,} pairs")
