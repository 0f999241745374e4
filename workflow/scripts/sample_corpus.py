"""Sample tokenised sentences from a corpus in CC100's layout."""

from xstitch.corpora import SCHEMA, sample_sentences
from xstitch.job import job
from xstitch.parquet import write_rows
from xstitch.text import tokenizer

with job(snakemake):
    tokenize = tokenizer(snakemake.params.tokenizer)
    rows = sample_sentences(snakemake.input.text, tokenize, snakemake.params.corpus, snakemake.params.seed)
    count = write_rows(rows, SCHEMA, snakemake.output.corpus)
    print(f"{count:,} sentences")
