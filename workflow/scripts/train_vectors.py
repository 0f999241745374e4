"""Train fastText or word2vec vectors on a corpus."""

from xstitch.core.job import job
from xstitch.core.parquet import stream_sample

with job(snakemake):
    settings = snakemake.params.vectors
    size, seed = settings.get("sentences"), snakemake.params.seed
    sentences = stream_sample(snakemake.input.corpus, "text", size, seed)
    if settings.get("program") == "word2vec":
        from xstitch.vectors.word2vec import train_word2vec  # gensim takes seconds to load

        vectors = train_word2vec(sentences, settings, seed)
    else:
        from xstitch.vectors.fasttext import train_fasttext

        vectors = train_fasttext(sentences, settings)
    vectors.save(snakemake.output.vectors)
    print(f"{len(vectors.words):,} words")
