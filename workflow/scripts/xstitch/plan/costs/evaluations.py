"""What evaluations cost: models stitched, scored and measured, texts and images encoded, anchors found."""

from __future__ import annotations

import math

from xstitch.models.settings.frozen import FrozenSettings, RefitSettings
from xstitch.models.settings.labelled import LabelledSettings
from xstitch.plan.cases import (
    HELD_OUT,
    ensemble_cases,
    evaluation_cases,
    label_draws,
    relative_head_cases,
    targets_of,
)
from xstitch.plan.costs.amounts import DISTINCT_ANCHORS, PAIR_TOKENS, Amounts
from xstitch.plan.costs.architectures import FLOAT, MB
from xstitch.plan.costs.trainings import TEXT_BYTES, encoder_of, model_shape, updates_of
from xstitch.plan.costs.vectors import WORD_BYTES, side_mb
from xstitch.plan.costs.work import BACKWARD, Work, table_mb
from xstitch.plan.run import Entry, Wildcards
from xstitch.plan.tables import matching_spec
from xstitch.training.schedule import Schedule

EVALUATED = 64  # rows at once (xstitch.training.devices)
IMAGES = 10_000  # in a file of CIFAR-10
PIXELS = 3 * 224 * 224  # of an image as models read it
TEST_WORDS = 1_500  # of a test dictionary of MUSE
MATCHED, MATCHED_LENGTH = 2_000, 128  # pairs searched for the worst, and their tokens (encoders.matches)
MATCHED_BATCH = 32
PAIR_TEXT_BYTES = 2_000  # of a pair of sentences as Python text


def _batch(rows: float, length: float) -> float:
    """The tokens of a batch of an evaluation."""
    return min(EVALUATED, rows) * length


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
        device_mb=shape.weights_mb + shape.reading_mb(_batch(rows, length)),
        loaded_mb=shape.weights_mb,
        input_mb=len(cases) * shape.weights_mb,
    )


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
        device_mb=shape.weights_mb + shape.layers * shape.reading_mb(_batch(rows, length)),
        loaded_mb=2 * shape.weights_mb,
        output_mb=shape.weights_mb,
    )


def _at_most(number: int, limit: int | None) -> int:
    return number if limit is None else min(number, limit)


def standardising(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A model reads the training texts of its language once."""
    task = wildcards.task
    shape, length = model_shape(amounts, wildcards.recipe), amounts.length(task)
    rows = amounts.rows(task, "train", wildcards.tgt)
    return Work(
        "text",
        rows,
        shape.forward_gflop(rows * length, length),
        host_mb=2 * table_mb(rows, shape.width) + rows * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + shape.reading_mb(_batch(rows, length)),
        loaded_mb=2 * shape.weights_mb,
        output_mb=shape.weights_mb,
    )


def encoding_features(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A stitched model reads the texts of its language, the one behind it those of the source."""
    task, tgt = wildcards.task, wildcards.tgt
    shape, length = model_shape(amounts, wildcards.recipe), amounts.length(task)
    rows = amounts.rows(task, "train") + sum(amounts.rows(task, split, tgt) for split in ("train", "test"))
    return Work(
        "text",
        rows,
        shape.forward_gflop(rows * length, length),
        host_mb=2 * table_mb(rows, shape.width) + rows * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + shape.reading_mb(_batch(rows, length)),
        loaded_mb=2 * shape.weights_mb,
        output_mb=table_mb(rows, shape.width),
    )


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


def refitting(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Models read the training texts of both languages once; heads are fitted to what they see in them."""
    run, task = amounts.run, wildcards.task
    shape, length = model_shape(amounts, wildcards.recipe), amounts.length(task)
    settings = RefitSettings(**run.recipes[wildcards.recipe].get("refit", {}))
    known = amounts.rows(task, "train")
    rows = amounts.rows(task, "train", wildcards.tgt) + min(known, settings.texts or known)
    return Work(
        "text",
        rows,
        shape.forward_gflop(rows * length, length),
        host_mb=6 * table_mb(rows, shape.width) + rows * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + shape.reading_mb(_batch(rows, length)),
        loaded_mb=2 * shape.weights_mb,
        output_mb=shape.weights_mb,
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
        device_mb=shape.weights_mb + shape.reading_mb(_batch(rows, length)),
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
    tokens = _batch(rows, length)
    states = 2 * (shape.layers + 1) * table_mb(tokens, shape.width)  # of all layers, and their sums by class
    return Work(
        "model",
        len(targets),
        shape.forward_gflop(rows * length, length),
        host_mb=amounts.rows(task, "train") * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + states + shape.reading_mb(tokens),
        loaded_mb=shape.weights_mb,
    )


def retrieving_sentences(amounts: Amounts, wildcards: Wildcards) -> Work:
    """An encoder reads sentences and their translations."""
    run, task = amounts.run, wildcards.task
    shape, length = amounts.encoder(run.recipes[wildcards.recipe]["encoder"]), amounts.length(task)
    targets = targets_of(run, wildcards.recipe, task)
    rows = 2 * sum(amounts.rows(task, "test", lang) for lang in targets)
    depth = run.tasks[task]["layer"] / shape.layers
    gflop = depth * shape.forward_gflop(rows * length, length)
    return Work(
        "language",
        len(targets),
        gflop,
        device_mb=shape.weights_mb + shape.reading_mb(_batch(rows, length)),
        loaded_mb=shape.weights_mb,
    )


def encoding_texts(amounts: Amounts, wildcards: Wildcards) -> Work:
    """An encoder reads all rows of a task in a language."""
    task, lang = wildcards.task, wildcards.lang
    shape, length = amounts.encoder(wildcards.encoder), amounts.length(task)
    rows = sum(amounts.rows(task, split, lang) for split in ("train", "dev", "test"))
    vectors = table_mb(rows, shape.width)
    return Work(
        "text",
        rows,
        shape.forward_gflop(rows * length, length),
        host_mb=2 * vectors + rows * length * TEXT_BYTES / MB,
        device_mb=shape.weights_mb + shape.reading_mb(_batch(rows, length)),
        loaded_mb=shape.weights_mb,
        output_mb=vectors,
    )


def encoding_images(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A vision transformer reads images."""
    entry, shape = amounts.run.config["images"][wildcards.images], amounts.encoder(wildcards.encoder)
    images = entry.get("size") or len(entry.get("files", [])) * IMAGES
    if amounts.generated:
        images = amounts.run.world.images
    patches = shape.positions
    return Work(
        "image",
        images,
        shape.forward_gflop(images * patches, patches),
        host_mb=2 * table_mb(images, shape.width) + EVALUATED * PIXELS * FLOAT / MB,
        device_mb=shape.weights_mb + shape.reading_mb(_batch(images, patches)),
        output_mb=table_mb(images, shape.width),
    )


def _space(amounts: Amounts, space: Entry) -> tuple[int, int, float]:
    """The words and dimensions of a space, and the memory of all its words; of their vectors few are read."""
    if "vectors" in space:
        name = space["vectors"]
        return amounts.words(name), amounts.dimensions(name), amounts.words(name) * WORD_BYTES / MB
    width = amounts.encoder(space["encoder"]).width
    return IMAGES, width, 2 * IMAGES * WORD_BYTES / MB


def _searched(amounts: Amounts, wildcards: Wildcards) -> tuple[int, int, float]:
    """The items that anchors are searched for among, their dimensions, and what is read to choose them."""
    run, task = amounts.run, run_task(amounts, wildcards)
    if task["kind"] == "spaces":
        spaces = [_space(amounts, space) for space in task["spaces"]]
        most = min(words for words, _, _ in spaces)
        size = min(most, task["words"]["size"] or most)
        return size, max(width for _, width, _ in spaces), sum(memory for _, _, memory in spaces)
    recipe = run.recipes[wildcards.recipe]
    shapes = [amounts.encoder(name) for name in recipe["encoders"].values()]
    rows = amounts.rows(wildcards.task, "train") + amounts.rows(recipe["texts"], "train")
    size = recipe.get("searched_texts") or amounts.rows(recipe["texts"], "train")
    width = max(shape.width for shape in shapes)
    return size, width, sum(table_mb(rows, shape.width) for shape in shapes)


def run_task(amounts: Amounts, wildcards: Wildcards) -> Entry:
    """The task that a job's wildcards name."""
    return amounts.run.tasks[wildcards.task]


def searching(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Every step compares all items of one space with all of the other."""
    search = amounts.run.recipes[wildcards.recipe]["search"]
    items, width, files = _searched(amounts, wildcards)
    if search["kind"] != "optimise":
        items = min(items, search["learning"]["vocabulary"])
    steps = search.get("steps", 500) * search.get("restarts", 1)
    gflop = steps * 2 * items * items * search["anchors"] / 1e9
    held = 6 * table_mb(items, width + search["anchors"])
    return Work("step", steps, gflop, host_mb=files, device_mb=held, output_mb=0.0)


def retrieving(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Neighbours of all items in four pairs of spaces, for every seed."""
    items, width, files = _searched(amounts, wildcards)
    seeds = len(amounts.run.seeds_of(wildcards.recipe))
    anchors = amounts.run.recipes[wildcards.recipe]["search"]["anchors"]
    gflop = seeds * 4 * 2 * items * items * max(width, anchors) / 1e9
    held = 6 * table_mb(items, width + anchors)
    return Work("seed", seeds, gflop, host_mb=files, device_mb=held)


def heads(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Two heads learn for every target and seed, from cosines to anchors."""
    run = amounts.run
    recipe = run.recipes[wildcards.recipe]
    _, width, files = _searched(amounts, wildcards)
    rows, anchors = amounts.rows(wildcards.task, "train"), recipe["search"]["anchors"]
    cases = len(relative_head_cases(run, wildcards))
    updates = 2 * cases * updates_of(Schedule(**recipe["training"]), rows)
    layers = recipe["head"]["layers"] + 1
    hidden = recipe["head"].get("width") or anchors
    gflop = cases * 2 * (2 * rows * anchors * width + BACKWARD * 2 * rows * layers * anchors * hidden) / 1e9
    return Work("update", updates, gflop, host_mb=1.2 * files, device_mb=4 * table_mb(rows, anchors))


def translating(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Nearest neighbours of the words of test dictionaries, and CSLS' means of all words' neighbours."""
    vectors = amounts.run.config["alignments"][wildcards.alignment]["vectors"]
    words, width = amounts.words(vectors), amounts.dimensions(vectors)
    targets = targets_of(amounts.run, wildcards.alignment, "bli")
    products = 2 * (min(TEST_WORDS, words) + words) * words * width
    side = side_mb(amounts, vectors)
    gflop = len(targets) * 2 * products / 1e9
    return Work("language", len(targets), gflop, host_mb=2.5 * side, device_mb=2 * side + 300)


def comparing(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Cosines of graded pairs, in one space of all languages."""
    vectors = amounts.run.config["alignments"][wildcards.alignment]["vectors"]
    targets = targets_of(amounts.run, wildcards.alignment, "similarity")
    return Work("language", len(targets), host_mb=(3 + len(targets)) * side_mb(amounts, vectors))


def covering(amounts: Amounts, wildcards: Wildcards) -> Work:
    """The words of a text are looked up in vectors and lexicon."""
    vectors = _stitched_vectors(amounts, wildcards)
    host = side_mb(amounts, vectors) + DISTINCT_ANCHORS * FLOAT / MB
    return Work("word", amounts.words(vectors), host_mb=host)


def drawing(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Both spaces of a task are read and projected."""
    figures = amounts.run.papers[wildcards.paper]["figures"]
    spec = figures.get(wildcards.number) or figures[int(wildcards.number)]
    task = amounts.run.tasks[spec["task"]]
    spaces = [_space(amounts, space) for space in task["spaces"]]
    size = min(task["words"]["size"] or words for words, _, _ in spaces)
    chosen = (table_mb(size, width) for _, width, _ in spaces)
    return Work(host_mb=math.fsum(read for _, _, read in spaces) + 3 * math.fsum(chosen))


def matching(amounts: Amounts, wildcards: Wildcards) -> Work:
    """An encoder reads both sides of pairs, and the cheapest transport between their words is sought."""
    spec = matching_spec(amounts.run, wildcards)
    shape, languages = amounts.encoder(spec["encoder"]), len(spec["shown"])
    kept = amounts.pairs(amounts.run.encoders[spec["encoder"]]["parallel"])
    pairs = languages * min(kept, MATCHED if spec["matches"] == "pairs" else spec["number"])
    length = MATCHED_LENGTH if amounts.longest else min(MATCHED_LENGTH, PAIR_TOKENS)
    return Work(
        "pair",
        pairs,
        shape.forward_gflop(2 * pairs * length, length),
        host_mb=kept * PAIR_TEXT_BYTES / MB,
        device_mb=shape.weights_mb + shape.reading_mb(2 * MATCHED_BATCH * length),
    )


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
        device_mb=weights + max(shape.reading_mb(_batch(rows, length)) for shape in shapes),
        loaded_mb=weights,
        input_mb=len(cases) * sum(shape.weights_mb for shape in shapes),
    )


def classifying_across(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A classifier learns from the source's averages and answers for the target's, for every language."""
    run, task = amounts.run, wildcards.task
    vectors = run.config["alignments"][run.recipes[wildcards.recipe]["alignment"]]["vectors"]
    targets = targets_of(run, wildcards.recipe, task)
    texts = amounts.rows(task, "train") + max(amounts.rows(task, "test", lang) for lang in targets)
    features = table_mb(texts, 2 * amounts.dimensions(vectors))
    host = 2 * side_mb(amounts, vectors) + 2 * features + texts * 600 / MB
    return Work("text", texts * len(targets), host_mb=host)


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
        device_mb=weights + max(shape.reading_mb(_batch(rows, length)) for shape in shapes),
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
        device_mb=shape.weights_mb + shape.reading_mb(_batch(rows, length)),
        loaded_mb=shape.weights_mb,
        input_mb=sum(shape.weights_mb for shape in shapes),
    )


WORK = {
    "choose_recipe": choosing,
    "evaluate_best": scoring_best,
    "stitch_model": stitching,
    "swap_adapter": swapping,
    "evaluate_models": scoring,
    "evaluate_source": scoring_source,
    "evaluate_classifiers": classifying,
    "evaluate_aligned_classifiers": classifying_across,
    "evaluate_ensembles": answering_together,
    "encode_features": encoding_features,
    "evaluate_labelled_heads": fitting_labelled,
    "fit_head": fitting_head,
    "standardise_head": standardising,
    "refit_head": refitting,
    "measure_shifts": measuring_shifts,
    "measure_sentence_retrieval": retrieving_sentences,
    "encode_texts": encoding_texts,
    "encode_images": encoding_images,
    "optimise_anchors": searching,
    "measure_retrieval": retrieving,
    "evaluate_relative_heads": heads,
    "measure_translation": translating,
    "measure_similarity": comparing,
    "report_coverage": covering,
    "draw_spaces": drawing,
    "list_matches": matching,
}
