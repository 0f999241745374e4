"""Induce a lexicon from a few pairs of another: bootstrapped anchors between two languages."""

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.spaces.anchors.induced_lexica import frequent_centred, lexicon_of, seed_pairs, seeded_languages
from xstitch.spaces.anchors.search import find_anchors
from xstitch.vectors.table import Vectors

with job(snakemake):
    settings = snakemake.params.lexicon["search"]
    source, target = Vectors.load(snakemake.input.source), Vectors.load(snakemake.input.target)
    if settings["kind"] != "alternate" and "vocabulary" in settings:  # alternation chooses words itself
        source, target = (frequent_centred(side, settings["vocabulary"]) for side in (source, target))
    pairs = seed_pairs(read_table(snakemake.input.lexicon), source, target, settings["seeds"])
    spaces = seeded_languages(source, target, pairs, settings["anchors"])
    anchors = find_anchors(spaces, settings, snakemake.params.seed)
    lexicon = lexicon_of(spaces, anchors, source, target)
    write_table(lexicon, snakemake.output.lexicon)
    write_table(anchors.history, snakemake.output.history)
    print(f"{len(lexicon):,} pairs from {len(pairs)} seeds")
