"""Measure how much of a language its vectors, lexicon and anchors reach."""

from itertools import islice
from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import read_table, stream_column
from xstitch.core.tsv import write_records
from xstitch.encoders.wordpiece import SPECIAL
from xstitch.models.stitching import word_tokenizer
from xstitch.results.coverage import FEW_WORDS, FREQUENT, Coverage, count_tokens, coverage_records
from xstitch.vectors.table import Vectors, lower_cased

with job(snakemake):
    words = Vectors.load(snakemake.input.vectors).words
    fold = str.lower if lower_cased(words) else str
    lexicon = {fold(word) for word in read_table(snakemake.input.lexicon).column("target").to_pylist()}
    special = {f"{role}_token": token for role, token in SPECIAL.items()}
    text = snakemake.input.get("text")
    texts = stream_column(Path(text), "text") if text else islice(words, FEW_WORDS)
    coverage = Coverage(
        len(words),
        len(lexicon),
        len(read_table(snakemake.input.anchors)),
        count_tokens(texts, word_tokenizer(words, special), SPECIAL["unk"], lexicon),
        snakemake.params.text if text else FREQUENT,
    )
    records = coverage_records(coverage)
    write_records(records, snakemake.output.coverage)
    for record in records:
        print(record["measure"], record["value"], record["warning"], sep="\t")
