"""Search for the parallel anchors of a space from a few seeds."""

from xstitch.core.files import save_npz
from xstitch.core.job import job
from xstitch.core.parquet import write_table
from xstitch.spaces.anchors.problem import pair_spaces
from xstitch.spaces.anchors.search import find_anchors
from xstitch.spaces.anchors.words import WordRules, choose_words
from xstitch.vectors.table import load_joined

with job(snakemake):
    search, seed = snakemake.params.search, int(snakemake.wildcards.seed)
    source, target = load_joined(snakemake.input.source), load_joined(snakemake.input.target)
    words = choose_words(source, target, WordRules(**snakemake.params.words))
    spaces = pair_spaces(source, target, words, search["anchors"], search["seeds"], seed)
    found = find_anchors(spaces, search, seed)
    save_npz(snakemake.output.anchors, vectors=found.vectors, rows=found.rows)
    write_table(found.history, snakemake.output.history)
    right = (found.rows == spaces.partners[spaces.anchors]).mean()
    print(f"{len(found.rows)} anchors among {len(words):,} words; {right:.1%} of the nearest words are right")
