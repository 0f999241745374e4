"""Train fastText or word2vec vectors on a corpus."""

from xstitch.job import job
from xstitch.parquet import stream_column

with job(snakemake):
    settings = snakemake.params.vectors
    sentences = stream_column(snakemake.input.corpus, "text")
    if settings.get("program") == "word2vec":
        from xstitch.word2vec_training import train_word2vec  # gensim takes seconds to load

        vectors = train_word2vec(sentences, settings, snakemake.params.seed)
    else:
        from xstitch.fasttext_training import train_fasttext

        vectors = train_fasttext(sentences, settings)
    vectors.save(snakemake.output.vectors)
    print(f"{len(vectors.words):,} words")
