"""What the configuration's entries name: whether it is defined, and has what a method needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xstitch.core.errors import InputError, legal_names
from xstitch.plan.anchor_references import check_bootstrap
from xstitch.plan.given import check_given
from xstitch.plan.lexicon_references import check_lexica
from xstitch.sources.fetch.addresses import check_mirror
from xstitch.sources.fetch.download import model_addresses

MINI_WORLD = "results/world"


def check_references(
    config: Mapping[str, Any], recipes: Mapping[str, Mapping[str, Any]], languages: Mapping[str, Any]
) -> None:
    """Refuse whatever names something the configuration does not define, or lacks what its method needs."""
    _require(config["source"], config["languages"], "source", "languages")
    _check_scale(config)
    _check_anchors(config)
    check_lexica(config["lexica"], config["languages"])
    _check_alignments(config)
    check_given(config)
    check_mirror(config["mirror"])
    for section in ("vectors", "encoders"):
        _check_origins(config, section)
    _check_encoders(config["encoders"])
    _check_recipes(config, recipes)
    _check_languages(config, languages)
    check_bootstrap(config, recipes)
    for name in config["without"]:
        _require(name, {**recipes, **config["alignments"]}, "without", "recipes and alignments")


def _check_scale(config: Mapping[str, Any]) -> None:
    """Refuse to stamp the mini world's scores as real ones: only those can match a published number."""
    if config["scale"] != "mini" and config["mirror"].rstrip("/") == MINI_WORLD:
        raise InputError(
            f"config: scale: {config['scale']!r}, but mirror: {MINI_WORLD} is the mini world; "
            "use config/paper.yaml or config/real.yaml, or name another mirror"
        )


def _check_anchors(config: Mapping[str, Any]) -> None:
    """Refuse anchors of vectors or lexica that are not defined."""
    for name, anchors in config["anchors"].items():
        _require(anchors["vectors"], config["vectors"], f"anchors.{name}.vectors", "vectors")
        if "lexicon" in anchors:
            _require(anchors["lexicon"], config["lexica"], f"anchors.{name}.lexicon", "lexica")


def _check_origins(config: Mapping[str, Any], section: str) -> None:
    """Refuse vectors or encoders that come from something that is not defined."""
    sections = {
        "alignment": "alignments",
        "corpus": "corpora",
        "base": "encoders",
        "parallel": "parallel",
    }
    for name, entry in config[section].items():
        for key in sections.keys() & entry.keys():
            _require(entry[key], config[sections[key]], f"{section}.{name}.{key}", sections[key])
        for language in entry.get("languages", []):
            _require(language, config["languages"], f"{section}.{name}.languages", "languages")


def _check_recipes(config: Mapping[str, Any], recipes: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse recipes that name what is not defined, or lack what their method needs."""
    for name, recipe in recipes.items():
        for key, section in [("encoder", "encoders"), ("anchors", "anchors"), ("vectors", "vectors")]:
            if key in recipe:
                _require(recipe[key], config[section], f"recipes.{name}.{key}", section)
        if "base" in recipe:
            _require(recipe["base"], recipes, f"recipes.{name}.base", "recipes")
        for target in recipe.get("targets", []):
            _require(target, config["languages"], f"recipes.{name}.targets", "languages")
        _require_needs(name, recipe)
        _require_start(name, recipes)


def _check_languages(config: Mapping[str, Any], languages: Mapping[str, Any]) -> None:
    """Refuse languages that nothing describes, and a source language among the targets."""
    for name, language in config["languages"].items():
        _require(name, languages, f"languages.{name}", "config/languages.tsv; another needs a name here")
        if "lexicon" in language:
            _require(language["lexicon"], config["lexica"], f"languages.{name}.lexicon", "lexica")
    for name, task in config["tasks"].items():
        for target in task.get("targets", []):
            _require(target, config["languages"], f"tasks.{name}.targets", "languages")
            if target == config["source"]:
                place = f"config: tasks.{name}.targets: {target}"
                raise InputError(f"{place} is the source language; name others, or another source")
        for recipe in task.get("by_recipe", {}):
            _require(recipe, config["recipes"], f"tasks.{name}.by_recipe", "recipes")
    for name, averaged in config["averages"].items():
        for language in averaged:
            _require(language, config["languages"], f"averages.{name}", "languages")


def _check_alignments(config: Mapping[str, Any]) -> None:
    """Refuse alignments of vectors or by dictionaries that are not defined."""
    dictionaries = {**config["lexica"], **config["alignments"]}
    for name, alignment in config["alignments"].items():
        place = f"alignments.{name}"
        _require(alignment["vectors"], config["vectors"], f"{place}.vectors", "vectors")
        if "dictionary" in alignment:
            section = "lexica and alignments"
            _require(alignment["dictionary"], dictionaries, f"{place}.dictionary", section)
        if "validation" in alignment:
            _require(alignment["validation"], config["lexica"], f"{place}.validation", "lexica")


def _check_encoders(encoders: Mapping[str, Any]) -> None:
    """Refuse encoders that go on from each other, and files that a hub's model may not bring."""
    for name, encoder in encoders.items():
        _chain("encoders", name, encoders, lambda entry: "base" in entry)
        if encoder["origin"] == "download":
            try:
                model_addresses(encoder["repo"], encoder["revision"], encoder["files"])
            except InputError as problem:
                raise InputError(f"config: encoders.{name}: {problem}") from problem


def check_datasets(config: Mapping[str, Any], datasets: Mapping[str, Any]) -> None:
    """Refuse data sets that config/datasets.tsv does not list."""
    for section in ("lexica", "vectors"):
        for name, entry in config[section].items():
            if "dataset" in entry:
                _require(entry["dataset"], datasets, f"{section}.{name}.dataset", "config/datasets.tsv")
    for name in config["local"]:
        _require(name, datasets, f"local.{name}", "config/datasets.tsv")


NEEDS = {
    "logistic-regression": ("vectors",),
    "zero-shot": ("encoder", "training"),
    "in-language": ("encoder", "training"),
    "bilingual": ("encoder", "training"),
    "stitch": ("anchors", "mapping"),
    "relative": ("search",),
    "relative-heads": ("search", "encoders", "texts", "hidden", "training"),
    "adversarial": ("base", "training"),
    "distill": ("base", "training"),
    "self-train": ("base", "training"),
}
ADAPTING = ("adversarial", "distill", "self-train")
# Methods whose recipes end in a model of texts or words.
MODEL_METHODS = ["zero-shot", "stitch", "in-language", "bilingual", *ADAPTING]


def _chain(
    section: str, name: str, entries: Mapping[str, Any], goes_on: Callable[[Mapping[str, Any]], bool]
) -> list[str]:
    """Follow `base` for as long as entries go on from another one; refuse a circle."""
    path = [name]
    while goes_on(entries[path[-1]]):
        path.append(entries[path[-1]]["base"])
        if path[-1] in path[:-1]:
            raise InputError(
                f"config: {section}.{name}.base: starts from itself: {' -> '.join(path)}; name another"
            )
    return path


def _require_start(name: str, recipes: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse recipes that start from each other, or from a model they cannot take."""
    path = _chain("recipes", name, recipes, lambda recipe: recipe.get("method") in ADAPTING)
    if recipes[name].get("method") == "stitch" and "base" in recipes[name]:
        path.append(recipes[name]["base"])
    methods = {recipes[step].get("method") for step in path[:-1]}
    start = recipes[path[-1]].get("method")
    legal = ("zero-shot",) if methods - {"adversarial"} else ("zero-shot", "stitch")
    if len(path) > 1 and start not in legal:
        raise InputError(
            f"config: recipes.{name}.base: {path[-1]} is no recipe to start from; legal methods: "
            f"{', '.join(legal)}"
        )


def _require_needs(name: str, recipe: Mapping[str, Any]) -> None:
    """Refuse a recipe that lacks a key of its method; a base brings encoder and training, and alone does."""
    own = () if recipe.get("method") != "stitch" else ("encoder", "training")
    if "base" in recipe:
        for key in own:
            if key in recipe:
                raise InputError(
                    f"config: recipes.{name}.{key}: not beside 'base', which brings its own; remove it"
                )
    needed = NEEDS.get(recipe.get("method"), ()) + (() if "base" in recipe else own)
    for key in needed:
        if key not in recipe:
            raise InputError(
                f"config: recipes.{name}: the key {key!r} is missing for {recipe['method']}; add it"
            )
    if recipe.get("mapping", {}).get("kind") == "relative":
        for key in ("weighting", "k", "tau", "rescale"):
            if key not in recipe["mapping"]:
                raise InputError(
                    f"config: recipes.{name}.mapping: the key {key!r} is missing for relative; add it"
                )


def _require(name: str, known: Mapping[str, Any], place: str, section: str) -> None:
    if name not in known:
        raise InputError(
            f"config: {place}: {name!r} is not defined; legal ({section}): {legal_names(known, name)}"
        )
