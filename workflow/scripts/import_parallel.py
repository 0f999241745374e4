"""Sample sentence pairs from Moses files, put spaces between their words, and count the pairs."""

from functools import partial
from pathlib import Path

from xstitch.core.job import job
from xstitch.core.tsv import write_records
from xstitch.sources.moses import parallel_splitter
from xstitch.sources.parallel import read_moses, sample_parallel

with job(snakemake):
    params, languages = snakemake.params, (snakemake.wildcards.lang, snakemake.params.source)
    files = map(Path, snakemake.input)
    corpora = {name: [next(files) for _ in range(number)] for name, number in params.corpora.items()}
    counts = sample_parallel(
        {name: read_moses(moses, *languages) for name, moses in corpora.items()},
        params.pairs,
        params.seed,
        tuple(map(partial(parallel_splitter, params.words), params.tokenizers, languages)),
        Path(snakemake.output.pairs),
    )
    pair = "-".join(languages)
    records = [{"corpus": name, "pair": pair, "pairs": str(count)} for name, count in counts.items()]
    write_records(records, snakemake.output.counts)
