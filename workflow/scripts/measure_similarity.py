"""Score an alignment by word similarity, within every language and between any two."""

from xstitch.core.files import load_npz
from xstitch.core.job import job
from xstitch.results.scores import write_scores
from xstitch.spaces.similarity import Place, Sides, similarity_scores
from xstitch.vectors.table import Vectors

with job(snakemake):
    source_words = Vectors.load(snakemake.input.source).words
    sides = {}
    files = (snakemake.input.targets, snakemake.input.aligned)
    for target, vectors, aligned in zip(snakemake.params.targets, *files, strict=True):
        matrices = load_npz(aligned)
        words = Vectors.load(vectors).words
        sides[target] = Sides(Vectors(source_words, matrices["source"]), Vectors(words, matrices["target"]))
    place = Place(snakemake.wildcards.alignment, snakemake.wildcards.src, snakemake.params.scale)
    files = zip(snakemake.input.pairs, snakemake.input.gold, strict=True)
    tests = dict(zip(map(tuple, snakemake.params.languages), files, strict=True))
    write_scores(similarity_scores(place, sides, tests), snakemake.output.scores)
