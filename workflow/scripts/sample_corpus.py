"""Sample tokenised sentences from a corpus in CC100's layout."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.sources.corpora import parts_folder, sample_corpus
from xstitch.sources.segmentation import segmenter

with job(snakemake):
    params, text = snakemake.params, Path(snakemake.input.text)
    contractions = params.corpus.get("contractions", "written")
    segment = segmenter(params.tokenizer, params.language, params.model, contractions)
    parts = parts_folder(Path(params.checkpoint), text, repr(sorted(params.items())))
    output, processes = Path(snakemake.output.corpus), snakemake.threads
    sample_corpus(text, segment, params.corpus, params.seed, parts, output, processes)
