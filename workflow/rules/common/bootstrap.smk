"""Inputs of bootstrapped anchors: pairs of spaces, encoded texts and images, what is searched for. No rules here."""

SEARCHES = ("optimise", "alternate")
# Ids of texts and images tell which belong together; they are no words to choose by.
ANY_ID = {"skip": 0, "letters": 0, "alphabetic": False, "size": None}


def space_vectors(space):
    """Vectors of a space: of the source language's words, or of images."""
    if "images" in space:
        return f"results/encoded/{space['encoder']}/{space['images']}.npz"
    return f"results/vectors/{space['vectors']}/{SOURCE}.npz"


def space_names(task):
    """The names of a task's two spaces; the anchors of the second are sought."""
    return [space["name"] for space in config["tasks"][task]["spaces"]]


def encoded_texts(encoder, task, lang):
    """Vectors of a task's texts in one language, by split."""
    return {split: f"results/encoded/{encoder}/{task}/{lang}/{split}.npz" for split in SPLITS}


def parallel_texts(recipe, lang):
    """Vectors of texts that stand in several languages under one id, as heads of a recipe need them."""
    encoder, texts = RECIPES[recipe]["encoders"][lang], RECIPES[recipe]["texts"]
    return list(encoded_texts(encoder, texts, lang).values())


def seeded_input(wildcards):
    """The two spaces whose anchors are looked for: a task's own, or those of parallel texts."""
    task = config["tasks"][wildcards.task]
    if task["reader"] == "spaces":
        source, target = ([space_vectors(space)] for space in task["spaces"])
    else:
        source, target = (parallel_texts(wildcards.recipe, lang) for lang in wildcards.pair.split("-"))
    return {"source": source, "target": target}


def compared_words(wildcards):
    """Which words of both spaces are taken."""
    return config["tasks"][wildcards.task].get("words", ANY_ID)


def found_anchors(recipe, task, pair, seed):
    """Where anchors that are searched for lie; nothing for those that are known."""
    if RECIPES[recipe]["parallel"]["way"] not in SEARCHES:
        return ""
    return f"results/bootstrapped/{recipe}/{task}/{pair}/seed{seed}.npz"


def retrieval_input(wildcards):
    """Two spaces, and the anchors found by a recipe for every seed."""
    pair = "-".join(space_names(wildcards.task))
    found = [found_anchors(wildcards.recipe, wildcards.task, pair, seed) for seed in SEEDS]
    source, target = ([space_vectors(space)] for space in config["tasks"][wildcards.task]["spaces"])
    return {"source": source, "target": target, "found": [file for file in found if file]}


def missing_for_heads(recipe, task):
    """Why heads of a recipe cannot be trained, as text; empty if they can, and for other recipes."""
    if RECIPES.get(recipe, {}).get("method") != "heads":
        return ""
    languages = [SOURCE, *targets_of(recipe, task)]
    lacking = [lang for lang in languages if lang not in RECIPES[recipe]["encoders"]]
    return f"recipes.{recipe}.encoders has none for {', '.join(lacking)}" if lacking else ""


def head_files(wildcards):
    """By language: vectors of parallel texts, and vectors and labels of the task's own."""
    files = {}
    if problem := missing_for_heads(wildcards.recipe, wildcards.task):
        refuse(f"config: {problem}")
    for lang in [SOURCE, *targets_of(wildcards.recipe, wildcards.task)]:
        vectors = encoded_texts(RECIPES[wildcards.recipe]["encoders"][lang], wildcards.task, lang)
        splits = {
            split: [vectors[split], labelled_texts(wildcards.task, lang, split)]
            for split in ("train", "test")
        }
        files[lang] = {"parallel": parallel_texts(wildcards.recipe, lang), "splits": splits}
    return files


def head_cases(wildcards):
    """One case a target language and seed: target, seed, found anchors."""
    recipe, task = wildcards.recipe, wildcards.task
    return [
        [tgt, seed, found_anchors(recipe, task, f"{tgt}-{SOURCE}", seed)]
        for tgt, seed in product(targets_of(recipe, task), SEEDS)
    ]


def heads_input(wildcards):
    """All files behind the heads of a recipe."""
    files = head_files(wildcards).values()
    splits = [file for entry in files for pair in entry["splits"].values() for file in pair]
    return {
        "parallel": [file for entry in files for file in entry["parallel"]],
        "splits": splits,
        "found": [case[2] for case in head_cases(wildcards) if case[2]],
    }


def image_files(wildcards):
    """Batches of images; none where they lie in a folder, which is a parameter."""
    images = config["images"][wildcards.images]
    return [unpacked(images["dataset"], file) for file in images.get("files", [])]


def figure_spec(wildcards):
    """A figure of spaces as a paper's file defines it."""
    figures = PAPERS[wildcards.paper].get("figures", {})
    if wildcards.number not in figures:
        refuse(
            f"{wildcards.paper} has no figure {wildcards.number}; its figures: {', '.join(figures) or 'none'}"
        )
    return figures[wildcards.number]


def figure_rows(wildcards):
    """The rows of a figure: label, how anchors come, and where found ones lie for the first seed."""
    spec = figure_spec(wildcards)
    pair = "-".join(space_names(spec["task"]))
    return [
        {
            "row": row["row"],
            "parallel": RECIPES[row["recipe"]]["parallel"],
            "found": found_anchors(row["recipe"], spec["task"], pair, SEEDS[0]),
        }
        for row in filled_rows(spec)
    ]


def figure_input(wildcards):
    """Two spaces and the anchors found by the recipes of a figure."""
    source, target = config["tasks"][figure_spec(wildcards)["task"]]["spaces"]
    return {
        "source": [space_vectors(source)],
        "target": [space_vectors(target)],
        "found": [row["found"] for row in figure_rows(wildcards) if row["found"]],
    }


def induced_lexicon_input(wildcards):
    """The lexicon whose pairs are the seeds, and the vectors of both languages."""
    lexicon = config["lexica"][wildcards.lexicon]
    return {
        "lexicon": f"results/lexica/{lexicon['lexica'][0]}/{wildcards.src}-{wildcards.tgt}.parquet",
        "source": f"results/vectors/{lexicon['vectors']}/{wildcards.src}.npz",
        "target": f"results/vectors/{lexicon['vectors']}/{wildcards.tgt}.npz",
    }
