"""Encode images with a vision transformer."""

from itertools import islice
from pathlib import Path

from xstitch.core.job import job
from xstitch.encoders.images import encode_images
from xstitch.sources.images import read_batches, read_folder

with job(snakemake):
    params = snakemake.params
    images = read_folder(params.folder) if params.folder else read_batches(snakemake.input.files)
    vectors = encode_images(islice(images, params.size), Path(snakemake.input.encoder))
    vectors.save(snakemake.output.vectors)
    print(f"{len(vectors.words):,} images")
