"""A run, as all planning functions see it: the checked configuration and the project's own tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import yaml

from xstitch.plan.given import given_addresses
from xstitch.plan.references import MINI_WORLD, check_datasets, check_references
from xstitch.plan.settings import LOADER, describe_languages, load_languages, validate
from xstitch.sources.fetch.datasets import Dataset, load_datasets
from xstitch.sources.world.addresses import world_addresses
from xstitch.sources.world.settings import WorldSettings

Entry = Mapping[str, Any]  # a section of the configuration, or one of its entries
Section = Mapping[str, Entry]
Files = dict[str, Any]  # the named inputs of a rule: paths, or lists of paths
WORLD = f"{MINI_WORLD}/"
REHEARSAL = "rehearsal"  # the scale that scores of generated data record, so that none matches a paper's
# Sections of the configuration, by the wildcard that names one of their entries.
SECTIONS = {
    "corpus": "corpora",
    "lexicon": "lexica",
    "vectors": "vectors",
    "alignment": "alignments",
    "anchors": "anchors",
    "parallel": "parallel",
    "encoder": "encoders",
    "adapters": "adapters",
    "images": "images",
    "task": "tasks",
}
LANGUAGE_WILDCARDS = ("lang", "src", "tgt")


class Wildcards(Protocol):
    """The wildcards of a job: any object that has them as attributes."""

    def __getattr__(self, name: str) -> str:
        """The value of one wildcard."""


@dataclass(frozen=True)
class Run:
    """What a run is asked to do, after all checks; nothing in it changes while the run is planned."""

    config: Entry  # `extends` is resolved
    recipes: Section
    languages: Section  # of config/languages.tsv, or described by `config`
    listed: Section  # of config/languages.tsv only
    datasets: Mapping[str, Dataset]
    papers: Section
    world: WorldSettings  # at other scales the default: a run may name its languages by mistake
    given: Mapping[str, str]  # addresses that `config` names for files, by the paths of their downloads

    @property
    def source(self) -> str:
        """The language that has a model and labels."""
        return self.config["source"]

    @property
    def seeds(self) -> list[int]:
        """The seeds of fine-tuning, of recipes that name none."""
        return self.config["seeds"]

    @property
    def chains(self) -> int:
        """The number of chains: draws of all that comes before fine-tuning."""
        return self.config["chains"]

    def seeds_of(self, recipe: str) -> list[int]:
        """The seeds that a recipe is run with: its own, or those of the whole run."""
        return self.recipes.get(recipe, {}).get("seeds", self.seeds)

    @property
    def tasks(self) -> Section:
        """All tasks by name."""
        return self.config["tasks"]

    @property
    def encoders(self) -> Section:
        """All encoders by name."""
        return self.config["encoders"]

    @property
    def left_out(self) -> list[str]:
        """The recipes and alignments that this run leaves out."""
        return self.config["without"]

    @cached_property
    def world_files(self) -> tuple[str, ...]:
        """Every file that the mini world generates, as `<host>/<path>`."""
        return tuple(world_addresses(self.world))

    def section(self, name: str) -> Section:
        """A section of the configuration."""
        return self.recipes if name == "recipes" else self.config[name]

    def entry(self, wildcard: str, wildcards: Wildcards) -> Entry:
        """The entry of the configuration that a wildcard names, or what is known about a language."""
        name = getattr(wildcards, wildcard)
        if wildcard in LANGUAGE_WILDCARDS:
            return self.languages[name]
        return self.recipes[name] if wildcard == "recipe" else self.config[SECTIONS[wildcard]][name]


def load_run(written: Entry, root: Path) -> Run:
    """Check a configuration as written and combine it with the tables of the project in `root`."""
    config = validate(written)
    listed = load_languages(root / "config/languages.tsv")
    languages = describe_languages(listed, config["languages"])
    datasets = load_datasets(root / "config/datasets.tsv")
    check_references(config, languages)
    check_datasets(config, datasets)
    return Run(
        config={**config, "scale": REHEARSAL} if config.get(REHEARSAL) else config,
        recipes=config["recipes"],
        languages=languages,
        listed=listed,
        datasets=datasets,
        papers=load_papers(root / "config/papers"),
        world=WorldSettings.from_config(config.get("world", {})),
        given=given_addresses(config),
    )


def load_papers(folder: Path) -> dict[str, Entry]:
    """Read the definitions of the papers' tables and figures, by paper."""
    return {
        file.stem: yaml.load(file.read_text(encoding="utf-8"), LOADER)
        for file in sorted(folder.glob("*.yaml"))
    }
