"""What trainings do: fine-tuning, adaptation to a language, pre-training, alignment, adapters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from xstitch.encoders.settings.adapters import LanguageAdapterSettings
from xstitch.encoders.settings.continued import ContinuationSettings
from xstitch.encoders.settings.pretraining import EncoderSettings, MaskedModelling
from xstitch.encoders.settings.wordot import WordotSettings
from xstitch.models.settings.gradients import GradientSettings
from xstitch.models.settings.transfer import SelfTrainingSettings
from xstitch.plan.addresses import starting_recipe, stitched_encoder
from xstitch.plan.cases import HELD_OUT, SUPERVISED
from xstitch.plan.costs.amounts import PAIR_TOKENS, WORLD_SENTENCE, Amounts
from xstitch.plan.costs.architectures import FLOAT, MB, Architecture
from xstitch.plan.costs.work import BACKWARD, FROZEN_BACKWARD, Training, Work, table_mb
from xstitch.plan.gradients import compared_targets, critic_settings, measured_settings
from xstitch.plan.model_inputs import (
    adaptation_stage,
    adapted_samples,
    embeddings_frozen,
    training_settings,
)
from xstitch.plan.run import Run, Wildcards
from xstitch.training.schedule import Schedule, with_schedule

TEXT_BYTES = 6  # of a token in memory: its id, and its share of the text it came from
WORD_TOKENS = 6  # of a single word with its special tokens
RECOMPUTED = 4 / 3  # words go forward twice
VOCABULARY_VALUES = 3  # scores, their softmax and its gradient, per masked position
PAIR_BYTES = 85  # of a token of a sentence pair: both texts, token ids and words; measured by the rehearsal


def encoder_of(run: Run, recipe: str) -> str:
    """The encoder behind a recipe's models: its own, its base's or its adapters'."""
    entry = run.recipes[starting_recipe(run, recipe)]
    if "adapters" in entry:
        return run.config["adapters"][entry["adapters"]]["encoder"]
    return entry["encoder"] if "encoder" in entry else stitched_encoder(run, starting_recipe(run, recipe))


def model_shape(amounts: Amounts, recipe: str) -> Architecture:
    """The shape of a recipe's model in a target language; a stitched one has the words of its vectors."""
    run, shape = amounts.run, amounts.encoder(encoder_of(amounts.run, recipe))
    start = run.recipes[starting_recipe(run, recipe)]
    if start["method"] != "stitch":
        return shape
    return shape.with_words(amounts.words(run.config["anchors"][start["anchors"]]["vectors"]))


def updates_of(schedule: Schedule, rows: int) -> int:
    """The updates of a training on some rows."""
    return schedule.total_steps(max(1, math.ceil(rows / schedule.batch_size)))


def finetuning(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Passes over the training rows, and over the development rows between them."""
    run, task = amounts.run, wildcards.task
    recipe = run.recipes[wildcards.recipe]
    shape = amounts.encoder(encoder_of(run, wildcards.recipe))
    schedule = Schedule(**training_settings(run, wildcards))
    supervised = recipe["method"] in SUPERVISED
    languages = wildcards.space.split("-") if supervised else [run.source]
    rows, dev = (sum(amounts.rows(task, split, lang) for lang in languages) for split in ("train", "dev"))
    per_epoch = max(1, math.ceil(rows / schedule.batch_size))
    updates, batches = schedule.total_steps(per_epoch), schedule.total_batches(per_epoch)
    evaluations = updates / schedule.interval(per_epoch)
    length = amounts.length(task, schedule.batches)
    adapters = "adapters" in recipe
    learnt = batches * schedule.batch_size * length
    passes = learnt * (FROZEN_BACKWARD if adapters else BACKWARD) + evaluations * dev * length
    gflop = shape.forward_gflop(passes, length)
    learning = _learning_share(shape, adapters, embeddings_frozen(run, wildcards))
    keeps_best = schedule.keep != "last"
    training = Training(
        shape, updates, gflop, schedule.batch_size, length, learning, keeps_best=keeps_best,
        adapters=2 if adapters else 0,
    )  # fmt: skip
    return training.work(data_mb=(rows + dev) * length * TEXT_BYTES / MB)


def _learning_share(shape: Architecture, adapters: bool, frozen_table: bool) -> float:
    """The share of weights that a fine-tuning changes: the table of input embeddings may be frozen."""
    if adapters:
        return 0.05  # language and task adapters are a small part
    return 1 - shape.table_parameters / shape.parameters if frozen_table else 1.0


def adaptation(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Adaptation to all target texts."""
    pool = amounts.rows(wildcards.task, "train", wildcards.tgt)
    gradients = _table_gradients_mb(amounts, wildcards)
    return _adapting(amounts, wildcards, pool).work(_texts_mb(amounts, wildcards, pool), gradients)


def improvements(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Adaptation to some sets of target texts, each scored on the held-out ones."""
    samples = adapted_samples(amounts.run, wildcards)
    training, sets = _adapting(amounts, wildcards, samples["size"]), len(samples["part"])
    held_out = sum(amounts.rows(wildcards.task, split, wildcards.tgt) for split in HELD_OUT)
    length = amounts.length(wildcards.task)
    scored = training.shape.forward_gflop((sets + 1) * held_out * length, length)
    whole = Training(
        training.shape, sets * training.updates, sets * training.gflop + scored, training.rows,
        training.length, training.learning, keeps_best=False,
    )  # fmt: skip
    texts = _texts_mb(amounts, wildcards, amounts.rows(wildcards.task, "train", wildcards.tgt))
    work = whole.work(texts, _table_gradients_mb(amounts, wildcards))
    return Work(**{**vars(work), "output_mb": 0.0, "scratch_mb": work.scratch_mb + sets * work.output_mb})


def _table_gradients_mb(amounts: Amounts, wildcards: Wildcards) -> float:
    """Gradients of the whole input table beside the first: of the second language, and of later batches."""
    schedule = Schedule(**{"learning_rate": 1.0, **adaptation_stage(amounts.run, wildcards)["training"]})
    return model_shape(amounts, wildcards.recipe).table_mb * (3 if schedule.accumulation > 1 else 1)


def _texts_mb(amounts: Amounts, wildcards: Wildcards, pool: int) -> float:
    rows = amounts.rows(wildcards.task, "train") + pool
    return rows * amounts.length(wildcards.task) * TEXT_BYTES / MB


def _adapting(amounts: Amounts, wildcards: Wildcards, pool: int) -> Training:
    """Updates on batches of both languages, and what a method reads besides."""
    run, task, recipe = amounts.run, wildcards.task, wildcards.recipe
    stage = adaptation_stage(run, wildcards)
    candidates = math.prod(len(values) for values in stage["candidates"].values())
    schedule = Schedule(**{"learning_rate": 1.0, **stage["training"]})
    shape, rows = model_shape(amounts, recipe), amounts.rows(task, "train")
    updates, length = updates_of(schedule, rows), amounts.length(task, schedule.batches)
    both = 2 * schedule.batch_size * schedule.accumulation * updates
    read = (rows + pool) * candidates  # to measure a start, or to teach
    if stage["method"] == "self-train":
        read = rounds(stage["adaptation"], both / 2, pool) * pool
    gflop = shape.forward_gflop((BACKWARD * both * candidates + read) * length, length)
    learning = _pupil_share(shape, stage["adaptation"]) if stage["method"] == "distill" else 1.0
    return Training(
        shape, updates * candidates, gflop, 2 * schedule.batch_size, length, learning, keeps_best=False
    )


def _pupil_share(shape: Architecture, adaptation: Mapping[str, Any]) -> float:
    """The share of a student's weights that learns: embeddings and the first layers may be frozen."""
    frozen = adaptation.get("frozen_layers", 0)
    return (shape.layers - frozen) * shape.layer_parameters / shape.parameters if frozen else 1.0


def rounds(adaptation: Mapping[str, Any], examples: float, pool: int) -> float:
    """How many times self-training reads its whole pool: once, then a share of it in every round."""
    settings = SelfTrainingSettings(**adaptation)
    number = examples / max(1.0, settings.share * pool)
    return 1 + settings.reread * max(0.0, number - 1)


def _masked(
    amounts: Amounts, settings: MaskedModelling, rows: Sequence[int], corpus: str
) -> tuple[int, float, float, float]:
    """Of masked language modelling: updates, tokens of a row, tokens learnt from, tokens held in memory."""
    schedule, tokens = settings.training, amounts.sentence_tokens(corpus)
    length = settings.max_length if settings.blocks else min(settings.max_length, 1.1 * tokens)
    text = sum(rows) * tokens
    updates = updates_of(schedule, round(text / length))
    learnt = updates * schedule.batch_size * schedule.accumulation * length
    held = min(text, learnt) if schedule.steps else text
    return updates, length, learnt, held


def _vocabulary_mb(shape: Architecture, settings: MaskedModelling, length: float) -> float:
    """The scores of the vocabulary for the masked tokens of a batch."""
    positions = settings.masked * settings.training.batch_size * length
    return VOCABULARY_VALUES * table_mb(positions, shape.vocabulary)


def pretraining(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Masked language modelling from scratch."""
    entry = amounts.run.encoders[wildcards.encoder]
    known = {key: entry[key] for key in EncoderSettings.__dataclass_fields__ if key in entry}
    settings = EncoderSettings(**with_schedule(known, 0))
    shape = amounts.encoder(wildcards.encoder)
    rows = [amounts.sentences(entry["corpus"], lang) for lang in entry["languages"]]
    updates, length, learnt, held = _masked(amounts, settings, rows, entry["corpus"])
    gflop = BACKWARD * (
        shape.forward_gflop(learnt, length) + shape.vocabulary_gflop(settings.masked * learnt)
    )
    training = Training(shape, updates, gflop, settings.training.batch_size, length)
    return training.work(held * TEXT_BYTES / MB, _vocabulary_mb(shape, settings, length))


def continuing(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Masked language modelling and, if words are tied to vectors, passes over single words."""
    entry = amounts.run.encoders[wildcards.encoder]
    known = {key: entry[key] for key in ContinuationSettings.__dataclass_fields__ if key in entry}
    settings = ContinuationSettings(**with_schedule(known, 0))
    shape = amounts.encoder(wildcards.encoder)
    rows = [amounts.sentences(entry["corpus"], lang) for lang in entry["languages"]]
    updates, length, learnt, held = _masked(amounts, settings, rows, entry["corpus"])
    gflop = BACKWARD * (
        shape.forward_gflop(learnt, length) + shape.vocabulary_gflop(settings.masked * learnt)
    )
    data, tied = held * TEXT_BYTES / MB, 0.0
    if settings.loss != "none":
        words = updates * settings.words_batch * WORD_TOKENS
        gflop += BACKWARD * RECOMPUTED * shape.forward_gflop(words, WORD_TOKENS)
        vectors = amounts.run.config["alignments"][entry["alignment"]]["vectors"]
        number = min(amounts.words(vectors), settings.max_words)
        side = table_mb(number, amounts.dimensions(vectors))
        # Two sides of a pair, the mapped target and its unit rows are in memory at a time; all wait on disk.
        data += 4 * side + len(entry["languages"]) * number * WORD_TOKENS * FLOAT / MB
        tied = len(entry["languages"]) * side
    training = Training(shape, updates, gflop, settings.training.batch_size, length)
    work = training.work(data, _vocabulary_mb(shape, settings, length))
    read = shape.weights_mb + data + 3 * tied  # vectors, and both sides of alignments
    return Work(**{**vars(work), "scratch_mb": work.scratch_mb + tied, "input_mb": read})


def aligning(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Passes over both sentences of pairs in all languages, and of the original encoder over one."""
    entry = amounts.run.encoders[wildcards.encoder]
    known = {key: entry[key] for key in WordotSettings.__dataclass_fields__ if key in entry}
    settings = WordotSettings(**with_schedule(known, 0))
    shape, languages = amounts.encoder(wildcards.encoder), len(entry["languages"])
    schedule = settings.training
    updates = updates_of(schedule, settings.pairs)
    length = settings.max_length if amounts.longest else min(settings.max_length, 1.6 * PAIR_TOKENS)
    if amounts.generated:
        length = min(length, 1.3 * WORLD_SENTENCE)
    batch = schedule.batch_size * (languages if settings.problem == "together" else 1)
    pairs = updates * schedule.batch_size * schedule.accumulation * languages
    gflop = shape.forward_gflop(pairs * length * (2 * BACKWARD + 1), length)
    data = languages * amounts.pairs(entry["parallel"]) * PAIR_TOKENS * PAIR_BYTES / MB
    training = Training(shape, updates, gflop, 2 * batch, length, models=2, keeps_best=False)
    return training.work(data)


def adapters(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Masked language modelling with a frozen encoder: no gradients of its weights."""
    entry = amounts.run.config["adapters"][wildcards.adapters]
    known = {key: entry[key] for key in LanguageAdapterSettings.__dataclass_fields__ if key in entry}
    settings = LanguageAdapterSettings(**with_schedule(known, 0))
    shape = amounts.encoder(entry["encoder"])
    rows = [amounts.sentences(entry["corpus"], wildcards.lang)]
    updates, length, learnt, held = _masked(amounts, settings, rows, entry["corpus"])
    masked = settings.masked * learnt
    gflop = FROZEN_BACKWARD * (shape.forward_gflop(learnt, length) + shape.vocabulary_gflop(masked))
    learning = shape.layers * 2 * shape.width**2 / settings.reduction / shape.parameters
    training = Training(shape, updates, gflop, settings.training.batch_size, length, learning, adapters=1)
    work = training.work(held * TEXT_BYTES / MB, _vocabulary_mb(shape, settings, length))
    return Work(**{**vars(work), "output_mb": learning * shape.weights_mb})


def measuring(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A fine-tuning, and at every point passes of all losses and new critics, which read both languages."""
    run, task = amounts.run, wildcards.task
    named, targets = run.config["gradients"], len(compared_targets(run, wildcards))
    settings = GradientSettings(**measured_settings(run, wildcards))
    shape, length = amounts.encoder(encoder_of(run, wildcards.recipe)), amounts.length(task)
    own, critic = (
        Schedule(**training).batch_size * length
        for training in (training_settings(run, wildcards), critic_settings(run, wildcards)["training"])
    )
    pairs = Schedule(**run.encoders[named["wordot"]]["training"]).batch_size * PAIR_TOKENS
    batch, parts = _words_of(run.encoders[named["dcca"]])
    words = batch * WORD_TOKENS * RECOMPUTED
    gradients = settings.points * settings.draws * settings.batches
    learnt = gradients * (2 * own + targets * (2 * pairs + words + 2 * critic))
    alone = settings.points * targets * settings.critic_updates
    texts = targets * 2 * amounts.rows(task, "train") * length
    read = settings.points * texts
    work = finetuning(amounts, wildcards)
    data, vectors = _compared_data_mb(amounts, targets)
    host = work.host_mb + texts * TEXT_BYTES / MB + data
    gflop = shape.forward_gflop(BACKWARD * learnt + 2 * alone * critic + read, length)
    return replace(
        work,
        units=work.units + gradients * (2 + targets * (2 + parts)) + alone,
        gflop=work.gflop + gflop,
        host_mb=host,
        # The original encoder, and gradients: of the task, of another loss, and of a batch. Of their largest
        # table, two are compared in double precision.
        device_mb=work.device_mb + 4 * shape.weights_mb + 4 * shape.table_mb,
        input_mb=work.loaded_mb + host + vectors,
        output_mb=0.0,
        scratch_mb=vectors,
    )


def _words_of(encoder: Mapping[str, Any]) -> tuple[int, int]:
    """The words of a batch that are tied to vectors, and its parts."""
    words = encoder.get("words_batch", ContinuationSettings.words_batch)
    return words, words // (encoder.get("words_part") or words)


def _compared_data_mb(amounts: Amounts, targets: int) -> tuple[float, float]:
    """Of the losses of all targets: data in memory, and vectors of both languages that wait on disk."""
    run, named = amounts.run, amounts.run.config["gradients"]
    wordot, dcca = (run.encoders[named[loss]] for loss in ("wordot", "dcca"))
    pairs = targets * amounts.pairs(wordot["parallel"]) * PAIR_TOKENS * PAIR_BYTES / MB
    vectors = run.config["alignments"][dcca["alignment"]]["vectors"]
    number = min(amounts.words(vectors), dcca.get("max_words", ContinuationSettings.max_words))
    side = table_mb(number, amounts.dimensions(vectors))
    # Vectors come as in continued pre-training, one target at a time; ids of words stay.
    return pairs + 4 * side + 2 * targets * number * WORD_TOKENS * FLOAT / MB, 2 * targets * side


WORK = {
    "finetune_model": finetuning,
    "measure_gradients": measuring,
    "adapt_model": adaptation,
    "measure_improvements": improvements,
    "pretrain_encoder": pretraining,
    "continue_encoder": continuing,
    "align_encoder": aligning,
    "train_adapter": adapters,
}
