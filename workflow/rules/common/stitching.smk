"""Inputs of anchors, mappings, fine-tunings and stitched models. No rules here."""


def lexicon_file(anchors, src, tgt):
    """The lexicon that anchors of a pair come from: the language's, unless the anchors name one."""
    lexicon = config["anchors"][anchors].get("lexicon", config["languages"][tgt].get("lexicon"))
    if lexicon is None:
        refuse(f"config: languages.{tgt}.lexicon is missing: anchors need a lexicon")
    return f"results/lexica/{lexicon}/{src}-{tgt}.parquet"


def anchors_input(wildcards):
    """Lexicon and both vocabularies of a pair's anchors."""
    anchors = config["anchors"][wildcards.anchors]
    return {
        "lexicon": lexicon_file(wildcards.anchors, wildcards.src, wildcards.tgt),
        "source": f"results/vectors/{wildcards.encoder}/{wildcards.src}.npz",
        "encoder": f"results/encoders/{wildcards.encoder}",
        "target": f"results/vectors/{anchors['vectors']}/{wildcards.tgt}.npz",
    }


def target_vectors(wildcards):
    """The vectors a recipe stitches in: those its anchors point into."""
    vectors = config["anchors"][RECIPES[wildcards.recipe]["anchors"]]["vectors"]
    return f"results/vectors/{vectors}/{wildcards.tgt}.npz"


def stitched_encoder(recipe):
    """The encoder that a recipe stitches: its own, or that of the recipe it starts from."""
    return RECIPES[RECIPES[recipe].get("base", recipe)]["encoder"]


def anchors_file(recipe, src, tgt):
    """The anchors of a recipe and language pair."""
    return f"results/anchors/{RECIPES[recipe]['anchors']}/{stitched_encoder(recipe)}/{src}-{tgt}.parquet"


def mapping_input(wildcards):
    """Both spaces and the anchors that a recipe maps them by."""
    encoder = stitched_encoder(wildcards.recipe)
    return {
        "source": f"results/vectors/{encoder}/{wildcards.src}.npz",
        "encoder": f"results/encoders/{encoder}",
        "target": target_vectors(wildcards),
        "anchors": anchors_file(wildcards.recipe, wildcards.src, wildcards.tgt),
    }


def training_settings(wildcards):
    """How a recipe fine-tunes on a task, which may want it otherwise."""
    recipe, task = wildcards.recipe, wildcards.task
    return training_values.finetuning_values(recipe, RECIPES[recipe], config["tasks"][task])


def finetuning_input(wildcards):
    """Encoder, labelled texts and, where the source side is mapped too, its new embeddings."""
    supervised = RECIPES[wildcards.recipe]["method"] in SUPERVISED
    languages = wildcards.space.split("-") if supervised else [SOURCE]
    files = {
        "encoder": f"results/encoders/{RECIPES[wildcards.recipe]['encoder']}",
        "train": [labelled_texts(wildcards.task, lang, "train") for lang in languages],
        "dev": [labelled_texts(wildcards.task, lang, "dev") for lang in languages],
    }
    if "-" in wildcards.space and not supervised:
        files["embeddings"] = f"results/mapped/{wildcards.recipe}/{wildcards.space}.npz"
    return files


def stitching_input(wildcards):
    """The fine-tuned model that a recipe stitches, the mapped embeddings and their words."""
    recipe = RECIPES[wildcards.recipe]
    pair = f"{wildcards.src}-{wildcards.tgt}"
    base, space = (recipe["base"], wildcards.src) if "base" in recipe else (wildcards.recipe, pair)
    return {
        "model": f"results/models/{base}/{wildcards.task}/{space}/seed{wildcards.seed}",
        "embeddings": f"results/mapped/{wildcards.recipe}/{pair}.npz",
        "target": target_vectors(wildcards),
    }
