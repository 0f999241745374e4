"""Search for the parallel anchors of two spaces, starting from a few seeds."""

from xstitch.core.files import save_npz
from xstitch.core.job import job
from xstitch.core.parquet import write_table
from xstitch.spaces.anchors.problem import Unpaired, among_unpaired, pair_spaces
from xstitch.spaces.anchors.search import find_anchors
from xstitch.spaces.anchors.words import load_shared
from xstitch.spaces.settings.search import WordRules
from xstitch.vectors.table import Vectors

with job(snakemake):
    search, seed = snakemake.params.search, int(snakemake.wildcards.seed)
    rules = WordRules(**snakemake.params.words)
    words, source, target = load_shared(snakemake.input.source, snakemake.input.target, rules)
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
