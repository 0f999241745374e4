"""Take the target side of an alignment as vectors of their own."""

from xstitch.files import load_npz
from xstitch.job import job
from xstitch.vectors import Vectors

with job(snakemake):
    words = Vectors.load(snakemake.input.words).words
    Vectors(words, load_npz(snakemake.input.aligned)["target"]).save(snakemake.output.vectors)
