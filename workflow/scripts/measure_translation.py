"""Score an alignment by bilingual lexicon induction, in both directions for every target language."""

from xstitch.core.job import job
from xstitch.results.scores import Score, write_scores
from xstitch.sources.lexica import lexicon_table, read_muse
from xstitch.spaces.aligned import load_aligned
from xstitch.spaces.bli import evaluate_bli

with job(snakemake):
    scores, source = [], snakemake.wildcards.src
    files = (snakemake.input.aligned, snakemake.input.forth, snakemake.input.back)
    for target, aligned, *tests in zip(snakemake.params.targets, *files, strict=True):
        sides = dict(zip((source, target), load_aligned(aligned), strict=True))
        for (src, tgt), test in zip([(source, target), (target, source)], tests, strict=True):
            result = evaluate_bli(sides[src], sides[tgt], lexicon_table(read_muse(test)))
            columns = (snakemake.wildcards.alignment, "bli", src, tgt, "test")
            for metric, value in result.row().items():
                scores.append(Score(*columns, metric, 0, value, result.queries, snakemake.params.scale))
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
