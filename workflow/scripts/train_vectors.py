"""Train fastText vectors on a corpus."""

from xstitch.fasttext_training import train_fasttext
from xstitch.job import job
from xstitch.parquet import stream_column

with job(snakemake):
    sentences = stream_column(snakemake.input.corpus, "text")
    vectors = train_fasttext(sentences, snakemake.params.vectors)
    vectors.save(snakemake.output.vectors)
    print(f"{len(vectors.words):,} words")
