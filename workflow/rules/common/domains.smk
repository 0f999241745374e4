"""Recipes that adapt a model to an unlabelled language, what they start from, and target sets of other priors. No rules here."""

ADAPTING = list(references.ADAPTING)
SUPERVISED = ["in-language", "bilingual"]


def starting_recipe(recipe):
    """The recipe whose model the first of a recipe's adaptations starts from."""
    while RECIPES[recipe]["method"] in ADAPTING:
        recipe = RECIPES[recipe]["base"]
    return recipe


def adapting_recipes(recipe):
    """A recipe's adaptations, from the first to its own."""
    if RECIPES[recipe]["method"] not in ADAPTING:
        return []
    return [*adapting_recipes(RECIPES[recipe]["base"]), recipe]


def model_of(recipe, task, src, tgt, seed):
    """Folder of the model that a recipe uses in a target language."""
    places = {
        "stitch": f"stitched/{recipe}/{task}/{src}-{tgt}",
        "zero-shot": f"models/{recipe}/{task}/{src}",
        "in-language": f"models/{recipe}/{task}/{tgt}",
        "bilingual": f"models/{recipe}/{task}/{src}-{tgt}",
    }
    method = RECIPES[recipe]["method"]
    return f"results/{places.get(method, f'adapted/{recipe}/{task}/{src}-{tgt}')}/seed{seed}"


def source_model_of(recipe, task, src, tgt, seed):
    """Folder that has the source language's tokenizer and embeddings, where a stitched model has the target's."""
    recipe = starting_recipe(recipe)
    if RECIPES[recipe]["method"] != "stitch":
        return None
    if "base" in RECIPES[recipe]:
        return model_of(RECIPES[recipe]["base"], task, src, tgt, seed)
    return f"results/models/{recipe}/{task}/{src}-{tgt}/seed{seed}"


def student_of(recipe):
    """The encoder that distillation trains: the one its teacher was once fine-tuned from."""
    return f"results/encoders/{RECIPES[starting_recipe(recipe)]['encoder']}"


def adapting_input(wildcards):
    """The model of a recipe's base, data of both languages, and what the method needs beside."""
    place = (wildcards.task, wildcards.src, wildcards.tgt, wildcards.seed)
    files = {
        "model": model_of(RECIPES[wildcards.recipe]["base"], *place),
        "source": labelled_texts(wildcards.task, wildcards.src, "train"),
        "target": labelled_texts(wildcards.task, wildcards.tgt, "train"),
        "watched": labelled_texts(wildcards.task, wildcards.tgt, "dev"),
    }
    if source_model := source_model_of(wildcards.recipe, *place):
        files["source_model"] = source_model
    if RECIPES[wildcards.recipe]["method"] == "distil":
        files["student"] = student_of(wildcards.recipe)
    return files


def adaptation_stage(recipe, task):
    """How one recipe adapts: the keys of xstitch.models.transfer.stages.Stage that are no files."""
    return training_values.adapting_values(recipe, RECIPES[recipe], config["tasks"][task])


def improvement_input(wildcards):
    """What adapting to target sets of other priors starts from: the first stage's inputs, and what scores."""
    first = adapting_recipes(wildcards.recipe)[0]
    place = (wildcards.task, wildcards.src, wildcards.tgt, wildcards.seed)
    files = {
        "model": model_of(RECIPES[first]["base"], *place),
        "source": labelled_texts(wildcards.task, wildcards.src, "train"),
        "target": labelled_texts(wildcards.task, wildcards.tgt, "train"),
        "test": [labelled_texts(wildcards.task, wildcards.tgt, split) for split in ("dev", "test")],
    }
    if any(RECIPES[recipe]["method"] == "distil" for recipe in adapting_recipes(wildcards.recipe)):
        files["student"] = student_of(wildcards.recipe)
    return files


def samples_of(task):
    """How many target sets of other priors a task is looked at with, and their sizes."""
    if "samples" not in config["tasks"][task]:
        refuse(f"config: tasks.{task}.samples is missing: sets of other class priors need it")
    return config["tasks"][task]["samples"]


def shift_cases(wildcards):
    """One case a target language: its model, its labelled files and the source's; none is learnt from."""
    targets = targets_of(wildcards.recipe, wildcards.task)
    return [
        [
            tgt,
            model_of(wildcards.recipe, wildcards.task, wildcards.src, tgt, SEEDS[0]),
            *(
                [labelled_texts(wildcards.task, lang, split) for split in ("dev", "test")]
                for lang in (tgt, wildcards.src)
            ),
        ]
        for tgt in targets
    ]


def shift_input(wildcards):
    """Files of all cases, each once."""
    cases = shift_cases(wildcards)
    files = {file for case in cases for file in [*case[2], *case[3]]}
    train = [labelled_texts(wildcards.task, wildcards.src, "train")]
    return {"models": sorted({case[1] for case in cases}), "files": sorted(files), "train": train}


def skew_of(wildcards):
    """How a recipe skews the training data of a task, if it does."""
    return RECIPES[wildcards.recipe].get("skew", {}).get(wildcards.task)


def shift_figure(wildcards):
    """A figure's definition, with this run's language where the paper's is none of its targets."""
    spec = PAPERS[wildcards.paper].get("figures", {}).get(wildcards.number)
    if spec is None:
        known = ", ".join(PAPERS[wildcards.paper].get("figures", {})) or "none"
        refuse(f"{wildcards.paper} has no figure {wildcards.number}; its figures: {known}")
    panels = [shown_panel(panel) for panel in spec["panels"]]
    return {**spec, "panels": panels, "rows": filled_rows(spec)}


def shown_panel(panel):
    """A panel; one of a single pair with its target, the paper's or the run's language in its role."""
    targets = config["tasks"].get(panel["task"], {}).get("targets", [])
    if "role" not in panel or not targets:
        return {**panel, "target": None}
    target = panel["target"] if panel["target"] in targets else targets[panel["role"]]
    return {**panel, "target": target, "title": f"{panel['title']}, {SOURCE} to {target}"}


def shift_figure_files(wildcards):
    """Measurements that a figure shows, by its kind, panel by panel and row by row."""
    spec = shift_figure(wildcards)
    for panel in spec["panels"]:
        if panel["task"] not in config["tasks"]:
            refuse(f"figure {wildcards.number} of {wildcards.paper}: no task {panel['task']} in the config")
    for row in spec["rows"]:
        if row["recipe"] not in RECIPES:
            refuse(f"figure {wildcards.number} of {wildcards.paper}: no recipe {row['recipe']} in the config")
    return [
        file
        for panel in spec["panels"]
        for row in spec["rows"]
        for file in measured_files(spec["kind"], row["recipe"], panel)
    ]


def measured_files(kind, recipe, panel):
    """Files of one recipe in one panel of a figure."""
    task, pair = panel["task"], f"{SOURCE}-{panel['target']}"
    if kind == "improvements":
        return [f"results/improvements/{recipe}/{task}/{pair}/seed{seed}.tsv" for seed in SEEDS]
    if kind == "steps":
        return [f"{model_of(recipe, task, SOURCE, panel['target'], seed)}" for seed in SEEDS]
    return [f"results/shifts/{recipe}/{task}/{SOURCE}.tsv"]


def language_places():
    """A place for every language, the same in all figures: its colour and marker."""
    return {lang: place for place, lang in enumerate([*LISTED, *(l for l in LANGUAGES if l not in LISTED)])}
