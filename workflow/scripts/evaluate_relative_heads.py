"""Train relative heads on two languages and score each on both, for every target language and seed."""

import numpy as np

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.models.relative_heads import Labelled, apply_heads
from xstitch.models.settings.heads import HeadSettings
from xstitch.results.metrics import rating_scores
from xstitch.results.scores import as_scores, write_scores
from xstitch.spaces.anchors.problem import Unpaired
from xstitch.spaces.anchors.retrieval import relative_rows
from xstitch.spaces.anchors.search import parallel_anchors
from xstitch.spaces.anchors.words import load_shared
from xstitch.spaces.settings.search import WordRules
from xstitch.training.schedule import Schedule
from xstitch.vectors.table import Vectors

with job(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    class_numbers = {label: index for index, label in enumerate(params.labels)}
    matrices, truth = {}, {}
    for lang, files in params.files.items():
        for split, (vectors, labelled) in files["splits"].items():
            matrices[lang, split] = Vectors.load(vectors).matrix
            labels = read_table(labelled, ["label"])["label"].to_pylist()
            truth[lang, split] = np.array([class_numbers[label] for label in labels])
    scores = []
    for tgt, seed, anchors_file in params.cases:
        # As in the paper, all anchors of the target language are known; the source language's are sought.
        pair = (tgt, wildcards.src)
        parallel_files = (params.files[lang]["parallel"] for lang in pair)
        words, known, sought = load_shared(*parallel_files, WordRules(**params.words))
        train = (matrices[lang, "train"] for lang in pair)
        unpaired = Unpaired(*train, params.searched_texts) if params.searched_texts else None
        parallel = parallel_anchors(
            known, sought, words, params.search, seed, anchors_file, unpaired=unpaired
        )
        anchors = dict(zip(pair, (parallel.source, parallel.target), strict=True))
        rows = {
            (lang, split): relative_rows(matrix, anchors[lang]) for (lang, split), matrix in matrices.items()
        }
        predictions = apply_heads(
            {lang: Labelled(rows[lang, "train"], truth[lang, "train"]) for lang in pair},
            {lang: rows[lang, "test"] for lang in pair},
            len(class_numbers),
            HeadSettings(**params.head),
            Schedule(**params.training, seed=seed),
        )
        for (decoder, encoder), predicted in predictions.items():
            identity = {"recipe": wildcards.recipe, "task": wildcards.task, "src": decoder, "tgt": encoder}
            columns = {**identity, "split": "test", "seed": seed, "scale": params.scale}
            values = rating_scores(truth[encoder, "test"], predicted, range(len(class_numbers)))
            scores += as_scores(values, len(predicted), **columns)
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
