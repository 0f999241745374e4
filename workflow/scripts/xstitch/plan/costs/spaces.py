"""What measures of spaces cost: texts and images encoded, sentences, words and anchors searched for."""

from __future__ import annotations

import math

from xstitch.plan.cases import relative_head_cases, targets_of
from xstitch.plan.costs.amounts import PAIR_TOKENS, Amounts
from xstitch.plan.costs.architectures import FLOAT, MB
from xstitch.plan.costs.trainings import TEXT_BYTES, updates_of
from xstitch.plan.costs.vectors import WORD_BYTES, side_mb
from xstitch.plan.costs.work import BACKWARD, EVALUATED, Work, batch_tokens, table_mb
from xstitch.plan.run import Entry, Wildcards
from xstitch.plan.tables import matching_spec
from xstitch.training.schedule import Schedule

IMAGES = 10_000  # in a file of CIFAR-10
PIXELS = 3 * 224 * 224  # of an image as models read it
TEST_WORDS = 1_500  # of a test dictionary of MUSE
MATCHED, MATCHED_LENGTH = 2_000, 128  # pairs searched for the worst, and their tokens (encoders.matches)
MATCHED_BATCH = 32
PAIR_TEXT_BYTES = 2_000  # of a pair of sentences as Python text


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
        device_mb=shape.weights_mb + shape.reading_mb(batch_tokens(rows, length)),
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
        device_mb=shape.weights_mb + shape.reading_mb(batch_tokens(rows, length)),
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
        device_mb=shape.weights_mb + shape.reading_mb(batch_tokens(images, patches)),
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


WORK = {
    "measure_sentence_retrieval": retrieving_sentences,
    "encode_texts": encoding_texts,
    "encode_images": encoding_images,
    "optimise_anchors": searching,
    "measure_retrieval": retrieving,
    "evaluate_relative_heads": heads,
    "measure_translation": translating,
    "measure_similarity": comparing,
    "draw_spaces": drawing,
    "list_matches": matching,
}
