"""Score an alignment by bilingual lexicon induction, in both directions for every target language."""

from xstitch.core.files import load_npz
from xstitch.core.job import job
from xstitch.results.scores import Score, write_scores
from xstitch.sources.lexica import lexicon_table, read_muse
from xstitch.spaces.bli import evaluate_bli
from xstitch.vectors.table import Vectors

with job(snakemake):
    scores, source = [], snakemake.wildcards.src
    source_words = Vectors.load(snakemake.input.source).words
    files = (snakemake.input.targets, snakemake.input.aligned, snakemake.input.forth, snakemake.input.back)
    for target, vectors, aligned, *tests in zip(snakemake.params.targets, *files, strict=True):
        matrices = load_npz(aligned)
        sides = {
            source: Vectors(source_words, matrices["source"]),
            target: Vectors(Vectors.load(vectors).words, matrices["target"]),
        }
        for (src, tgt), test in zip([(source, target), (target, source)], tests, strict=True):
            result = evaluate_bli(sides[src], sides[tgt], lexicon_table(read_muse(test)))
            place = (snakemake.wildcards.alignment, "bli", src, tgt, "test")
            for metric, value in result.row().items():
                scores.append(Score(*place, metric, 0, value, result.queries, snakemake.params.scale))
    write_scores(scores, snakemake.output.scores)
