"""Search for the parallel anchors of two spaces, starting from a few seeds."""

from xstitch.core.files import save_npz
from xstitch.core.job import job
from xstitch.core.parquet import write_table
from xstitch.spaces.anchors.problem import Unpaired, among_unpaired, pair_spaces
from xstitch.spaces.anchors.search import find_anchors
from xstitch.spaces.anchors.words import choose_words
from xstitch.spaces.settings.search import WordRules
from xstitch.vectors.table import Vectors, load_joined

with job(snakemake):
    search, seed = snakemake.params.search, int(snakemake.wildcards.seed)
    source, target = load_joined(snakemake.input.source), load_joined(snakemake.input.target)
    words = choose_words(source, target, WordRules(**snakemake.params.words))
    sizes, exchanged = (search["anchors"], search["seeds"]), snakemake.params.exchanged
    spaces = pair_spaces(source, target, words, *sizes, seed, exchanged=exchanged)
    if size := snakemake.params.searched_texts:
        texts = (Vectors.load(snakemake.input[side]).matrix for side in ("source_texts", "target_texts"))
        spaces = among_unpaired(spaces, Unpaired(*texts, size), seed)
    anchors = find_anchors(spaces, search, seed)
    save_npz(snakemake.output.anchors, vectors=anchors.vectors, rows=anchors.rows)
    write_table(anchors.history, snakemake.output.history)
    print(f"{len(anchors.rows)} anchors among {len(spaces.target):,} words")
    if spaces.partners is not None:
        correct = (anchors.rows == spaces.partners[spaces.anchors]).mean()
        print(f"{correct:.1%} of the nearest words are correct")
