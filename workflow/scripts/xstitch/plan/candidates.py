"""Which recipes a language's model can be chosen from: those that its files allow, within a budget.

Minutes are estimates (xstitch.plan.costs) of what a candidate's own jobs take on one core, so that the same
configuration gives the same candidates on every machine. What all candidates share, such as training vectors
or an encoder, does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

from xstitch.core.errors import InputError
from xstitch.plan.addresses import lexicon_file, starting_recipe
from xstitch.plan.costs.needs import needs_of
from xstitch.plan.model_inputs import (
    adapting_input,
    finetuning_input,
    head_input,
    standardising_input,
    stitching_input,
)
from xstitch.plan.references import ADAPTING
from xstitch.plan.run import Files, Run, Wildcards
from xstitch.plan.source_inputs import combined_lexicon_input, corpus_input, lexicon_input, vectors_input
from xstitch.plan.space_inputs import mapping_input
from xstitch.plan.unlabelled import unlabelled_source

INPUTS: dict[str, Callable[[Run, Wildcards], Files]] = {
    "fit_head": head_input,
    "finetune_model": finetuning_input,
    "map_embeddings": mapping_input,
    "stitch_model": stitching_input,
    "standardise_head": standardising_input,
    "adapt_model": adapting_input,
}


@dataclass
class Candidates:
    """The recipes to choose from, with their own minutes, and those left out, with the reason."""

    minutes: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """A job behind a candidate's model."""

    rule: str
    wildcards: tuple[tuple[str, str], ...]

    @property
    def names(self) -> SimpleNamespace:
        """The wildcards as attributes."""
        return SimpleNamespace(**dict(self.wildcards))


def possible_candidates(run: Run, task: str, src: str, tgt: str) -> Candidates:
    """Take recipes of the list, the cheapest first, as long as the budget lasts; refuse to choose of one.

    They stay in the order of the list. If no recipe is possible, the reason is that of the first.
    """
    listed, found = run.config["recommend"]["candidates"], Candidates()
    jobs: dict[str, set[Job]] = {}
    for name in listed:
        if reason := missing_for(run, name, task, src, tgt):
            found.left_out[name] = reason
        else:
            jobs[name] = set(jobs_of(run, name, task, src, tgt))
    if not jobs:
        raise InputError(next(iter(found.left_out.values())))
    taken = _affordable(run, jobs, found)
    if len(taken) < 2:
        raise InputError(_too_few(found, len(jobs), run.config["recommend"]["minutes"], tgt))
    found.minutes = {name: taken[name] for name in listed if name in taken}
    return found


def _affordable(run: Run, jobs: Mapping[str, set[Job]], found: Candidates) -> dict[str, float]:
    """Pay for recipes, the cheapest first; a job that two of them need is paid for once."""
    budget = run.config["recommend"]["minutes"]
    paid: set[Job] = set()
    taken: dict[str, float] = {}
    for name in sorted(jobs, key=lambda name: _minutes(run, jobs[name])):
        minutes = _minutes(run, jobs[name] - paid)
        if sum(taken.values()) + minutes > budget:
            found.left_out[name] = f"its {minutes:.1f} minutes are not left of recommend.minutes ({budget:g})"
            continue
        taken[name] = minutes
        paid |= jobs[name]
    return taken


def _too_few(found: Candidates, possible: int, budget: float, tgt: str) -> str:
    """Say why there are not two candidates: the budget, or the language's files."""
    if possible > 1:
        return (
            f"config: recommend.minutes: {budget:g} minutes do not allow two of the {possible} candidates "
            f"for {tgt}; a choice needs two: allow more"
        )
    name, reason = next(iter(found.left_out.items()))
    return f"config: recommend.candidates: a choice for {tgt} needs two, but there is one; {name}: {reason}"


def _minutes(run: Run, jobs: set[Job]) -> float:
    return sum(needs_of(run, job.rule, job.names).core_seconds for job in jobs) / 60


def missing_for(run: Run, recipe: str, task: str, src: str, tgt: str) -> str:
    """Say why a recipe cannot make a language's model, as far as is known before a run; empty if it can."""
    entry = run.recipes[recipe]
    if recipe in run.left_out:
        return f"config: without: leaves out {recipe}"
    if tgt not in entry.get("targets", [tgt]):
        return f"config: recipes.{recipe}.targets does not include {tgt}"
    try:
        for job in jobs_of(run, recipe, task, src, tgt):
            _require(run, job)
    except InputError as problem:
        return str(problem)
    return ""


def jobs_of(run: Run, recipe: str, task: str, src: str, tgt: str) -> Iterator[Job]:
    """The jobs behind a recipe's model of a language: training or fitting, mapping, stitching, adapting."""
    entry, method = run.recipes[recipe], run.recipes[recipe]["method"]

    def job(rule: str, **more: str) -> Job:
        case = {"recipe": recipe, "task": task, "src": src, "tgt": tgt, "seed": str(run.seeds_of(recipe)[0])}
        return Job(rule, tuple(sorted({**case, **more}.items())))

    if "base" in entry:
        yield from jobs_of(run, entry["base"], task, src, tgt)
    if method == "stitch":
        yield job("map_embeddings")
        if "base" not in entry:
            yield job("finetune_model", space=f"{src}-{tgt}")
        yield job("stitch_model")
    elif method in ADAPTING:
        yield job("adapt_model")
    elif method == "standardise":
        yield job("standardise_head")
    else:
        yield job("fit_head" if method == "frozen" else "finetune_model", space=src, tgt=src)


def _require(run: Run, job: Job) -> None:
    """Refuse a job whose files are known to be unavailable: its own, or vectors and lexica behind them."""
    names = job.names
    INPUTS[job.rule](run, names)
    if job.rule == "standardise_head":
        unlabelled_source(run, SimpleNamespace(task=names.task, lang=names.tgt))
    if job.rule != "map_embeddings":
        return
    recipe = run.recipes[starting_recipe(run, names.recipe)]
    _require_lexicon(run, Path(lexicon_file(run, recipe["anchors"], names.src, names.tgt)).parent.name, names)
    _require_vectors(run, run.config["anchors"][recipe["anchors"]]["vectors"], names.tgt)
    if alignment := recipe["mapping"].get("alignment"):
        _require_alignment(run, alignment, names)


def _require_alignment(run: Run, name: str, names: Wildcards) -> None:
    alignment = run.config["alignments"][name]
    for lang in (names.src, names.tgt):
        _require_vectors(run, alignment["vectors"], lang)
    if alignment.get("dictionary") in run.config["lexica"]:
        _require_lexicon(run, alignment["dictionary"], names)


def _require_vectors(run: Run, vectors: str, lang: str) -> None:
    entry = run.config["vectors"][vectors]
    if entry["origin"] == "import":
        vectors_input(run, SimpleNamespace(vectors=vectors, lang=lang))
    elif "corpus" in entry:
        corpus_input(run, SimpleNamespace(corpus=entry["corpus"], lang=lang))


def _require_lexicon(run: Run, lexicon: str, names: Wildcards) -> None:
    """Refuse a lexicon that is missing; of one that is made from others, refuse any part that is."""
    entry, case = (
        run.config["lexica"][lexicon],
        SimpleNamespace(lexicon=lexicon, src=names.src, tgt=names.tgt),
    )
    if entry["kind"] in ("union", "pivot"):
        for file in combined_lexicon_input(run, case):
            part, (src, tgt) = Path(file).parent.name, Path(file).stem.split("-")
            _require_lexicon(run, part, SimpleNamespace(src=src, tgt=tgt))
    elif "lexica" in entry:
        _require_lexicon(run, entry["lexica"][0], names)
    else:
        lexicon_input(run, case)
