"""Checks across entries of the configuration: whether they can start from the entries they name.

Models of the configuration (xstitch.plan.schema) check one entry at a time, and that its names are defined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xstitch.core.errors import InputError, legal_names
from xstitch.plan.given import check_given
from xstitch.results.columns import MEAN
from xstitch.sources.fetch.addresses import check_mirror
from xstitch.sources.fetch.download import model_addresses

MINI_WORLD = "results/world"
ADAPTING = ("adversarial", "distill", "self-train")
OF_HEADS = ("standardise", "refit")  # methods that change the head of a frozen model alone
# Methods whose recipes produce a model of texts or words.
MODEL_METHODS = [
    *("zero-shot", "stitch", "gloss", "in-language", "bilingual", "adapters", "frozen"),
    *OF_HEADS,
    *ADAPTING,
]
FEW_LABELS = ("labelled-head", "contrastive-head")  # methods for a few labelled texts of the target
ON_FROZEN = (*OF_HEADS, *FEW_LABELS)  # methods that need a frozen model
# What the base of some methods may be.
STARTS = {
    "stitch": ("zero-shot", "frozen"),
    "gloss": ("zero-shot", "frozen"),
    **dict.fromkeys(FEW_LABELS, ("stitch",)),
    **dict.fromkeys(OF_HEADS, ("stitch", "gloss", "frozen")),
}
# Methods whose models need no label of the target language and can be exported: of these, one is recommended.
CANDIDATES = ("stitch", *OF_HEADS, "zero-shot", *ADAPTING)
BEST = "best"  # stands for the recipe that is recommended, in addresses
SEARCHES = ("optimise", "alternate")  # kinds of `search` that really search for anchors
Entry = Mapping[str, Any]


def check_references(config: Entry, languages: Entry) -> None:
    """Refuse circular references, entries that cannot start from what they name, and unknown languages."""
    _check_scale(config)
    _check_languages(config, languages)
    check_given(config)
    check_mirror(config["mirror"])
    for name in config["lexica"]:
        _refuse_circles(name, config["lexica"], ())
    for name, encoder in config["encoders"].items():
        _check_encoder(name, encoder, config["encoders"])
    _check_recommended(config["recommend"]["candidates"], config["recipes"])
    _check_losses(config["gradients"], config["encoders"], config["recipes"])
    for name in config["recipes"]:
        _check_start(name, config["recipes"])
        _check_head(name, config["recipes"])
        _check_members(name, config["recipes"])
        _check_search(name, config["recipes"])


def check_datasets(config: Entry, datasets: Entry) -> None:
    """Refuse data sets that config/datasets.tsv does not list."""
    for section in ("corpora", "lexica", "vectors"):
        for name, entry in config[section].items():
            if "dataset" in entry:
                _require(entry["dataset"], datasets, f"{section}.{name}.dataset", "config/datasets.tsv")
    for name in config["local"]:
        _require(name, datasets, f"local.{name}", "config/datasets.tsv")


def _check_scale(config: Entry) -> None:
    """Refuse to label the mini world's scores as real ones: only real ones can match a published number."""
    if config["scale"] != "mini" and config["mirror"].rstrip("/") == MINI_WORLD:
        raise InputError(
            f"config: scale: {config['scale']!r}, but mirror: {MINI_WORLD} is the mini world; "
            "use config/paper.yaml or config/real.yaml, or name another mirror"
        )


def _check_languages(config: Entry, languages: Entry) -> None:
    """Refuse languages that nothing describes, one called mean, and a source language among the targets."""
    if MEAN in config["languages"]:
        raise InputError(f"config: languages.{MEAN}: stands for the mean over languages; choose another code")
    for name in config["languages"]:
        _require(name, languages, f"languages.{name}", "config/languages.tsv; others need a `name`")
    for name, task in config["tasks"].items():
        if config["source"] in task.get("targets", []):
            raise InputError(
                f"config: tasks.{name}.targets: {config['source']} is the source language; "
                "name other targets, or another source"
            )


def _check_recommended(candidates: list[str], recipes: Mapping[str, Entry]) -> None:
    """Refuse candidates without a model of their own, and a recipe with the addresses of the chosen one."""
    for name in candidates:
        if recipes[name]["method"] not in CANDIDATES:
            raise InputError(
                f"config: recommend.candidates: {name} makes no model without labels that can be exported; "
                f"legal methods: {', '.join(CANDIDATES)}"
            )
        if _reads_glosses(name, recipes):
            raise InputError(f"config: recommend.candidates: {name} reads glosses, not texts; leave it out")
    if BEST in recipes:
        raise InputError(f"config: recipes.{BEST}: is the name of what is recommended; choose another")


def _check_losses(named: Entry, encoders: Mapping[str, Entry], recipes: Mapping[str, Entry]) -> None:
    """Refuse entries that lack the loss whose gradient is to be taken from them."""
    for key, loss in (("wordot", "transport"), ("dcca", "dcca")):
        if encoders[named[key]].get("loss") != loss:
            raise InputError(
                f"config: gradients.{key}: {named[key]} has another loss; name an encoder with loss: {loss}"
            )
    if recipes[named["critic"]]["method"] != "adversarial":
        raise InputError(
            f"config: gradients.critic: {named['critic']} has no critic; name a recipe whose method is "
            "adversarial"
        )


def _refuse_circles(name: str, lexica: Mapping[str, Entry], path: tuple[str, ...]) -> None:
    if name in path:
        raise InputError(
            f"config: lexica.{name}: is made from itself: {' -> '.join((*path, name))}; remove one"
        )
    for part in lexica[name].get("lexica", []):
        _refuse_circles(part, lexica, (*path, name))


def _check_encoder(name: str, encoder: Entry, encoders: Mapping[str, Entry]) -> None:
    """Refuse encoders that start from each other, and files that may not be downloaded from the hub."""
    _chain("encoders", name, encoders, lambda entry: "base" in entry)
    if encoder["origin"] == "download":
        try:
            model_addresses(encoder["repo"], encoder["revision"], encoder["files"])
        except InputError as problem:
            raise InputError(f"config: encoders.{name}: {problem}") from problem


def _check_start(name: str, recipes: Mapping[str, Entry]) -> None:
    """Refuse recipes that start from each other, or from a model they cannot use."""
    path = _chain("recipes", name, recipes, lambda recipe: recipe["method"] in ADAPTING)
    method = recipes[name]["method"]
    if method in STARTS and "base" in recipes[name]:
        path.append(recipes[name]["base"])
    methods = {recipes[step]["method"] for step in path[:-1]}
    legal = ("zero-shot",) if methods - {"adversarial"} else ("zero-shot", "stitch")
    legal = STARTS.get(method, legal)
    if len(path) > 1 and recipes[path[-1]]["method"] not in legal:
        raise InputError(
            f"config: recipes.{name}.base: cannot start from recipe {path[-1]}; legal methods: "
            f"{', '.join(legal)}"
        )


def _check_head(name: str, recipes: Mapping[str, Entry]) -> None:
    """Refuse to change a fine-tuned model's head: there is no record of the features it was fitted to."""
    if recipes[name]["method"] not in ON_FROZEN:
        return
    base = recipes[name]["base"]
    if recipes[recipes[base].get("base", base)]["method"] != "frozen":
        raise InputError(
            f"config: recipes.{name}.base: {base} does not start from a frozen encoder; name one that does"
        )


def _reads_glosses(name: str, recipes: Mapping[str, Entry]) -> bool:
    return "gloss" in (recipes[step]["method"] for step in (name, recipes[name].get("base", name)))


def _check_members(name: str, recipes: Mapping[str, Entry]) -> None:
    """Refuse ensembles of anything but models that read the same texts."""
    for member in recipes[name].get("members", []):
        if recipes[member]["method"] not in MODEL_METHODS:
            raise InputError(
                f"config: recipes.{name}.members: {member} makes no model; legal methods: "
                f"{', '.join(MODEL_METHODS)}"
            )
        if _reads_glosses(member, recipes):
            raise InputError(
                f"config: recipes.{name}.members: {member} reads glosses, the others do not; leave it out"
            )


def _check_search(name: str, recipes: Mapping[str, Entry]) -> None:
    """Refuse to take the nearest words of anchors that the named recipe does not search for."""
    search = recipes[name].get("search", {})
    if search.get("kind") != "words":
        return
    other, key = recipes[search["of"]], f"config: recipes.{name}.search"
    searched = other.get("search", {})
    if other["method"] != recipes[name]["method"] or searched.get("kind") not in SEARCHES:
        raise InputError(
            f"{key}.of: recipe {search['of']} does not search for anchors; name one of the same method "
            f"whose search.kind is {' or '.join(SEARCHES)}"
        )
    for size in ("anchors", "seeds"):
        if search[size] != searched[size]:
            raise InputError(
                f"{key}.{size}: {search[size]}, but {search['of']} has {searched[size]}; use the same"
            )
    if recipes[name].get("searched_texts") != other.get("searched_texts"):
        raise InputError(f"config: recipes.{name}.searched_texts: differs from {search['of']}; use the same")


def _chain(
    section: str, name: str, entries: Mapping[str, Entry], has_base: Callable[[Entry], bool]
) -> list[str]:
    """Follow `base` for as long as entries start from another one; refuse a circle."""
    path = [name]
    while has_base(entries[path[-1]]):
        path.append(entries[path[-1]]["base"])
        if path[-1] in path[:-1]:
            raise InputError(
                f"config: {section}.{name}.base: starts from itself: {' -> '.join(path)}; name another"
            )
    return path


def _require(name: str, known: Entry, key: str, list_name: str) -> None:
    if name not in known:
        raise InputError(
            f"config: {key}: {name!r} is not defined; legal ({list_name}): {legal_names(known, name)}"
        )
