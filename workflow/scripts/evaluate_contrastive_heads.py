"""Score heads on bodies that are tuned on pairs of a few labelled texts of every target language."""

from functools import partial
from itertools import product
from pathlib import Path

import pyarrow as pa

from xstitch.core.draws import nested_sample
from xstitch.core.job import fingerprint, job
from xstitch.core.parquet import read_table, write_table
from xstitch.core.progress import progress
from xstitch.encoders.folders import load_tokenizer
from xstitch.models.classification import label_numbers, tokenise_texts
from xstitch.models.contrastive_heads import Known, PooledBody, contrastive_answers, kept_answers
from xstitch.models.settings.contrastive import ContrastiveSettings
from xstitch.results.metrics import classification_scores
from xstitch.results.scores import as_scores, predictions_table, write_scores
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import Schedule

with job(snakemake):
    params, recipe = snakemake.params, snakemake.params.recipe
    identity = {name: snakemake.wildcards[name] for name in ("recipe", "task", "src")}
    settings, labels = ContrastiveSettings(**recipe["contrast"]), list(params.labels)
    checkpoint = Checkpoint(Path(params.checkpoint), fingerprint(snakemake))
    scores, predictions = [], []
    cases = list(product(params.cases, params.draws))
    for (target, model, source_model, train, test), seed in progress(cases, "evaluating", unit="model"):
        rows = {split: read_table(file).to_pydict() for split, file in (("train", train), ("test", test))}
        tokenizer = load_tokenizer(Path(model))
        texts = {
            split: tokenise_texts(tokenizer, some["text"], None, params.max_length)
            for split, some in rows.items()
        }
        drawn = nested_sample(len(rows["train"]["text"]), recipe["labels"], params.seed, seed)
        known = Known(drawn, label_numbers(rows["train"]["label"], labels, "training")[drawn])
        schedule = Schedule(**recipe["training"], seed=params.seed + seed)
        body = PooledBody(Path(model), Path(source_model))
        answer = partial(contrastive_answers, body, texts, known, len(labels), settings, schedule)
        answers = kept_answers(answer, target, seed, checkpoint)
        predicted = [labels[best] for best in answers.argmax(axis=1)]
        predictions.append(predictions_table(target, seed, rows["test"], predicted))
        columns = {**identity, "tgt": target, "split": "test", "seed": seed}
        values = classification_scores(rows["test"]["label"], predicted, labels)
        scores += as_scores(values, len(predicted), scale=params.scale, **columns)
    write_table(pa.concat_tables(predictions), snakemake.output.predictions)
    write_scores(scores, snakemake.output.scores, params.chain)
    checkpoint.remove()
