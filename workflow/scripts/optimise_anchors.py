"""Search for the parallel anchors of two spaces, starting from a few seeds."""

from xstitch.core.files import save_npz
from xstitch.core.job import job
from xstitch.core.parquet import write_table
from xstitch.spaces.anchors.problem import pair_spaces
from xstitch.spaces.anchors.search import find_anchors
from xstitch.spaces.anchors.words import choose_words
from xstitch.spaces.settings.search import WordRules
from xstitch.vectors.table import load_joined

with job(snakemake):
    search, seed = snakemake.params.search, int(snakemake.wildcards.seed)
    source, target = load_joined(snakemake.input.source), load_joined(snakemake.input.target)
    words = choose_words(source, target, WordRules(**snakemake.params.words))
    sizes, exchanged = (search["anchors"], search["seeds"]), snakemake.params.exchanged
    spaces = pair_spaces(source, target, words, *sizes, seed, exchanged=exchanged)
    anchors = find_anchors(spaces, search, seed)
    save_npz(snakemake.output.anchors, vectors=anchors.vectors, rows=anchors.rows)
    write_table(anchors.history, snakemake.output.history)
    correct = (anchors.rows == spaces.partners[spaces.anchors]).mean()
    count = len(anchors.rows)
    print(f"{count} anchors among {len(words):,} words; {correct:.1%} of the nearest words are correct")
