"""What the configuration may say of bootstrapped anchors: names that exist, and all that a search needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from xstitch.core.errors import InputError, legal_names

SEARCH_KEYS = {
    "none": (),
    "given": (),
    "seeds": (),
    "optimise": ("steps", "learning_rate", "sinkhorn"),
    "alternate": ("start", "learning", "vocabulary", "restarts"),
}
SEARCHES = ("optimise", "alternate")


def check_bootstrap(config: Mapping[str, Any], recipes: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse spaces, recipes, lexica and parts of corpora that name what there is not, or lack a key."""
    for name, corpus in config["corpora"].items():
        part, parts = corpus.get("part", (1, 1))
        if part > parts:
            raise InputError(f"config: corpora.{name}.part: there is no part {part} of {parts}")
    for name, task in config["tasks"].items():
        _check_task(f"tasks.{name}", task, config, recipes)
    for name, recipe in recipes.items():
        if recipe.get("method") in ("relative", "relative-heads"):
            _check_search(f"recipes.{name}.search", recipe.get("search", {}))
        for language, encoder in recipe.get("encoders", {}).items():
            _require(language, config["languages"], f"recipes.{name}.encoders")
            _require(encoder, config["encoders"], f"recipes.{name}.encoders.{language}")
        if "texts" in recipe:
            _require(recipe["texts"], config["tasks"], f"recipes.{name}.texts")
    for name, lexicon in config["lexica"].items():
        if lexicon["kind"] == "bootstrap":
            _require(lexicon["vectors"], config["vectors"], f"lexica.{name}.vectors")
            # Whole vocabularies are searched: every search must say how much of them it takes.
            _check_search(f"lexica.{name}.search", lexicon["search"], SEARCHES, ("vocabulary",))


def _check_task(
    place: str, task: Mapping[str, Any], config: Mapping[str, Any], recipes: Iterable[str]
) -> None:
    for space in task.get("spaces", []):
        for key, section in (("vectors", "vectors"), ("images", "images"), ("encoder", "encoders")):
            if key in space:
                _require(space[key], config[section], f"{place}.spaces.{space['name']}.{key}")
    for recipe in task.get("recipes", {}).values():
        _require(recipe, recipes, f"{place}.recipes")


def _check_search(
    place: str,
    search: Mapping[str, Any],
    kinds: Iterable[str] = tuple(SEARCH_KEYS),
    more: Iterable[str] = (),
) -> None:
    if search.get("kind") not in kinds:
        raise InputError(f"config: {place}.kind: {search.get('kind')!r} is none of {', '.join(kinds)}")
    for key in ("anchors", "seeds", *SEARCH_KEYS[search["kind"]], *more):
        if key not in search:
            raise InputError(f"config: {place}: the key {key!r} is missing for {search['kind']}")


def _require(name: str, known: Iterable[str], place: str) -> None:
    if name not in known:
        raise InputError(f"config: {place}: {name!r} is not defined; legal: {legal_names(known, name)}")
