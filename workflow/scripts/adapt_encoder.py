"""Continue the pre-training of an encoder, alone or with a loss that ties its words to aligned vectors."""

from pathlib import Path

from xstitch.core.files import load_npz
from xstitch.core.job import fingerprint, job
from xstitch.encoders.continued import AdaptationSettings, adapt_encoder, join_spaces
from xstitch.spaces.similarity import Sides
from xstitch.training.checkpoints import Checkpoint
from xstitch.vectors.table import Vectors

with job(snakemake):
    settings = dict(snakemake.params.encoder)
    languages = settings.pop("languages")
    vectors = None
    if snakemake.input.get("aligned"):
        source, *targets = (Vectors.load(path).words for path in snakemake.input.words)
        pairs = (load_npz(path) for path in snakemake.input.aligned)
        sides = {
            language: Sides(Vectors(source, pair["source"]), Vectors(words, pair["target"]))
            for language, words, pair in zip(snakemake.params.targets, targets, pairs, strict=True)
        }
        vectors = join_spaces(snakemake.params.source, sides)
    adapt_encoder(
        Path(snakemake.input.encoder),
        dict(zip(languages, map(Path, snakemake.input.corpora), strict=True)),
        AdaptationSettings.from_config(settings, snakemake.params.seed),
        Path(snakemake.output.folder),
        vectors,
        Checkpoint(Path(snakemake.params.checkpoint), fingerprint(snakemake)),
    )
