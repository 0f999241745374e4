"""Helpers for rules: the checked run, how rules ask its planner, code digests. No rules here.

What a run needs is planned by the functions of xstitch.plan, which take the run and a job's wildcards.
"""

import os
import re
import sys
from functools import cache, partial
from pathlib import Path

from snakemake.logging import logger as LOGGER

ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
SCRIPTS = ROOT / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from xstitch.core.errors import InputError
from xstitch.core.portable import pin_kernels
from xstitch.plan import (
    cases,
    chains,
    claims,
    curves,
    downloads,
    encoder_inputs,
    exports,
    figures,
    gradients,
    landing,
    model_inputs,
    overlays,
    pages,
    papers,
)
from xstitch.plan import recommendations, reports, segmentation, shift_tables, source_inputs, space_inputs
from xstitch.plan import tables, tasks, unlabelled
from xstitch.plan import wildcards as patterns
from xstitch.plan.claim_checks import check_claims
from xstitch.plan.costs.estimate import PlannedJob, estimate, one_line
from xstitch.plan.costs.needs import usual_gpu
from xstitch.plan.costs.requests import gpus_of, limited, requests
from xstitch.plan.costs.stages import rule_stages
from xstitch.plan.digest import Summaries, library_digest, module_digests
from xstitch.plan.given import DOWNLOADS
from xstitch.plan.library_changes import changed_behind, explain_rerun, note_modules
from xstitch.plan.machine import has_gpu
from xstitch.plan.provenance import chain_checksums, environment
from xstitch.plan.provenance import update as update_provenance
from xstitch.plan.references import ADAPTING, MODEL_METHODS
from xstitch.plan.run import load_run
from xstitch.plan.scheduling import one_at_a_time
from xstitch.plan.training_size import few_updates
from xstitch.plan.single_run import claim_folder, only_looks, require_writable
from xstitch.plan.terminal.display import RunDisplay
from xstitch.plan.terminal.state import Planned, RunState, last_seconds
from xstitch.plan.terminal.targets import explain
from xstitch.plan.warm_jobs import is_possible, start_warm
from xstitch.results.landing import render_landing
from xstitch.sources.fetch.forecast import announce
from xstitch.sources.tasks.readers import READERS


def checked(function, *arguments):
    """Call a function of the library; if it refuses, the run ends with one line.

    Snakemake would wrap an exception in ten.
    """
    try:
        return function(*arguments)
    except InputError as problem:
        sys.exit(f"error: {problem}")


RUN = checked(
    load_run,
    checked(
        overlays.lay,
        "config/config.yaml",
        workflow.overwrite_configfiles,
        workflow.config_settings.config,
        ROOT / "config",
    ),
    ROOT,
)
checked(check_claims, RUN)
# Replaces what Snakemake merged, which lacks the scale's file and what entries inherit.
config.clear()
config.update(RUN.config)
names = partial(patterns.names, RUN)

if config["portable"]:
    pin_kernels(os.environ)  # jobs inherit it; jobs on a cluster read this file again


def planned(function, *keys):
    """Ask the planner what a job needs, or for one key of it, once the job's wildcards are known.

    It names files of the first chain; a job gets those of its own.
    """
    return lambda wildcards: chains.in_chain(
        RUN, within(checked(function, RUN, wildcards), keys), chains.job_chain(wildcards)
    )


def entry(wildcard, *keys):
    """Look up the configuration entry that a wildcard names, or one key of it."""
    return lambda wildcards: within(RUN.entry(wildcard, wildcards), keys)


def within(value, keys):
    """Follow keys into nested mappings."""
    for key in keys:
        value = value[key]
    return value


def imported_encoder(wildcards):
    """Return the files of the user's encoder; the age of files from an installed package is ignored."""
    files = checked(encoder_inputs.imported_files, RUN, wildcards)
    return ancient(files) if RUN.encoders[wildcards.encoder]["origin"] == "package" else files


def library(script, *imported):
    """Digest, for the jobs of a plan alone, the library code behind a script: Snakemake does not see its edits.

    `imported` are functions of the planner, each of which names a module that a job imports while it runs.
    """
    return lambda wildcards: code_behind(script, *(name(RUN, wildcards) for name in imported))


@cache
def code_behind(script, *modules):
    """Digest the code behind a script once, for all of its jobs, and note which modules the digest stands for."""
    digest = library_digest(SCRIPTS / script, *modules, summaries=SUMMARIES)
    MODULES[digest] = module_digests(SCRIPTS / script, *modules, summaries=SUMMARIES)
    if MAIN_PROCESS:
        note_modules(digest, MODULES[digest])
    return digest


MODULES = {}  # the modules behind the digests of this run, with their own digests
SUMMARIES = Summaries(Path(".snakemake/summaries.json"))
LANGUAGE = names("languages")


wildcard_constraints:
    chain=chains.PATTERN,
    lang=LANGUAGE,
    src=LANGUAGE,
    tgt=LANGUAGE,
    space=f"({LANGUAGE})(-({LANGUAGE}))?",
    corpus=names("corpora"),
    lexicon=names("lexica"),
    vectors=names("vectors"),
    anchors=names("anchors"),
    encoder=names("encoders"),
    adapters=names("adapters"),
    parallel=names("parallel"),
    task=names("tasks", kind=READERS),
    alignment=names("alignments"),
    recipe=names("recipes", method=["logistic-regression", *MODEL_METHODS]),
    dataset="|".join(RUN.datasets),
    version=r"[\w.-]+",
    paper="|".join(RUN.papers),
    comparison="|".join(papers.comparison_names(RUN)),
    curve="|".join(curves.curve_names(RUN)) or "none",
    table=patterns.scores_pattern(RUN),
    seed=r"\d+",
    number=r"\d+",
    part=r"\d+",


include: "common/runs.smk"
include: "common/records.smk"
include: "common/report.smk"
include: "common/terminal.smk"
