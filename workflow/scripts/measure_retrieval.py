"""Measure parallel anchors by retrieval within two spaces and across them, for every seed."""

from xstitch.core.job import job
from xstitch.results.scores import Score, write_scores
from xstitch.spaces.anchors.retrieval import evaluate_pairs
from xstitch.spaces.anchors.search import parallel_anchors
from xstitch.spaces.anchors.words import load_shared
from xstitch.spaces.settings.search import WordRules

with job(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    anchors_files = dict(zip(params.seeds, snakemake.input.get("found_anchors", []), strict=False))
    rules = WordRules(**params.words)
    words, source, target = load_shared(snakemake.input.source, snakemake.input.target, rules)
    scores = []
    for seed in params.seeds:
        file = anchors_files.get(seed)
        anchors = parallel_anchors(
            source, target, words, params.search, seed, file, exchanged=params.exchanged
        )
        names = tuple(params.names)
        results = evaluate_pairs(anchors.spaces, anchors.target, names, params.k, params.jaccard)
        for (src, tgt), result in results.items():
            columns = (wildcards.recipe, wildcards.task, src, tgt, "all")
            for metric, value in result.metrics().items():
                scores.append(Score(*columns, metric, seed, value, result.words, params.scale))
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
