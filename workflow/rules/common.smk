"""Helpers of the rules: the checked configuration, addresses, code digests. No rules here."""

import sys
from functools import cache
from itertools import product
from pathlib import Path

import yaml

ROOT = Path(workflow.basedir)
SCRIPTS = ROOT / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from xstitch import settings
from xstitch.addresses import mirrored
from xstitch.datasets import load_datasets
from xstitch.digest import library_digest
from xstitch.errors import InputError
from xstitch.world import WorldSettings
from xstitch.world.addresses import world_addresses


def refuse(problem):
    """End the run with one line: an exception would be wrapped by Snakemake in ten."""
    sys.exit(f"error: {problem}")


try:
    settings.validate(config, ROOT / "workflow/schemas/config.schema.yaml")
    RECIPES = settings.resolve_recipes(config["recipes"])
    LANGUAGES = settings.load_tsv(ROOT / "config/languages.tsv", "language")
    DATASETS = load_datasets(ROOT / "config/datasets.tsv")
    settings.check_references(config, RECIPES, LANGUAGES)
    WORLD_FILES = list(world_addresses(WorldSettings.from_config(config["world"])))
except InputError as problem:
    refuse(problem)

PAPERS = {
    file.stem: yaml.safe_load(file.read_text()) for file in sorted((ROOT / "config/papers").glob("*.yaml"))
}
LEAD = "mosecrot"
SOURCE = config["source"]
SEEDS = config["seeds"]
SPLITS = ["train", "dev", "test"]


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
    task=names("tasks", reader=["taxi1500"]),
    alignment=names("alignments"),
    recipe=names("recipes", method=["logistic-regression", "zero-shot", "stitch"]),
    dataset="|".join(DATASETS),
    version=r"[\w.-]+",
    paper="|".join(PAPERS),
    seed=r"\d+",
    number=r"\d+",


@cache
def library(script):
    """Digest of the library code behind a script: Snakemake does not see edits of imported modules."""
    return library_digest(SCRIPTS / script)


def resource(dataset, file):
    """Address of a downloaded file."""
    return f"resources/{dataset}/{DATASETS[dataset].version}/{file}"


def unpacked(dataset, member):
    """Address of a file out of a downloaded archive."""
    return f"resources/unpacked/{dataset}/{DATASETS[dataset].version}/{member}"


def address(wildcards):
    """Where a file is downloaded from; nothing for data sets that only a local folder can have."""
    dataset = DATASETS[wildcards.dataset]
    return dataset.address(wildcards.file) if dataset.url else ""


def mirrored_input(wildcards):
    """The file of the mini world that stands in for a download; other mirrors hold files, not outputs."""
    url = address(wildcards)
    file = mirrored(url, config["mirror"]) if url else ""
    return file if file.startswith("results/world/") else []


def lexicon_input(wildcards):
    """File behind a lexicon, by its reader."""
    lexicon = config["lexica"][wildcards.lexicon]
    pair = f"{wildcards.src}-{wildcards.tgt}"
    if lexicon["reader"] == "muse":
        return resource("muse", f"{pair}.txt")
    if lexicon["reader"] == "muse-train":
        return resource("muse", f"{pair}.0-5000.txt")
    if lexicon["reader"] == "panlex-lite":
        return unpacked("panlex-lite", "panlex_lite/db.sqlite")
    return f"{lexicon['folder']}/{pair}.tsv"


def vectors_input(wildcards):
    """Downloaded file of imported vectors."""
    vectors = config["vectors"][wildcards.vectors]
    return resource(vectors["dataset"], vectors["file"].format(lang=wildcards.lang))


def corpus_input(wildcards):
    """CC100's file of a language, which it may name otherwise."""
    return resource("cc100", f"{LANGUAGES[wildcards.lang]['cc100'] or wildcards.lang}.txt.xz")


def udpipe_model(wildcards):
    """Model file of a language that UDPipe segments; empty for the others and without a folder."""
    needed = LANGUAGES[wildcards.lang]["tokenizer"] == "udpipe" and config["udpipe"]
    return f"{config['udpipe']}/{wildcards.lang}.udpipe" if needed else ""


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


def similarity_input(wildcards):
    """Aligned vectors and graded word pairs: within the source and each target, and across the two."""
    src, targets = wildcards.src, config["tasks"]["similarity"]["targets"]
    files = [f"subtask1-monolingual/{{part}}/{lang}.test" for lang in [src, *targets]]
    files += [f"subtask2-crosslingual/{{part}}/{src}-{tgt}.test" for tgt in targets]
    place = unpacked("semeval2017", "SemEval17-Task2/test")
    return {
        **aligned_input(wildcards, "similarity"),
        "pairs": [f"{place}/{file.format(part='data')}.data.txt" for file in files],
        "gold": [f"{place}/{file.format(part='keys')}.gold.txt" for file in files],
    }


def anchors_input(wildcards):
    """Lexicon and both vocabularies of a pair's anchors."""
    lexicon = config["languages"][wildcards.tgt].get("lexicon")
    if lexicon is None:
        refuse(f"config: languages.{wildcards.tgt}.lexicon is missing: anchors need a lexicon")
    vectors = config["anchors"][wildcards.anchors]["vectors"]
    return {
        "lexicon": f"results/lexica/{lexicon}/{wildcards.src}-{wildcards.tgt}.parquet",
        "source": f"results/vectors/{wildcards.encoder}/{wildcards.src}.npz",
        "encoder": f"results/encoders/{wildcards.encoder}",
        "target": f"results/vectors/{vectors}/{wildcards.tgt}.npz",
    }


def target_vectors(wildcards):
    """The vectors a recipe stitches in: those its anchors point into."""
    vectors = config["anchors"][RECIPES[wildcards.recipe]["anchors"]]["vectors"]
    return f"results/vectors/{vectors}/{wildcards.tgt}.npz"


def mapping_input(wildcards):
    """Both spaces and the anchors that a recipe maps them by."""
    recipe = RECIPES[wildcards.recipe]
    encoder = RECIPES[recipe.get("base", wildcards.recipe)]["encoder"]
    pair = f"{wildcards.src}-{wildcards.tgt}"
    return {
        "source": f"results/vectors/{encoder}/{wildcards.src}.npz",
        "encoder": f"results/encoders/{encoder}",
        "target": target_vectors(wildcards),
        "anchors": f"results/anchors/{recipe['anchors']}/{encoder}/{pair}.parquet",
    }


def task_input(wildcards):
    """Original files of a task in one language: the labelled ones, and a Bible to join them to."""
    labelled = {split: resource("taxi1500", f"eng_data/eng_{split}.tsv") for split in SPLITS}
    if wildcards.lang == SOURCE:
        return labelled
    verses = LANGUAGES[wildcards.lang]["ebible"]
    if not verses:
        return {s: resource("taxi1500-corpus", f"{wildcards.lang}_{s}.tsv") for s in SPLITS}
    return {
        **labelled,
        "references": resource("ebible", "metadata/vref.txt"),
        "verses": resource("ebible", f"corpus/{verses}.txt"),
    }


def finetuning_input(wildcards):
    """Encoder, labelled texts and, where the source side is mapped too, its new embeddings."""
    files = {
        "encoder": f"results/encoders/{RECIPES[wildcards.recipe]['encoder']}",
        "train": f"results/tasks/{wildcards.task}/{SOURCE}/train.parquet",
        "dev": f"results/tasks/{wildcards.task}/{SOURCE}/dev.parquet",
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


def evaluated_languages(recipe, task):
    """Languages a recipe is scored on; a model used as it is also on the source, as its upper bound."""
    targets = config["tasks"][task]["targets"]
    return [SOURCE, *targets] if RECIPES[recipe]["method"] == "zero-shot" else targets


def evaluation_cases(wildcards):
    """One case a language and seed: target, seed, model folder, labelled file."""
    cases = []
    for tgt, seed in product(evaluated_languages(wildcards.recipe, wildcards.task), SEEDS):
        if RECIPES[wildcards.recipe]["method"] == "stitch":
            place = f"stitched/{wildcards.recipe}/{wildcards.task}/{wildcards.src}-{tgt}"
        else:
            place = f"models/{wildcards.recipe}/{wildcards.task}/{wildcards.src}"
        test = f"results/tasks/{wildcards.task}/{tgt}/test.parquet"
        cases.append([tgt, seed, f"results/{place}/seed{seed}", test])
    return cases


def target_files(pattern):
    """Input function for one file per target language of a task."""
    return lambda wildcards: expand(
        pattern, tgt=config["tasks"][wildcards.task]["targets"], task=wildcards.task
    )


def run_columns(column, targets):
    """Columns this run can fill, by what a column of a table is."""
    if column == "target":
        return targets
    if column == "language":
        return [SOURCE, *targets]
    if column == "pair":
        return [pair for tgt in targets for pair in (f"{tgt}-{SOURCE}", f"{SOURCE}-{tgt}")]
    if column == "couple":
        return ["-".join(sorted((SOURCE, tgt))) for tgt in targets]
    return []


def table_spec(paper, number):
    """A table's definition with the columns this run can fill; averages over pairs keep their own."""
    spec = PAPERS[paper]["tables"][number]
    own = run_columns(spec["column"], config["tasks"].get(spec["task"], {}).get("targets", []))
    return {**spec, "columns": [c for c in spec["columns"] if c in own] or own or spec["columns"]}


def missing_for_table(paper, number):
    """What the configuration lacks to fill a table, as text; empty if nothing."""
    spec = PAPERS[paper]["tables"][number]
    known = {*RECIPES, *config["alignments"]}
    recipes = [row["recipe"] for row in spec["rows"] if row["recipe"] not in known]
    lacking = [f"recipe {recipe}" for recipe in recipes]
    return ", ".join(lacking if spec["task"] in config["tasks"] else [f"task {spec['task']}", *lacking])


def possible_tables():
    """Tables whose task and recipes the configuration has."""
    places = [(paper, number) for paper, content in PAPERS.items() for number in content["tables"]]
    return [place for place in places if not missing_for_table(*place)]


def table_scores(wildcards):
    """Score files that fill a table; one line ends the run if it cannot be filled."""
    paper, number = wildcards.paper, wildcards.number
    if number not in PAPERS[paper]["tables"]:
        refuse(f"{paper} has no table {number}; its tables: {', '.join(PAPERS[paper]['tables'])}")
    if lacking := missing_for_table(paper, number):
        refuse(f"table {number} of {paper} cannot be made yet: the configuration has no {lacking}")
    spec = PAPERS[paper]["tables"][number]
    return [f"results/scores/{row['recipe']}/{spec['task']}/{SOURCE}.tsv" for row in spec["rows"]]
