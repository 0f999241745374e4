"""Labelled texts: who has them, their labels, and the cases that are scored on them. No rules here."""


def task_labels(wildcards):
    """All labels of a task: the one place where fine-tuning and evaluation learn them."""
    return labels_of(wildcards.task)


def labels_of(task):
    """All labels of a task, by its reader."""
    return load_reader(config["tasks"][task]["reader"]).labels(config["tasks"][task])


def reading_settings(wildcards):
    """The keys of a task that say how its files are read; those of later stages must not run it again."""
    task = config["tasks"][wildcards.task]
    if wildcards.lang in task.get("files", {}):
        limit = {"train_limit": task["train_limit"]} if "train_limit" in task else {}
        return {"reader": "tsv", "labels": list(labels_of(wildcards.task)), **limit}
    later = ("targets", "max_length", "training", "files")
    return {key: value for key, value in task.items() if key not in later}


def task_input(wildcards):
    """Files of a task in one language: the user's own by split, or the original ones by its reader."""
    task, key = config["tasks"][wildcards.task], f"tasks.{wildcards.task}"
    if wildcards.lang in task.get("files", {}):
        own = task["files"][wildcards.lang]
        place = f"{key}.files.{wildcards.lang}"
        return {split: checked(given_path, file, f"{place}.{split}") for split, file in own.items()}
    nowhere = task["reader"] == "tsv" or wildcards.lang not in LISTED
    if nowhere and not has_test(wildcards.task, wildcards.lang):
        refuse(f"config: {key}.files.{wildcards.lang} is missing: nothing else has labelled texts of it")
    files = {"taxi1500": taxi1500_files, "marc": marc_files}
    return files[task["reader"]](wildcards.lang)


def labelled_texts(task, lang, split):
    """Address of labelled texts; a split that the user's own files lack ends the run."""
    if split not in config["tasks"][task].get("files", {}).get(lang, SPLITS):
        refuse(f"config: tasks.{task}.files.{lang}.{split} is missing, and needed for what you asked")
    return f"results/tasks/{task}/{lang}/{split}.parquet"


def has_test(task, lang):
    """Whether there are labelled test texts of a language, as far as is known without asking."""
    task = config["tasks"][task]
    if lang in task.get("files", {}):
        return "test" in task["files"][lang]
    if task["reader"] == "taxi1500":
        return bool(lang == SOURCE or LANGUAGES[lang]["ebible"] or config["local"].get("taxi1500-corpus"))
    return task["reader"] != "tsv" and lang in LISTED


def marc_file(lang, split):
    """A split of MARC in one language."""
    return f"{split}/dataset_{lang}_{split}.json"


def marc_files(lang):
    """All splits of MARC in one language."""
    return {split: resource("marc", marc_file(lang, split)) for split in SPLITS}


def taxi1500_files(lang):
    """Taxi1500's labelled files, and a Bible to join them to where they are of another language."""
    labelled = {split: resource("taxi1500", f"eng_data/eng_{split}.tsv") for split in SPLITS}
    if lang == SOURCE:
        return labelled
    verses = LANGUAGES[lang]["ebible"]
    if not verses:
        return {split: resource("taxi1500-corpus", f"{lang}_{split}.tsv") for split in SPLITS}
    return {
        **labelled,
        "references": resource("ebible", "metadata/vref.txt"),
        "verses": resource("ebible", f"corpus/{verses}.txt"),
    }


def missing_for_task(task):
    """Why the files of a task cannot be had, as text; empty if they can, as far as is known without asking."""
    if config["tasks"][task]["reader"] != "marc":
        return ""
    own = config["tasks"][task].get("files", {})
    languages = [lang for lang in [SOURCE, *config["tasks"][task]["targets"]] if lang not in own]
    problems = (unobtainable("marc", marc_file(lang, split)) for lang in languages for split in SPLITS)
    return next(filter(None, problems), "")


def targets_of(recipe, task):
    """Target languages of a task, or those of them that a recipe is run on."""
    targets = config["tasks"].get(task, {}).get("targets", [])
    wanted = RECIPES.get(recipe, {}).get("targets", targets)
    return [tgt for tgt in targets if tgt in wanted]


def evaluated_languages(recipe, task):
    """Languages a recipe is scored on; a model used as it is also on the source, as its upper bound."""
    targets = targets_of(recipe, task)
    return [SOURCE, *targets] if RECIPES[recipe]["method"] == "zero-shot" else targets


def evaluation_cases(wildcards):
    """One case a language and seed: target, seed, model folder, labelled file."""
    cases = []
    for tgt, seed in product(evaluated_languages(wildcards.recipe, wildcards.task), SEEDS):
        if RECIPES[wildcards.recipe]["method"] == "stitch":
            place = f"stitched/{wildcards.recipe}/{wildcards.task}/{wildcards.src}-{tgt}"
        else:
            place = f"models/{wildcards.recipe}/{wildcards.task}/{wildcards.src}"
        test = labelled_texts(wildcards.task, tgt, "test")
        cases.append([tgt, seed, f"results/{place}/seed{seed}", test])
    return cases


def target_texts(split):
    """Input function for the labelled texts of every target language of a recipe on a task."""
    return lambda wildcards: [
        labelled_texts(wildcards.task, tgt, split) for tgt in targets_of(wildcards.recipe, wildcards.task)
    ]
