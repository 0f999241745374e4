"""Score an alignment by word similarity, within every language and from the source to each target."""

from xstitch.files import load_npz
from xstitch.job import job
from xstitch.scores import Score, write_scores
from xstitch.vectors import Vectors
from xstitch.wordsim import evaluate_similarity, join_scores

with job(snakemake):
    scores, source = [], snakemake.wildcards.src
    source_words = Vectors.load(snakemake.input.source).words
    files = (snakemake.input.targets, snakemake.input.aligned)
    tests = dict(zip(snakemake.input.pairs, snakemake.input.gold, strict=True))

    def measure(src: str, tgt: str, first: Vectors, second: Vectors) -> None:
        """Add the scores of one file: its name tells the languages."""
        name = f"{src}-{tgt}.test" if src != tgt else f"/{src}.test"
        pairs, keys = next((pairs, keys) for pairs, keys in tests.items() if name in pairs)
        result = evaluate_similarity(first, second, join_scores(pairs, keys))
        place = (snakemake.wildcards.alignment, "similarity", src, tgt, "test")
        for metric, value in [("spearman", result.spearman), ("pearson", result.pearson)]:
            scores.append(Score(*place, metric, 0, value, result.used, snakemake.params.scale))

    for number, (target, vectors, aligned) in enumerate(zip(snakemake.params.targets, *files, strict=True)):
        matrices = load_npz(aligned)
        first = Vectors(source_words, matrices["source"])
        second = Vectors(Vectors.load(vectors).words, matrices["target"])
        if number == 0:
            measure(source, source, first, first)
        measure(target, target, second, second)
        measure(source, target, first, second)
    write_scores(scores, snakemake.output.scores)
