"""What models with frozen bodies cost: heads fitted, standardised and refitted, and the choice among them."""

from __future__ import annotations

from dataclasses import replace

from xstitch.models.settings.contrastive import ContrastiveSettings
from xstitch.models.settings.frozen import FrozenSettings, RefitSettings
from xstitch.models.settings.labelled import LabelledSettings
from xstitch.plan.cases import contrastive_settings, ensemble_cases, label_draws, targets_of
from xstitch.plan.costs.amounts import Amounts
from xstitch.plan.costs.architectures import MB
from xstitch.plan.costs.trainings import TEXT_BYTES, model_shape, updates_of
from xstitch.plan.costs.work import BACKWARD, Training, Work, batch_tokens, table_mb
from xstitch.plan.run import Wildcards
from xstitch.training.schedule import Schedule


def fitting_head(amounts: Amounts, wildcards: Wildcards) -> Work:
    """An encoder reads texts once; heads are fitted to the pooled states of its layers."""
    recipe, task = amounts.run.recipes[wildcards.recipe], wildcards.task
    shape, length = amounts.encoder(recipe["encoder"]), amounts.length(task)
    settings = FrozenSettings(**recipe.get("head", {}))
    rows = sum(_at_most(amounts.rows(task, split), settings.texts) for split in ("train", "dev"))
    layers = len(settings.layers) if settings.layers else shape.layers
    features = table_mb(rows, shape.width)
    return Work(
        "text",
        rows * layers * len(settings.strengths),
        shape.forward_gflop(rows * length, length),
        # Every layer's features, and those of one layer in double precision, standardised.
        host_mb=features * (layers * len(settings.pooling) + 4) + rows * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + shape.layers * shape.reading_mb(batch_tokens(rows, length)),
        loaded_mb=2 * shape.weights_mb,
        output_mb=shape.weights_mb,
    )


def _at_most(number: int, limit: int | None) -> int:
    return number if limit is None else min(number, limit)


def _reading(amounts: Amounts, wildcards: Wildcards, rows: int, tables: int = 2) -> Work:
    """A model reads some rows once, with so many tables of their features in memory, and is written."""
    shape, length = model_shape(amounts, wildcards.recipe), amounts.length(wildcards.task)
    return Work(
        "text",
        rows,
        shape.forward_gflop(rows * length, length),
        host_mb=tables * table_mb(rows, shape.width) + rows * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + shape.reading_mb(batch_tokens(rows, length)),
        loaded_mb=2 * shape.weights_mb,
        output_mb=shape.weights_mb,
    )


def standardising(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A model reads the training texts of its language once."""
    return _reading(amounts, wildcards, amounts.rows(wildcards.task, "train", wildcards.tgt))


def encoding_features(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A stitched model reads the texts of its language, the one behind it those of the source."""
    task, tgt = wildcards.task, wildcards.tgt
    rows = amounts.rows(task, "train") + sum(amounts.rows(task, split, tgt) for split in ("train", "test"))
    features = table_mb(rows, model_shape(amounts, wildcards.recipe).width)
    return replace(_reading(amounts, wildcards, rows), output_mb=features)


def fitting_labelled(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Heads are fitted to features for every language, draw, fold and candidate."""
    run, task = amounts.run, wildcards.task
    recipe, targets = run.recipes[wildcards.recipe], targets_of(run, wildcards.recipe, task)
    settings, both = LabelledSettings(**recipe.get("head", {})), recipe.get("source_labels", True)
    source = amounts.rows(task, "train") if both else 0
    heads = len(settings.strengths) * (len(settings.weights) if both else 1) * settings.folds + 1
    labelled = [_at_most(amounts.rows(task, "train", lang), recipe["labels"]) for lang in targets]
    fitted = heads * len(label_draws(run, wildcards)) * (source * len(targets) + sum(labelled))
    rows = sum(max(amounts.rows(task, split, lang) for lang in targets) for split in ("train", "test"))
    features = table_mb(amounts.rows(task, "train") + rows, model_shape(amounts, wildcards.recipe).width)
    return Work("text", fitted, host_mb=8 * features)


def contrasting(amounts: Amounts, wildcards: Wildcards) -> Work:
    """For every language and draw, a body is tuned on pairs of texts and reads all texts of the language."""
    run, task, recipe = amounts.run, wildcards.task, wildcards.recipe
    entry, targets = contrastive_settings(run, wildcards), targets_of(run, recipe, task)
    settings, schedule = ContrastiveSettings(**entry["contrast"]), Schedule(**entry["training"])
    draws, shape = len(label_draws(run, wildcards)), model_shape(amounts, recipe)
    labelled = [_at_most(amounts.rows(task, "train", lang), entry["labels"]) for lang in targets]
    pairs = [_at_most(2 * settings.rounds * number, settings.max_pairs) for number in labelled]
    read = [sum(amounts.rows(task, split, lang) for split in ("train", "test")) for lang in targets]
    tuned, length = amounts.length(task, schedule.batches), amounts.length(task)
    gflop = shape.forward_gflop(BACKWARD * 2 * sum(pairs) * tuned, tuned)
    gflop += shape.forward_gflop(sum(read) * length, length)
    updates = draws * sum(updates_of(schedule, number) for number in pairs)
    training = Training(shape, updates, draws * gflop, 2 * schedule.batch_size, tuned, keeps_best=False)
    features = table_mb(max(read), shape.width)
    work = training.work(4 * features + max(read) * length * TEXT_BYTES / MB)
    folders = (len(targets) + 1) * shape.weights_mb
    return replace(work, input_mb=folders, output_mb=0.0)  # no model is written


def refitting(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Models read the training texts of both languages once; heads are fitted to what they see in them."""
    task = wildcards.task
    settings = RefitSettings(**amounts.run.recipes[wildcards.recipe].get("refit", {}))
    rows = amounts.rows(task, "train", wildcards.tgt) + _at_most(amounts.rows(task, "train"), settings.texts)
    return _reading(amounts, wildcards, rows, tables=6)


def answering_together(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Every member's model reads the test rows of its language."""
    run, task = amounts.run, wildcards.task
    cases, length = ensemble_cases(run, wildcards), amounts.length(task)
    shapes = [model_shape(amounts, member) for member in run.recipes[wildcards.recipe]["members"]]
    rows = sum(amounts.rows(task, "test", case[0]) for case in cases)
    weights = max(shape.weights_mb for shape in shapes)
    return Work(
        "model",
        len(cases) * len(shapes),
        sum(shape.forward_gflop(rows * length, length) for shape in shapes),
        host_mb=rows * length * TEXT_BYTES / MB,
        device_mb=weights + max(shape.reading_mb(batch_tokens(rows, length)) for shape in shapes),
        loaded_mb=weights,
        input_mb=len(cases) * sum(shape.weights_mb for shape in shapes),
    )


def choosing(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Every candidate's model reads unlabelled texts, and development texts of the source in other words."""
    run, task = amounts.run, wildcards.task
    names, length = run.config["recommend"]["candidates"], amounts.length(task)
    rows = run.config["recommend"]["texts"] + amounts.rows(task, "dev")
    shapes = [model_shape(amounts, name) for name in names]
    weights = max(shape.weights_mb for shape in shapes)
    return Work(
        "model",
        len(names),
        sum(shape.forward_gflop(rows * length, length) for shape in shapes),
        host_mb=rows * length * TEXT_BYTES / MB,
        device_mb=weights + max(shape.reading_mb(batch_tokens(rows, length)) for shape in shapes),
        loaded_mb=weights,
        input_mb=sum(shape.weights_mb for shape in shapes),
    )


def scoring_best(amounts: Amounts, wildcards: Wildcards) -> Work:
    """One of the candidates' models, the largest at worst, reads the test rows of its language."""
    task, length = wildcards.task, amounts.length(wildcards.task)
    rows = amounts.rows(task, "test", wildcards.tgt)
    shapes = [model_shape(amounts, name) for name in amounts.run.config["recommend"]["candidates"]]
    shape = max(shapes, key=lambda shape: shape.weights_mb)
    return Work(
        "model",
        1,
        shape.forward_gflop(rows * length, length),
        host_mb=rows * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + shape.reading_mb(batch_tokens(rows, length)),
        loaded_mb=shape.weights_mb,
        input_mb=sum(shape.weights_mb for shape in shapes),
    )


WORK = {
    "choose_recipe": choosing,
    "evaluate_best": scoring_best,
    "evaluate_ensembles": answering_together,
    "encode_features": encoding_features,
    "evaluate_labelled_heads": fitting_labelled,
    "evaluate_contrastive_heads": contrasting,
    "fit_head": fitting_head,
    "standardise_head": standardising,
    "refit_head": refitting,
}
