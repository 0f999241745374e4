"""Take the target side of an alignment as vectors of their own."""

from xstitch.core.files import load_npz
from xstitch.core.job import job
from xstitch.vectors.table import Vectors

with job(snakemake):
    words = Vectors.load(snakemake.input.words).words
    Vectors(words, load_npz(snakemake.input.aligned)["target"]).save(snakemake.output.vectors)
