"""What the configuration may say of bootstrapped anchors: names that exist, and all that a search needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from xstitch.core.errors import InputError, legal_names

WAY_KEYS = {
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
        if recipe.get("method") in ("relative", "heads"):
            _check_parallel(f"recipes.{name}.parallel", recipe.get("parallel", {}))
        for language, encoder in recipe.get("encoders", {}).items():
            _require(language, config["languages"], f"recipes.{name}.encoders")
            _require(encoder, config["encoders"], f"recipes.{name}.encoders.{language}")
        if "texts" in recipe:
            _require(recipe["texts"], config["tasks"], f"recipes.{name}.texts")
    for name, lexicon in config["lexica"].items():
        if lexicon["reader"] == "bootstrap":
            _require(lexicon["vectors"], config["vectors"], f"lexica.{name}.vectors")
            # A lexicon is searched for among whole vocabularies, of which every way can take a part only.
            _check_parallel(f"lexica.{name}.parallel", lexicon["parallel"], SEARCHES, ("vocabulary",))


def _check_task(
    place: str, task: Mapping[str, Any], config: Mapping[str, Any], recipes: Iterable[str]
) -> None:
    for space in task.get("spaces", []):
        for key, section in (("vectors", "vectors"), ("images", "images"), ("encoder", "encoders")):
            if key in space:
                _require(space[key], config[section], f"{place}.spaces.{space['name']}.{key}")
    for recipe in task.get("recipes", {}).values():
        _require(recipe, recipes, f"{place}.recipes")


def _check_parallel(
    place: str,
    parallel: Mapping[str, Any],
    ways: Iterable[str] = tuple(WAY_KEYS),
    more: Iterable[str] = (),
) -> None:
    if parallel.get("way") not in ways:
        raise InputError(f"config: {place}.way: {parallel.get('way')!r} is none of {', '.join(ways)}")
    for key in ("anchors", "seeds", *WAY_KEYS[parallel["way"]], *more):
        if key not in parallel:
            raise InputError(f"config: {place}: the key {key!r} is missing for {parallel['way']}")


def _require(name: str, known: Iterable[str], place: str) -> None:
    if name not in known:
        raise InputError(f"config: {place}: {name!r} is not defined; legal: {legal_names(known, name)}")
