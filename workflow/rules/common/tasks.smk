"""Tasks: who has their files, what is learnt from them, and the cases that are scored on them. No rules here."""

LENGTHS = ("max_length", "stride", "max_question", "max_answer")  # keys of tasks that heads want to know


def task_rows(wildcards):
    """What the rows of a task are, which says which head a model gets."""
    return READERS[config["tasks"][wildcards.task]["reader"]]


def head_settings(wildcards):
    """What a head must know of a task: the one place where fine-tuning and evaluation learn it."""
    task = config["tasks"][wildcards.task]
    lengths = {key: task[key] for key in LENGTHS if key in task}
    return {"labels": list(task_labels(wildcards)), **lengths}


def task_labels(wildcards):
    """All labels of a task."""
    return labels_of(wildcards.task)


def labels_of(task):
    """All labels of a task, by its reader."""
    return load_reader(config["tasks"][task]["reader"]).labels(config["tasks"][task])


def reading_settings(wildcards):
    """The keys of a task that say how its files are read; those of later stages must not run it again."""
    task, lang = config["tasks"][wildcards.task], wildcards.lang
    if lang in task.get("files", {}) and task_rows(wildcards) == "texts":
        limit = {"train_limit": task["train_limit"]} if "train_limit" in task else {}
        return {"reader": "tsv", "labels": list(labels_of(wildcards.task)), **limit}
    later = ("targets", *LENGTHS, "layer", "training", "files", "treebanks")
    edition = {"edition": conll_file(lang)[0]} if task["reader"] == "conll" else {}
    portion = {}
    if "portions" in task:
        portion = {"portion": [SOURCE, *task["targets"]].index(lang), "seed": config["seed"]}
    read = {key: value for key, value in task.items() if key not in later}
    return {**read, "language": lang, **edition, **portion}


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
    if task["reader"] == "universal_dependencies":
        return treebank_files(wildcards.task, wildcards.lang)
    if "portions" in task:
        return dict.fromkeys(SPLITS, xnli_files(wildcards.lang)["train"])
    return TASK_FILES[task["reader"]](wildcards.lang)


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


def marc_places(lang):
    """Data set and file of every split of MARC in one language."""
    return {split: ("marc", f"{split}/dataset_{lang}_{split}.json") for split in SPLITS}


def marc_files(lang):
    """All splits of MARC in one language."""
    return {split: resource(*place) for split, place in marc_places(lang).items()}


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


def xnli_files(lang):
    """XNLI's development and test pairs, and MultiNLI to train on: translated for all languages but English."""
    return {
        "train": unpacked("xnli-mt", f"XNLI-MT-1.0/multinli/multinli.train.{lang}.tsv"),
        **{split: unpacked("xnli", f"XNLI-1.0/xnli.{split}.tsv") for split in ("dev", "test")},
    }


def squad_files(lang):
    """XQuAD's questions to test on; to train on, SQuAD's, which are in the source language only."""
    own = {"train": "train-v1.1.json", "dev": "dev-v1.1.json"} if lang == SOURCE else {}
    return {
        **{split: resource("squad", file) for split, file in own.items()},
        "test": resource("xquad", f"xquad.{lang}.json"),
    }


def tydiqa_files(lang):
    """TyDiQA-GoldP's questions; its development questions are what is tested on, as XTREME does."""
    parts = {"train": "train", "test": "dev"}
    return {split: resource("tydiqa", f"tydiqa-goldp-v1.1-{part}.json") for split, part in parts.items()}


def wikiann_files(lang):
    """PAN-X is WikiANN in the splits of Rahimi et al.: one archive a language within an archive."""
    archive = f"panx_dataset/{lang}.tar.gz"
    return {split: unpacked("wikiann", split, archive) for split in SPLITS}


def conll_file(lang):
    """Year of the shared task that had a language, and how its files' names begin there."""
    edition, _, name = LANGUAGES[lang]["conll"].partition("/")
    return edition, name


def conll_places(lang):
    """Data set and file of every split of a shared task's language, such as esp.testa for development."""
    edition, name = conll_file(lang)
    if not name:
        refuse(f"config/languages.tsv: {lang}: no file of the CoNLL shared tasks is known (column conll)")
    endings = {"train": "train", "dev": "testa", "test": "testb"}
    return {split: (f"conll{edition}", f"{name}.{ending}") for split, ending in endings.items()}


def conll_files(lang):
    """All splits of a shared task's language."""
    return {split: resource(*place) for split, place in conll_places(lang).items()}


def treebank_files(task, lang):
    """Files of a language's treebanks by split; an entry of config `treebanks` may name the splits it has."""
    files = {}
    for entry in config["tasks"][task]["treebanks"].get(lang, []):
        stem, *splits = entry.split()
        for split in splits or SPLITS:
            member = f"ud-treebanks-v{DATASETS['ud'].version}/{stem}-ud-{split}.conllu"
            files.setdefault(split, []).append(unpacked("ud", member))
    if not files:
        refuse(missing_language(task, lang))
    return files


def tatoeba_files(lang):
    """LASER's test sentences of a language and their translations into the source language."""
    codes = [LANGUAGES[code]["tatoeba"] for code in (lang, SOURCE)]
    if not all(codes):
        refuse(
            f"config/languages.tsv: {lang}: its code in Tatoeba's file names is not known (column tatoeba)"
        )
    stem = f"tatoeba.{codes[0]}-{codes[1]}"
    return {
        part: resource("tatoeba", f"{stem}.{code}") for part, code in zip(("sentences", "english"), codes)
    }


# Original files of tasks by their readers, as functions of the language; treebanks are chosen by task.
TASK_FILES = {
    "taxi1500": taxi1500_files,
    "marc": marc_files,
    "xnli": xnli_files,
    "squad": squad_files,
    "tydiqa": tydiqa_files,
    "panx": wikiann_files,
    "wikiann": wikiann_files,
    "conll": conll_files,
    "tatoeba": tatoeba_files,
}


def missing_for_task(task):
    """Why the files of a task cannot be had, as text; empty if they can, as far as is known without asking."""
    own = config["tasks"][task].get("files", {})
    languages = [lang for lang in [SOURCE, *config["tasks"][task].get("targets", [])] if lang not in own]
    if problem := next(filter(None, (missing_language(task, lang) for lang in languages)), ""):
        return problem
    files = {"marc": marc_places, "conll": conll_places}.get(config["tasks"][task]["reader"], lambda lang: {})
    problems = (unobtainable(*place) for lang in languages for place in files(lang).values())
    return next(filter(None, problems), "")


def missing_language(task, lang):
    """Why a task has no texts of a language, as text: only the mini world speaks it, or it names no treebank."""
    if lang in WORLD_LANGUAGES and not config["mirror"]:  # a mirror may hold a copy of it
        return f"tasks.{task}.targets: {lang} is a language of the mini world; name those that you have"
    if lang not in config["tasks"][task].get("treebanks", {lang}):
        return f"config: tasks.{task}.treebanks.{lang} is missing: name the language's treebanks"
    return ""


def targets_of(recipe, task):
    """Target languages of a task, or those of them that a recipe is run on."""
    targets = config["tasks"].get(task, {}).get("targets", [])
    wanted = RECIPES.get(recipe, {}).get("targets", targets)
    return [tgt for tgt in targets if tgt in wanted]


def evaluated_languages(recipe, task):
    """Languages a recipe is scored on; a model that still knows the source is scored on it, too."""
    targets = targets_of(recipe, task)
    methods = {RECIPES[recipe]["method"], RECIPES[starting_recipe(recipe)]["method"]}
    return targets if methods & {"stitch", "logistic-regression"} else [SOURCE, *targets]


def scored_languages(recipe, task):
    """Languages that the scores of a recipe, an alignment or another measured thing are of."""
    return evaluated_languages(recipe, task) if recipe in RECIPES else targets_of(recipe, task)


def evaluation_cases(wildcards):
    """One case a language, model and seed: target, seed, model folder, labelled file.

    A recipe with a model for each pair has as many for the source language.
    """
    recipe, task, src = wildcards.recipe, wildcards.task, wildcards.src
    cases = []
    for tgt, seed in product(evaluated_languages(recipe, task), SEEDS):
        paired = RECIPES[recipe]["method"] in ["bilingual", *ADAPTING]
        for other in targets_of(recipe, task) if paired and tgt == src else [tgt]:
            folder = model_of(recipe, task, src, other, seed)
            cases.append([tgt, seed, folder, labelled_texts(task, tgt, "test")])
    return cases


def target_texts(split):
    """Input function for the labelled texts of every target language of a recipe on a task."""
    return lambda wildcards: [
        labelled_texts(wildcards.task, tgt, split) for tgt in targets_of(wildcards.recipe, wildcards.task)
    ]
