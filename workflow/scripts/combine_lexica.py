"""Make a lexicon from others: their union, or a chain of two through a third language."""

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.sources.combined_lexica import chain, unite
from xstitch.sources.lexica import SCHEMA, trusted

with job(snakemake):
    settings = snakemake.params.lexicon
    lexica = [read_table(file, SCHEMA.names) for file in snakemake.input.lexica]
    if settings["kind"] == "pivot":
        lexicon = chain(*lexica, settings["discount"])
    else:
        weights = settings.get("weights", {})
        lexicon = unite(lexica, [weights.get(name, 1.0) for name in settings["lexica"]])
    if "min_score" in settings:
        lexicon = trusted(lexicon, settings["min_score"])
    write_table(lexicon, snakemake.output.lexicon)
    print(f"{len(lexicon):,} pairs")
