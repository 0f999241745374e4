"""Link the words of parallel sentences."""

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.encoders.linked_pairs import save_links
from xstitch.encoders.word_links import link_pairs

with job(snakemake):
    table = read_table(snakemake.input.parallel, ["source", "target"])
    sides = (table[name].to_pylist() for name in ("source", "target"))
    save_links(link_pairs(*sides, snakemake.params.max_words), snakemake.output.links)
