"""Helpers of the rules: the checked configuration, addresses, code digests. No rules here."""

import re
import sys
from functools import cache
from itertools import combinations, product
from pathlib import Path

import yaml

ROOT = Path(workflow.basedir)
SCRIPTS = ROOT / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from xstitch import local, settings
from xstitch.addresses import mirrored
from xstitch.datasets import load_datasets
from xstitch.digest import library_digest
from xstitch.errors import InputError
from xstitch.given import DOWNLOADS, given_addresses, given_path
from xstitch.model_folders import model_files, model_folder, model_version
from xstitch.tables import row_label, table_path
from xstitch.tasks.readers import READERS, load_reader, reader_module
from xstitch.world import WorldSettings
from xstitch.world.addresses import world_addresses


def refuse(problem):
    """End the run with one line: an exception would be wrapped by Snakemake in ten."""
    sys.exit(f"error: {problem}")


def checked(function, *arguments):
    """Call a function of the library; what it refuses ends the run."""
    try:
        return function(*arguments)
    except InputError as problem:
        refuse(problem)


try:
    settings.validate(config, ROOT / "workflow/schemas/config.schema.yaml")
    RECIPES = settings.resolve_recipes(config["recipes"])
    LISTED = settings.load_tsv(ROOT / "config/languages.tsv", "language")
    LANGUAGES = settings.describe_languages(LISTED, config["languages"])
    DATASETS = load_datasets(ROOT / "config/datasets.tsv")
    settings.check_references(config, RECIPES, LANGUAGES)
    WORLD_FILES = list(world_addresses(WorldSettings.from_config(config["world"])))
    GIVEN = given_addresses(config)
except InputError as problem:
    refuse(problem)

PAPERS = {
    file.stem: yaml.safe_load(file.read_text()) for file in sorted((ROOT / "config/papers").glob("*.yaml"))
}
COMPARISONS = {name for paper in PAPERS.values() for name in paper.get("comparisons", {})}
LEAD = "mosecrot"
SOURCE = config["source"]
SEEDS = config["seeds"]
SPLITS = ["train", "dev", "test"]
WORLD = "results/world/"
QUOTED = "published-"  # recipes so called stand for rows that a paper quotes from other work


def names(section, **wanted):
    """Alternatives for a wildcard: the names of a section whose keys have the wanted values."""
    entries = RECIPES if section == "recipes" else config[section]
    found = [n for n, e in entries.items() if all(e.get(key) in value for key, value in wanted.items())]
    return "|".join(found) or "none"


LANGUAGE = "|".join(config["languages"])


wildcard_constraints:
    lang=LANGUAGE,
    src=LANGUAGE,
    tgt=LANGUAGE,
    space=f"({LANGUAGE})(-({LANGUAGE}))?",
    corpus=names("corpora"),
    lexicon=names("lexica"),
    vectors=names("vectors"),
    anchors=names("anchors"),
    encoder=names("encoders"),
    task=names("tasks", reader=READERS),
    alignment=names("alignments"),
    recipe=names("recipes", method=["logistic-regression", "zero-shot", "stitch"]),
    dataset="|".join(DATASETS),
    version=r"[\w.-]+",
    paper="|".join(PAPERS),
    comparison="|".join(sorted(COMPARISONS)),
    seed=r"\d+",
    number=r"\d+",
    table=r"table\d+|(?!table|(?:" + "|".join(sorted(COMPARISONS)) + r")\.)[a-z]+",


@cache
def library(script, *modules):
    """Digest of the library code behind a script: Snakemake does not see edits of imported modules."""
    return library_digest(SCRIPTS / script, *modules)


def unobtainable(dataset, file):
    """Why nothing can bring a file of a data set, as text; empty if it can be had."""
    folder = config["local"].get(dataset, "")
    if DATASETS[dataset].url and not folder:
        place = mirrored(DATASETS[dataset].address(file), config["mirror"])
        if place.startswith(WORLD) and place.removeprefix(WORLD) not in WORLD_FILES:
            return f"{dataset}: the mini world has no {file}; name a file of your own, or another `mirror`"
    return local.unobtainable(DATASETS[dataset], file, folder, config["mirror"])


def resource(dataset, file):
    """Address of a downloaded file; what cannot be had ends the run before it starts."""
    if problem := unobtainable(dataset, file):
        refuse(problem)
    return f"resources/{dataset}/{DATASETS[dataset].version}/{file}"


def given(key, files, lang):
    """Address of the file that the configuration gives for a language; None if it gives none."""
    return checked(given_path, files[lang], f"{key}.files.{lang}") if lang in files else None


def unpacked(dataset, member):
    """Address of a file out of a downloaded archive."""
    return f"resources/unpacked/{dataset}/{DATASETS[dataset].version}/{member}"


def address(wildcards):
    """Where a file is downloaded from; nothing for data sets that only a local folder has, or that one has."""
    dataset = DATASETS[wildcards.dataset]
    own = config["local"].get(wildcards.dataset)
    return dataset.address(wildcards.file) if dataset.url and not own else ""


def mirrored_input(wildcards):
    """The file of the mini world that stands in for a download; other mirrors hold files, not outputs."""
    url = address(wildcards)
    file = mirrored(url, config["mirror"]) if url else ""
    return file if file.startswith(WORLD) else []


def lexicon_input(wildcards):
    """Files behind a lexicon, by its reader; `reverse` takes the file of the opposite direction."""
    lexicon = config["lexica"][wildcards.lexicon]
    pair = f"{wildcards.src}-{wildcards.tgt}"
    if lexicon.get("reverse"):
        pair = f"{wildcards.tgt}-{wildcards.src}"
    if lexicon["reader"] == "panlex-meanings":
        return {
            "source": meaning_files(lexicon, wildcards.src),
            "target": meaning_files(lexicon, wildcards.tgt),
        }
    if lexicon["reader"] == "tsv":
        file = f"{lexicon['folder']}/{pair}.tsv"
        return {"file": checked(given_path, file, f"lexica.{wildcards.lexicon}.folder")}
    if lexicon["reader"] == "panlex-lite":
        return {"file": unpacked("panlex-lite", "panlex_lite/db.sqlite")}
    if lexicon["reader"] == "panlex-swadesh":
        return {"file": resource("panlex-swadesh", "panlex_swadesh.zip")}
    return {"file": resource("muse", f"{pair}.txt" if lexicon["reader"] == "muse" else f"{pair}.0-5000.txt")}


def meaning_files(lexicon, lang):
    """A language's files of PanLex meanings, which are by ISO code; large ones may come in shards."""
    iso = LANGUAGES[lang]["panlex"].partition("-")[0]
    shards = range(lexicon.get("shards", {}).get(lang, 1))
    return [resource(lexicon["dataset"], lexicon["file"].format(iso=iso, shard=shard)) for shard in shards]


def combined_lexicon_input(wildcards):
    """Lexica that a lexicon is made of: of the same pair, or one into a third language and one out of it."""
    lexicon = config["lexica"][wildcards.lexicon]
    src, tgt, through = wildcards.src, wildcards.tgt, lexicon.get("through")
    if through in (src, tgt):
        refuse(f"config: lexica.{wildcards.lexicon}.through: {through} is itself one of {src}-{tgt}")
    pairs = [f"{src}-{through}", f"{through}-{tgt}"] if through else [f"{src}-{tgt}"] * len(lexicon["lexica"])
    return [f"results/lexica/{n}/{p}.parquet" for n, p in zip(lexicon["lexica"], pairs, strict=True)]


def vectors_input(wildcards):
    """File of imported vectors: the user's own, or a data set's."""
    vectors, key = config["vectors"][wildcards.vectors], f"vectors.{wildcards.vectors}"
    if file := given(key, vectors.get("files", {}), wildcards.lang):
        return file
    if "dataset" not in vectors:
        refuse(f"config: {key}.files.{wildcards.lang} is missing: name a file of vectors, or its address")
    return resource(vectors["dataset"], vectors["file"].format(lang=wildcards.lang))


def taken_alignment(wildcards):
    """The alignment whose target side is taken as vectors, and the words of that side."""
    alignment = config["vectors"][wildcards.vectors]["alignment"]
    return {
        "aligned": f"results/aligned/{alignment}/{SOURCE}-{wildcards.lang}.npz",
        "words": f"results/vectors/{config['alignments'][alignment]['vectors']}/{wildcards.lang}.npz",
    }


def corpus_input(wildcards):
    """Text of a language: the user's own, or CC100's, which may name the language otherwise."""
    corpus, key = config["corpora"][wildcards.corpus], f"corpora.{wildcards.corpus}"
    if file := given(key, corpus.get("files", {}), wildcards.lang):
        return file
    return resource("cc100", f"{LANGUAGES[wildcards.lang]['cc100'] or wildcards.lang}.txt.xz")


def udpipe_model(wildcards):
    """Model file of a language that UDPipe segments; empty for the others and without a folder."""
    needed = LANGUAGES[wildcards.lang]["tokenizer"] == "udpipe" and config["udpipe"]
    return f"{config['udpipe']}/{wildcards.lang}.udpipe" if needed else ""


def imported_encoder(wildcards):
    """Files of an encoder that the user has; those of a package count as they were when it was installed."""
    encoder = config["encoders"][wildcards.encoder]
    folder = checked(model_folder, encoder, f"encoders.{wildcards.encoder}")
    files = list(map(str, checked(model_files, folder)))
    return ancient(files) if encoder["origin"] == "package" else files


def encoder_corpora(wildcards):
    """Corpora an encoder is pre-trained on."""
    encoder = config["encoders"][wildcards.encoder]
    return [f"results/corpora/{encoder['corpus']}/{lang}.parquet" for lang in encoder["languages"]]


def alignment_input(wildcards):
    """Both spaces, and the dictionary where a method needs one."""
    alignment = config["alignments"][wildcards.alignment]
    pair = f"{wildcards.src}-{wildcards.tgt}"
    files = {
        "source": f"results/vectors/{alignment['vectors']}/{wildcards.src}.npz",
        "target": f"results/vectors/{alignment['vectors']}/{wildcards.tgt}.npz",
    }
    dictionary = alignment.get("dictionary")
    if dictionary in config["alignments"]:
        files["dictionary"] = f"results/aligned/{dictionary}/{pair}.dictionary.parquet"
    elif dictionary:
        files["dictionary"] = f"results/lexica/{dictionary}/{pair}.parquet"
    return files


def aligned_input(wildcards, task):
    """The vectors' words and the aligned matrices of every target language of a task."""
    vectors = config["alignments"][wildcards.alignment]["vectors"]
    targets = config["tasks"][task]["targets"]
    return {
        "source": f"results/vectors/{vectors}/{wildcards.src}.npz",
        "targets": [f"results/vectors/{vectors}/{tgt}.npz" for tgt in targets],
        "aligned": [f"results/aligned/{wildcards.alignment}/{wildcards.src}-{tgt}.npz" for tgt in targets],
    }


def translation_input(wildcards):
    """Aligned vectors and MUSE's test dictionaries, from the source language and to it."""
    src, targets = wildcards.src, config["tasks"]["bli"]["targets"]
    return {
        **aligned_input(wildcards, "bli"),
        "forth": [resource("muse", f"{src}-{tgt}.5000-6500.txt") for tgt in targets],
        "back": [resource("muse", f"{tgt}-{src}.5000-6500.txt") for tgt in targets],
    }


def similarity_languages():
    """The two languages of every file of graded pairs: within one, from the source, between two targets."""
    targets = config["tasks"]["similarity"]["targets"] if "similarity" in config["tasks"] else []
    within = [[lang, lang] for lang in [SOURCE, *targets]]
    return within + [[SOURCE, tgt] for tgt in targets] + [list(two) for two in combinations(targets, 2)]


def similarity_file(first, second, part, ending):
    """A file of SemEval-2017 Task 2, which names languages in an order of its own: that of the task's targets."""
    within = first == second
    folder = f"subtask1-monolingual/{part}" if within else f"subtask2-crosslingual/{part}"
    name = first if within else f"{first}-{second}"
    return unpacked("semeval2017", f"SemEval17-Task2/test/{folder}/{name}.test.{ending}.txt")


def similarity_input(wildcards):
    """Aligned vectors and graded word pairs."""
    languages = similarity_languages()
    return {
        **aligned_input(wildcards, "similarity"),
        "pairs": [similarity_file(*two, "data", "data") for two in languages],
        "gold": [similarity_file(*two, "keys", "gold") for two in languages],
    }


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


def training_settings(wildcards):
    """How a recipe fine-tunes on a task, which may want it otherwise."""
    own = config["tasks"][wildcards.task].get("training", {})
    return settings.merge(RECIPES[wildcards.recipe]["training"], own)


def finetuning_input(wildcards):
    """Encoder, labelled texts and, where the source side is mapped too, its new embeddings."""
    files = {
        "encoder": f"results/encoders/{RECIPES[wildcards.recipe]['encoder']}",
        "train": labelled_texts(wildcards.task, SOURCE, "train"),
        "dev": labelled_texts(wildcards.task, SOURCE, "dev"),
    }
    if "-" in wildcards.space:
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


def coverage_input(wildcards):
    """What covers a language, and a text of it to be covered."""
    recipe, src, tgt = wildcards.recipe, wildcards.src, wildcards.tgt
    return {
        "vectors": target_vectors(wildcards),
        "lexicon": lexicon_file(RECIPES[recipe]["anchors"], src, tgt),
        "anchors": anchors_file(recipe, src, tgt),
        "text": covered_text(wildcards)[1],
    }


def covered_text(wildcards):
    """The text whose words are looked up in a language's vectors: what it is, its file and the file's column."""
    anchors = RECIPES[wildcards.recipe]["anchors"]
    corpus = config["vectors"][config["anchors"][anchors]["vectors"]].get("corpus")
    if has_test(wildcards.task, wildcards.tgt):
        return "test texts", labelled_texts(wildcards.task, wildcards.tgt, "test"), "text"
    if corpus:
        return "corpus", f"results/corpora/{corpus}/{wildcards.tgt}.parquet", "text"
    return "lexicon", lexicon_file(anchors, wildcards.src, wildcards.tgt), "target"


def report_input(wildcards):
    """Coverage and models of a language and, where it has test texts, scores."""
    recipe, task, tgt = wildcards.recipe, wildcards.task, wildcards.tgt
    stem = f"{recipe}/{task}/{wildcards.src}-{tgt}"
    files = {
        "coverage": f"results/reports/{stem}.coverage.tsv",
        "models": [f"results/stitched/{stem}/seed{seed}" for seed in SEEDS],
    }
    if has_test(task, tgt):
        files["scores"] = f"results/scores/{recipe}/{task}/{wildcards.src}.tsv"
        files["test"] = labelled_texts(task, tgt, "test")
    return files


def report_summary(wildcards):
    """One line that says what was done for a language."""
    source = f"{LANGUAGES[wildcards.src]['name']} ({wildcards.src})"
    return f"Stitched to a model of {source} by recipe {wildcards.recipe} for task {wildcards.task}."


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


def run_columns(column, targets):
    """Columns this run can fill, by what a column of a table is."""
    if column == "target":
        return targets
    if column == "language":
        return [SOURCE, *targets]
    if column == "pair":
        return [pair for tgt in targets for pair in (f"{tgt}-{SOURCE}", f"{SOURCE}-{tgt}")]
    if column == "couple":
        return ["-".join(two) for two in combinations(sorted([SOURCE, *targets]), 2)]
    return []


def filled_rows(spec):
    """Rows that this run computes: all but those it leaves out and those a paper quotes from other work.

    A list of languages has none: Snakemake asks even where another rule makes the table.
    """
    return [
        row
        for row in spec.get("rows", [])
        if row["recipe"] not in config["without"] and not row["recipe"].startswith(QUOTED)
    ]


def table_spec(paper, number):
    """A table's definition with the columns this run can fill; averages over pairs keep their own."""
    spec = PAPERS[paper]["tables"][number]
    by_row = [targets_of(row["recipe"], spec["task"]) for row in filled_rows(spec)]
    own = run_columns(spec["column"], [tgt for tgt in by_row[0] if all(tgt in row for row in by_row)])
    columns = [column for column in spec["columns"] if column in own] or own or spec["columns"]
    return {**spec, "columns": columns, "rows": [shown_row(row, spec) for row in spec["rows"]]}


def shown_row(row, spec):
    """A row of a table; where rows stand for values of their recipes, with this run's in the label."""
    if "value" not in spec or row["recipe"].startswith(QUOTED):
        return row
    section, key = spec["value"].split(".")
    entry = RECIPES[row["recipe"]][section]
    entry = config["anchors"][entry] if section == "anchors" else entry
    return {**row, "shown": row_label(row["row"], entry[key])}


def missing_for_task(task):
    """Why the files of a task cannot be had, as text; empty if they can, as far as is known without asking."""
    if config["tasks"][task]["reader"] != "marc":
        return ""
    own = config["tasks"][task].get("files", {})
    languages = [lang for lang in [SOURCE, *config["tasks"][task]["targets"]] if lang not in own]
    problems = (unobtainable("marc", marc_file(lang, split)) for lang in languages for split in SPLITS)
    return next(filter(None, problems), "")


def missing_for_table(paper, number):
    """What a table lacks to be made, as text; empty if nothing."""
    spec = PAPERS[paper]["tables"][number]
    if "languages" in spec:
        return ""
    known, rows = {*RECIPES, *config["alignments"]}, filled_rows(spec)
    lacking = [f"recipe {row['recipe']}" for row in rows if row["recipe"] not in known]
    if spec["task"] not in config["tasks"]:
        lacking.insert(0, f"task {spec['task']}")
    if lacking:
        return f"the configuration has no {', '.join(lacking)}"
    if not rows:
        return "the configuration leaves out all of its rows (without)"
    for row in rows:
        if not targets_of(row["recipe"], spec["task"]):
            return f"recipes.{row['recipe']}.targets has none of tasks.{spec['task']}.targets"
    return missing_for_task(spec["task"])


def possible_tables():
    """Tables whose task and recipes the configuration has."""
    places = [(paper, number) for paper, content in PAPERS.items() for number in content["tables"]]
    return [place for place in places if not missing_for_table(*place)]


def comparison_spec(wildcards):
    """A comparison of recipes as a paper's file defines it, without the rows that this run leaves out."""
    spec = PAPERS[wildcards.paper]["comparisons"][wildcards.comparison]
    if spec["baseline"] in config["without"]:
        refuse(f"{wildcards.comparison} compares with {spec['baseline']}, which config `without` leaves out")
    return {**spec, "rows": filled_rows(spec)}


def compared_predictions(wildcards):
    """Predictions of every recipe of a comparison, in its order."""
    spec = comparison_spec(wildcards)
    return [f"results/predictions/{row['recipe']}/{spec['task']}/{SOURCE}.parquet" for row in spec["rows"]]


def comparison_labels(wildcards):
    """The labels of a comparison's task."""
    return labels_of(comparison_spec(wildcards)["task"])


def listed_languages(wildcards):
    """Languages of a paper's list, and this run's own, with the part each plays here."""
    spec = PAPERS[wildcards.paper]["tables"][wildcards.table.removeprefix("table")]
    parts = {lang: "source" if lang == SOURCE else "target" for lang in config["languages"]}
    languages = dict.fromkeys([*spec["languages"], *parts])
    return [{**LANGUAGES[lang], "here": parts.get(lang, "")} for lang in languages]


def table_scores(wildcards):
    """Score files that fill a table; one line ends the run if it cannot be filled."""
    paper, number = wildcards.paper, wildcards.table.removeprefix("table")
    if number not in PAPERS[paper]["tables"]:
        refuse(f"{paper} has no table {number}; its tables: {', '.join(PAPERS[paper]['tables'])}")
    if lacking := missing_for_table(paper, number):
        refuse(f"table {number} of {paper} cannot be made yet: {lacking}")
    spec = PAPERS[paper]["tables"][number]
    return [f"results/scores/{row['recipe']}/{spec['task']}/{SOURCE}.tsv" for row in filled_rows(spec)]
