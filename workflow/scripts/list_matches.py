"""List words of sample sentences with their matches in the transport plan, or pairs that hardly match."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.core.tsv import write_records
from xstitch.encoders.matches import unlikely_pairs, word_matches
from xstitch.results.pages import Heading, write_list_page

with job(snakemake):
    records = []
    for language, path in zip(snakemake.params.languages, snakemake.input.pairs, strict=True):
        table = read_table(path, ["source", "target"])
        pairs = list(zip(table["source"].to_pylist(), table["target"].to_pylist(), strict=True))
        show = word_matches if snakemake.params.kind == "words" else unlikely_pairs
        shown = show(Path(snakemake.input.encoder), pairs, snakemake.params.number)
        records += [{"language": language, **record} for record in shown]
    write_records(records, snakemake.output.table)
    write_list_page(Heading(**snakemake.params.heading), snakemake.output.table, snakemake.output.page)
