"""What evaluations cost: models stitched, scored and measured."""

from __future__ import annotations

from xstitch.plan.cases import HELD_OUT, evaluation_cases, label_draws, targets_of
from xstitch.plan.costs.amounts import DISTINCT_ANCHORS, Amounts
from xstitch.plan.costs.architectures import FLOAT, MB
from xstitch.plan.costs.trainings import TEXT_BYTES, encoder_of, model_shape
from xstitch.plan.costs.vectors import side_mb
from xstitch.plan.costs.work import Work, batch_tokens, table_mb
from xstitch.plan.run import Wildcards


def stitching(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A model is written with another table of input embeddings; what is written is in memory twice."""
    shape = model_shape(amounts, wildcards.recipe)
    host = 2 * shape.weights_mb + shape.table_mb + side_mb(amounts, _stitched_vectors(amounts, wildcards))
    return Work("MB", shape.weights_mb, host_mb=host, output_mb=shape.weights_mb)


def _stitched_vectors(amounts: Amounts, wildcards: Wildcards) -> str:
    recipe = amounts.run.recipes[wildcards.recipe]
    return amounts.run.config["anchors"][recipe["anchors"]]["vectors"]


def swapping(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A model is written with another language's adapter."""
    weights = amounts.encoder(encoder_of(amounts.run, wildcards.recipe)).weights_mb
    return Work("MB", weights, host_mb=2 * weights, output_mb=weights)


def scoring(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Every model of a recipe reads the test rows of its language."""
    run, task = amounts.run, wildcards.task
    shape, length = model_shape(amounts, wildcards.recipe), amounts.length(task)
    cases = [case[0] for case in evaluation_cases(run, wildcards)]
    read = sum(amounts.rows(task, "test", lang) for lang in cases) * length
    rows = max(amounts.rows(task, "test", lang) for lang in cases)
    return Work(
        "model",
        len(cases),
        shape.forward_gflop(read, length),
        host_mb=rows * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + shape.reading_mb(batch_tokens(rows, length)),
        loaded_mb=shape.weights_mb,
        input_mb=len(cases) * shape.weights_mb,
    )


def scoring_source(amounts: Amounts, wildcards: Wildcards) -> Work:
    """The models behind a language's read the test rows of the source language, one for each seed."""
    run, task = amounts.run, wildcards.task
    shape, length = model_shape(amounts, wildcards.recipe), amounts.length(task)
    models, rows = len(run.seeds_of(wildcards.recipe)), amounts.rows(task, "test", run.source)
    return Work(
        "model",
        models,
        shape.forward_gflop(models * rows * length, length),
        host_mb=rows * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + shape.reading_mb(batch_tokens(rows, length)),
        loaded_mb=shape.weights_mb,
        input_mb=models * shape.weights_mb,
    )


def classifying(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A text's vectors are averaged, and a classifier learns from the averages, for every language."""
    run, task = amounts.run, wildcards.task
    vectors = run.recipes[wildcards.recipe]["vectors"]
    targets = targets_of(run, wildcards.recipe, task)
    texts = [amounts.rows(task, "train", lang) + amounts.rows(task, "test", lang) for lang in targets]
    features = table_mb(max(texts), 2 * amounts.dimensions(vectors))
    host = side_mb(amounts, vectors) + 2 * features + max(texts) * 600 / MB
    return Work("text", sum(texts) * len(label_draws(run, wildcards)), host_mb=host)


def measuring_shifts(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Every target's model reads the held-out rows of target and source."""
    run, task = amounts.run, wildcards.task
    shape, length = model_shape(amounts, wildcards.recipe), amounts.length(task)
    targets = targets_of(run, wildcards.recipe, task)
    rows = sum(
        amounts.rows(task, split, lang) for tgt in targets for lang in (tgt, run.source) for split in HELD_OUT
    )
    tokens = batch_tokens(rows, length)
    states = 2 * (shape.layers + 1) * table_mb(tokens, shape.width)  # of all layers, and their sums by class
    return Work(
        "model",
        len(targets),
        shape.forward_gflop(rows * length, length),
        host_mb=amounts.rows(task, "train") * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + states + shape.reading_mb(tokens),
        loaded_mb=shape.weights_mb,
    )


def covering(amounts: Amounts, wildcards: Wildcards) -> Work:
    """The words of a text are looked up in vectors and lexicon."""
    vectors = _stitched_vectors(amounts, wildcards)
    host = side_mb(amounts, vectors) + DISTINCT_ANCHORS * FLOAT / MB
    return Work("word", amounts.words(vectors), host_mb=host)


def classifying_across(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A classifier learns from the source's averages and answers for the target's, for every language."""
    run, task = amounts.run, wildcards.task
    vectors = run.config["alignments"][run.recipes[wildcards.recipe]["alignment"]]["vectors"]
    targets = targets_of(run, wildcards.recipe, task)
    texts = amounts.rows(task, "train") + max(amounts.rows(task, "test", lang) for lang in targets)
    features = table_mb(texts, 2 * amounts.dimensions(vectors))
    host = 2 * side_mb(amounts, vectors) + 2 * features + texts * 600 / MB
    return Work("text", texts * len(targets), host_mb=host)


WORK = {
    "stitch_model": stitching,
    "swap_adapter": swapping,
    "evaluate_models": scoring,
    "evaluate_source": scoring_source,
    "evaluate_classifiers": classifying,
    "evaluate_aligned_classifiers": classifying_across,
    "measure_shifts": measuring_shifts,
    "report_coverage": covering,
}
