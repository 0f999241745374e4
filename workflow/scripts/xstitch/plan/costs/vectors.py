"""What making static vectors costs: corpora, training, distillation, imports, alignments, mapped tables."""

from __future__ import annotations

from dataclasses import asdict

from xstitch.encoders.settings.distillation import DistillSettings
from xstitch.plan.addresses import stitched_encoder
from xstitch.plan.costs.amounts import Amounts
from xstitch.plan.costs.architectures import FLOAT, MB
from xstitch.plan.costs.work import Work, table_mb
from xstitch.plan.heads import corpus_head
from xstitch.plan.model_inputs import is_glossed
from xstitch.plan.run import Wildcards
from xstitch.spaces.settings.alignment import RcslsSettings, SelfLearning
from xstitch.spaces.settings.search import CentroidSettings, GromovSettings

PARALLEL_LINES = 2_000_000  # pairs of a large corpus of OPUS (Europarl, German and English: 1,920,209)
EASY, HARD = 500, 1000  # iterations of self-learning: usual, and of hard pairs (config/base/x2s.yaml)
NGRAMS = 2_000_000  # of fastText's published models
WORD_BYTES = 100  # of a word as Python text and as a key
LEXICON_PAIRS = 200_000  # of a large lexicon (MUSE, English and German: 101,931 lines)
TRANSLATED_BYTES = 2_000  # of a text, as it is and translated
CORPUS_WORD_BYTES = 12  # of a word of a corpus: its number twice, and its share of an offset
# Cells of a pair of sentences: in the mini world, usually (25 words), and of the longest that the aligner
# takes (60 words), as half of the rehearsed ones are. Bytes of pairs and cells were fitted to the rehearsal.
WORLD_LINKED, LINKED, LONGEST_LINKED = 40, 625, 3_600
PAIR_BYTES, CELL_BYTES, LEARNT_CELL_BYTES = 8_000, 100, 13
LINKED_AT_ONCE = 2_000  # pairs
FOLDS = 5  # of a dictionary, to choose between vectors as they are and as they are mapped
SELF_LEARNING = ("unsupervised", "semi-supervised", "identical")


def side_mb(amounts: Amounts, vectors: str) -> float:
    """The vectors of one language in memory, with their words."""
    words = amounts.words(vectors)
    return table_mb(words, amounts.dimensions(vectors)) + words * WORD_BYTES / MB


def sampling(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Sentences are drawn from a text that is read once."""
    corpus = amounts.run.config["corpora"][wildcards.corpus]
    sentences = amounts.sentences(wildcards.corpus, wildcards.lang)
    size = sentences * amounts.sentence_tokens(wildcards.corpus) * 6 / MB
    # A share of the documents is read first: so many sentences come by for one that is kept.
    read = 1.0 if amounts.generated else 2.0
    head = (corpus_head(amounts.run, corpus, wildcards.lang) or 0) if not amounts.generated else 0
    return Work(
        "sentence", read * sentences, output_mb=size / 2, scratch_mb=size, host_mb=min(300, head / MB)
    )


def pairing(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Every pair of a parallel corpus is read, some are kept."""
    kept = amounts.pairs(wildcards.parallel)
    lines = kept if amounts.generated else PARALLEL_LINES
    return Work("pair", lines, host_mb=kept * 5_000 / MB, output_mb=kept * 200 / MB)


def linking(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Every word of a sentence is compared with every word of its translation: a cell each."""
    pairs = amounts.pairs(amounts.run.encoders[wildcards.encoder]["parallel"])
    usual, most = (WORLD_LINKED,) * 2 if amounts.generated else (LINKED, LONGEST_LINKED)
    cells = pairs * (most / 2 if amounts.longest else usual)
    at_once = min(LINKED_AT_ONCE, pairs) * most
    host = pairs * PAIR_BYTES + at_once * CELL_BYTES + cells * LEARNT_CELL_BYTES
    return Work("cell", cells, host_mb=host / MB, output_mb=pairs * 100 / MB)


def training(amounts: Amounts, wildcards: Wildcards) -> Work:
    """FastText's or word2vec's passes over a corpus; n-grams share buckets."""
    entry = amounts.run.config["vectors"][wildcards.vectors]
    corpus = entry["corpus"]
    tokens = amounts.sentences(corpus, wildcards.lang) * amounts.sentence_tokens(corpus)
    words, width = amounts.words(wildcards.vectors), entry["dimensions"]
    rows = 3 * words + entry.get("buckets", 0)  # every word on both sides of a pair, and once more in the end
    host = table_mb(rows, width) + words * WORD_BYTES / MB
    return Work("word", tokens * entry["epochs"], host_mb=host, output_mb=side_mb(amounts, wildcards.vectors))


def importing(amounts: Amounts, wildcards: Wildcards) -> Work:
    """As many words as are wanted; of a fastText model all n-grams are read, too."""
    entry = amounts.run.config["vectors"][wildcards.vectors]
    words, width = amounts.words(wildcards.vectors), amounts.dimensions(wildcards.vectors)
    own = entry.get("files", {}).get(wildcards.lang, "")
    model = own.endswith("model.bin")  # fastText's name for a model with its n-grams
    rows = words + NGRAMS + words if model else words
    size = side_mb(amounts, wildcards.vectors)
    return Work("word", words, host_mb=table_mb(rows, width) + words * WORD_BYTES / MB, output_mb=size)


def distilling(amounts: Amounts, wildcards: Wildcards) -> Work:
    """A pass of the encoder, up to a layer, over a corpus; then vectors of words learn from the contexts."""
    entry = amounts.run.config["vectors"][wildcards.vectors]
    keys = {key: entry[key] for key in DistillSettings.__dataclass_fields__ if key in entry}
    settings, shape = DistillSettings(**keys), amounts.encoder(entry["encoder"])
    sentences = amounts.sentences(entry["corpus"], wildcards.lang)
    tokens = sentences * amounts.sentence_tokens(entry["corpus"]) * 1.1
    length = amounts.sentence_tokens(entry["corpus"])
    depth = min(1.0, settings.layer / shape.layers)
    gflop = depth * shape.forward_gflop(tokens, length)
    size = table_mb(amounts.words(wildcards.vectors), shape.width)
    learning = settings.method != "aggregation"
    batches = sentences * (settings.epochs if learning else 1) / settings.batch_size
    batch = shape.activations_mb(settings.encoder_batch * length, length) / shape.layers
    return Work(
        "update",
        batches,
        gflop,
        host_mb=tokens * CORPUS_WORD_BYTES / MB,
        device_mb=shape.weights_mb + (3 if learning else 2) * size + batch,
        loaded_mb=shape.weights_mb,
        copied_mb=3 * size,
        output_mb=side_mb(amounts, wildcards.vectors),
        scratch_mb=6 * size + (table_mb(sentences, shape.width) if settings.epochs > 1 else 0),
    )


def aligning(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Products of all frequent words with all, in every iteration; or one map, and its folds."""
    entry = amounts.run.config["alignments"][wildcards.alignment]
    vectors = entry["vectors"]
    words, width = amounts.words(vectors), amounts.dimensions(vectors)
    side, method = side_mb(amounts, vectors), entry["method"]
    maps = FOLDS + 1 if entry.get("select") else 1
    gflop = maps * 2 * words * width * width * 4 / 1e9
    if entry.get("select"):  # of every fold, neighbours of all words, as they are and as they are mapped
        gflop += FOLDS * 2 * 2 * words * words * width / 1e9
    iterations = 1.0
    if method in SELF_LEARNING:
        most = entry.get("max_iterations", SelfLearning.max_iterations)
        iterations = min(most, HARD if amounts.longest else EASY) * entry.get("restarts", 1)
        frequent = min(words, entry.get("vocabulary", SelfLearning.vocabulary))
        gflop += iterations * 2 * 2 * frequent * frequent * width / 1e9  # both ways
    elif method == "rcsls":
        neighbours, pairs = min(words, RcslsSettings.neighbours), min(words, 10_000)
        iterations = RcslsSettings.iterations
        gflop += iterations * 2 * 2 * pairs * neighbours * width / 1e9
    elif method == "none":
        gflop = 0.0
    copies = 2 if method == "none" else 6
    return Work("iteration", iterations, gflop, host_mb=copies * side, output_mb=2 * side)


def mapping(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Cosines of every word of both tables with every anchor, and sums of anchors in the model's space."""
    run = amounts.run
    recipe = run.recipes[wildcards.recipe]
    shape, settings = amounts.encoder(stitched_encoder(run, wildcards.recipe)), recipe["mapping"]
    anchors = run.config["anchors"][recipe["anchors"]]
    words, width = amounts.words(anchors["vectors"]), amounts.dimensions(anchors["vectors"])
    number = amounts.anchors(recipe["anchors"])
    mapped = table_mb(words, shape.width)
    inputs = side_mb(amounts, anchors["vectors"]) + shape.table_mb
    if settings["kind"] != "relative":
        gflop = 2 * words * width * shape.width / 1e9
        return Work("word", words, gflop, host_mb=inputs + 2 * mapped, output_mb=mapped)
    used = min(number, settings.get("k") or number)
    cosines = 2 * number * (words * width + shape.vocabulary * shape.width)
    sums = 2 * used * (words + shape.vocabulary) * shape.width
    total = words + shape.vocabulary
    blocks = 4 * 64  # MB: similarities of a block of words, and what they become
    host = inputs + 2 * (mapped + shape.table_mb) + min(blocks, 4 * table_mb(total, number))
    return Work("word", total, (cosines + sums) / 1e9, host_mb=host, output_mb=mapped + shape.table_mb)


def taking(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Both sides of an alignment are read, one is written."""
    side = side_mb(amounts, wildcards.vectors)
    return Work("word", amounts.words(wildcards.vectors), host_mb=4 * side, output_mb=side)


def writing(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Vectors are written for other programs."""
    side = side_mb(amounts, wildcards.vectors)
    return Work("word", amounts.words(wildcards.vectors), host_mb=3 * side, output_mb=3 * side)


def anchoring(amounts: Amounts, wildcards: Wildcards) -> Work:
    """The words of a lexicon are looked up in both tables."""
    vectors = amounts.run.config["anchors"][wildcards.anchors]["vectors"]
    inputs = side_mb(amounts, vectors) + amounts.encoder(wildcards.encoder).table_mb
    words = amounts.words(vectors)
    return Work("word", words, host_mb=inputs + words * WORD_BYTES / MB)


def input_table(amounts: Amounts, wildcards: Wildcards) -> Work:
    """An encoder's input table is read and written, with a word for every row."""
    shape = amounts.encoder(wildcards.encoder)
    return Work("word", shape.vocabulary, host_mb=2 * shape.table_mb, output_mb=shape.table_mb)


def words_in_pairs(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Anchors between two languages are searched for, as an alignment's dictionary is."""
    entry = amounts.run.config["lexica"][wildcards.lexicon]
    search, vectors = entry["search"], entry["vectors"]
    frequent = min(amounts.words(vectors), search.get("vocabulary", 20_000))
    host = 2 * side_mb(amounts, vectors)
    if search["kind"] == "gromov":  # the plan is solved on the CPU, in double precision
        settings = {**asdict(GromovSettings()), **search}
        steps, words = settings["steps"] * settings["iterations"], settings["words"]
        return Work("step", steps, steps * 4 * words**3 / 1e9, host_mb=host + 16 * words * words * FLOAT / MB)
    if search["kind"] == "centroids":
        settings = {**asdict(CentroidSettings()), **search}
        columns = settings["clusters"] * settings["runs"]
        refined = settings["iterations"] * settings["refined_words"] * amounts.dimensions(vectors)
        steps, gflop = (
            settings["runs"] + settings["iterations"],
            2 * frequent * (frequent * columns + refined) / 1e9,
        )
        return Work("step", steps, gflop, host_mb=host + 2 * table_mb(frequent, columns))
    steps = search.get("steps", EASY) * search.get("restarts", 1)
    gflop = steps * 2 * frequent * frequent * amounts.dimensions(vectors) / 1e9
    device = 3 * frequent * frequent * FLOAT / MB if search["kind"] == "optimise" else 300
    return Work("step", steps, gflop, host_mb=host, device_mb=device)


def translating_texts(amounts: Amounts, wildcards: Wildcards) -> Work:
    """Every word of some texts is looked up in a lexicon, whose better words are those of a vocabulary."""
    run, recipe = amounts.run, amounts.run.recipes[wildcards.recipe]
    glossed = is_glossed(run, wildcards)
    texts = amounts.rows(wildcards.task, wildcards.split, wildcards.tgt if glossed else wildcards.src)
    if glossed:
        words = amounts.encoder(stitched_encoder(run, wildcards.recipe)).vocabulary
    else:
        words = amounts.words(recipe["vectors"])
    known = (words + 2 * LEXICON_PAIRS) * WORD_BYTES / MB
    return Work("text", texts, host_mb=known + texts * TRANSLATED_BYTES / MB)


WORK = {
    "sample_corpus": sampling,
    "import_parallel": pairing,
    "link_words": linking,
    "train_vectors": training,
    "import_vectors": importing,
    "distill_vectors": distilling,
    "align_vectors": aligning,
    "map_embeddings": mapping,
    "take_aligned_vectors": taking,
    "export_vectors": writing,
    "export_keyed_vectors": writing,
    "build_anchors": anchoring,
    "import_encoder_vectors": input_table,
    "induce_lexicon": words_in_pairs,
    "translate_texts": translating_texts,
}
