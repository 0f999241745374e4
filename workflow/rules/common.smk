"""Helpers of the rules: the checked configuration, addresses, code digests. No rules here."""

import os
import re
import sys
from functools import cache
from itertools import combinations, product
from pathlib import Path

import yaml

ROOT = Path(workflow.basedir)
SCRIPTS = ROOT / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from xstitch.core.errors import InputError
from xstitch.core.portable import pin_kernels
from xstitch.models.heads.registry import HEADS, head_module
from xstitch.plan import overlays, references, settings, training_values
from xstitch.plan.digest import library_digest
from xstitch.plan.given import DOWNLOADS, given_addresses, given_path
from xstitch.plan.provenance import data_checksums, environment
from xstitch.plan.provenance import update as update_provenance
from xstitch.plan.single_run import claim_folder, only_looks, require_writable
from xstitch.results.columns import held_columns, table_tasks
from xstitch.results.tables import row_label, table_path
from xstitch.sources.fetch import local
from xstitch.sources.fetch.addresses import mirrored
from xstitch.sources.fetch.datasets import load_datasets
from xstitch.sources.fetch.download import model_addresses
from xstitch.sources.fetch.forecast import Download, announce
from xstitch.sources.fetch.model_folders import model_files, model_folder, model_version
from xstitch.sources.tasks.readers import READERS, load_reader, reader_module
from xstitch.sources.world.addresses import world_addresses
from xstitch.sources.world.settings import WorldSettings


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
    written = overlays.lay(
        "config/config.yaml",
        workflow.overwrite_configfiles,
        workflow.config_settings.config,
        ROOT / "config",
    )
    # In the place of what Snakemake has merged: without the scale's file, with nothing inherited.
    config.clear()
    config.update(settings.validate(written, ROOT / "workflow/schemas/config.schema.yaml"))
    RECIPES = config["recipes"]
    LISTED = settings.load_languages(ROOT / "config/languages.tsv")
    LANGUAGES = settings.describe_languages(LISTED, config["languages"])
    DATASETS = load_datasets(ROOT / "config/datasets.tsv")
    references.check_references(config, RECIPES, LANGUAGES)
    references.check_datasets(config, DATASETS)
    WORLD_SETTINGS = WorldSettings.from_config(config["world"])
    GIVEN = given_addresses(config)
except InputError as problem:
    refuse(problem)

if config["portable"]:
    pin_kernels(os.environ)  # jobs inherit it, and jobs on a cluster read this file again

PAPERS = {
    file.stem: yaml.safe_load(file.read_text()) for file in sorted((ROOT / "config/papers").glob("*.yaml"))
}
COMPARISONS = {name for paper in PAPERS.values() for name in paper.get("comparisons", {})}
LEAD = "mosecrot"
SOURCE = config["source"]
SEEDS = config["seeds"]
SPLITS = ["train", "dev", "test"]
LEARNT = [
    reader for reader, rows in READERS.items() if rows in HEADS
]  # readers of what models are fine-tuned on
WORLD = "results/world/"
WORLD_FILES = list(world_addresses(WORLD_SETTINGS))
WORLD_LANGUAGES = list(WORLD_SETTINGS.languages)
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
    parallel=names("parallel"),
    task=names("tasks", reader=READERS),
    alignment=names("alignments"),
    recipe=names("recipes", method=["logistic-regression", *references.MODEL_METHODS]),
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


include: "common/runs.smk"
include: "common/sources.smk"
include: "common/alignments.smk"
include: "common/adaptation.smk"
include: "common/stitching.smk"
include: "common/tasks.smk"
include: "common/bootstrap.smk"
include: "common/domains.smk"
include: "common/reports.smk"
include: "common/tables.smk"
include: "common/records.smk"
