"""The configuration: checked against its schema, recipes resolved, references followed."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from xstitch.addresses import check_mirror
from xstitch.bootstrap_settings import check_bootstrap
from xstitch.download import model_addresses
from xstitch.errors import InputError, legal_names
from xstitch.given import check_given
from xstitch.lexicon_settings import check_lexica
from xstitch.tasks.lines import tsv_rows

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with it
LANGUAGE_COLUMNS = ("name", "family", "script", "tokenizer", "ebible", "panlex", "cc100", "tatoeba", "conll")
MINI_WORLD = "results/world"
LONGEST_VALUE = 60  # of what was written, in a message
# JSON's integers include 1.0, which would stand in addresses as it is written.
Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def refuse_repeated_keys(file: str | Path) -> None:
    """Refuse a YAML file with a key twice in one place: of two sections the first would silently be lost."""
    for first, second in _repeated_keys(yaml.compose(Path(file).read_text(encoding="utf-8"), LOADER)):
        place, line = f"{file}:{second.start_mark.line + 1}", first.start_mark.line + 1
        raise InputError(f"{place}: the key {second.value!r} stands on line {line} already; join the two")


def _repeated_keys(node: yaml.Node | None) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        first: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if first.setdefault(str(key.value), key) is not key:
                yield first[str(key.value)], key
            yield from _repeated_keys(value)
    elif isinstance(node, yaml.SequenceNode):
        for child in node.value:
            yield from _repeated_keys(child)


def typed(value: Any) -> Any:
    """Give numbers, true, false and null within lists and mappings of `--config` their type.

    Snakemake leaves them as text there. YAML's other spellings stay text: `no` is a language.
    """
    if isinstance(value, Mapping):
        return {key: typed(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [typed(entry) for entry in value]
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


def validate(config: Mapping[str, Any], schema_file: Path) -> None:
    """Refuse a configuration that its schema does not allow, in one line that says what would be."""
    _require_json(config, ())
    schema = yaml.safe_load(schema_file.read_text(encoding="utf-8"))
    problems = Validator(schema).iter_errors(config)
    # The deepest problem is the most specific one: a misspelt key rather than "not a recipe".
    worst = max(problems, key=lambda problem: len(problem.absolute_path), default=None)
    if worst is not None:
        raise InputError(f"config: {_explain(worst)}")


def _require_json(value: Any, place: tuple[str, ...]) -> None:
    """Refuse what YAML can say and no schema can: keys that are no text, numbers that are none."""
    if isinstance(value, Mapping):
        for key, held in value.items():
            if not isinstance(key, str) or not key.isprintable():
                raise InputError(
                    f"config: {'.'.join(place) or 'top level'}: the key {key!r} is no text; "
                    "put it in quotes, as 'no' and numbers need"
                )
            _require_json(held, (*place, key))
    elif isinstance(value, list):
        for number, held in enumerate(value):
            _require_json(held, (*place, str(number)))
    elif isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"config: {'.'.join(place)}: {value} is not allowed; legal: finite numbers")


def _explain(problem: jsonschema.ValidationError) -> str:
    place = ".".join(str(part) for part in problem.absolute_path)
    if problem.validator == "additionalProperties":
        return _explain_unknown_key(problem, place)
    if problem.validator == "required":
        missing = next(key for key in problem.validator_value if key not in problem.instance)
        return f"{place or 'top level'}: the key {missing!r} is missing; add it"
    if problem.validator == "not":  # a key that the schema forbids beside others
        return f"{place}: means nothing beside the other keys there; leave it out"
    return f"{place}: {_written(problem.instance)} is not allowed; legal: {_legal_values(problem)}"


def _written(value: Any) -> str:
    """What was written, as far as a line has room for it."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."


def _explain_unknown_key(problem: jsonschema.ValidationError, place: str) -> str:
    known = list(problem.schema.get("properties", {}))
    patterns = list(problem.schema.get("patternProperties", {}))
    key = next(
        key for key in problem.instance if key not in known and not any(re.search(p, key) for p in patterns)
    )
    key_path = f"{place}.{key}" if place else key
    if not known:
        return f"{key_path}: {key!r} is not a legal name; legal: {' or '.join(patterns)}"
    guess = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {guess[0]!r}?" if guess else ""
    value = _written(problem.instance[key])
    return f"{key_path}: unknown key with value {value}; legal keys: {', '.join(known)}{hint}"


def _legal_values(problem: jsonschema.ValidationError) -> str:
    value = problem.validator_value
    if problem.validator in ("enum", "anyOf", "oneOf"):
        options = value if problem.validator == "enum" else [part.get("type", part) for part in value]
        return ", ".join(str(option) for option in options)
    if problem.validator == "type":
        kinds = value if isinstance(value, list) else [value]
        return " or ".join(kinds) + _number_hint(problem.instance, kinds)
    return f"{problem.validator} {value}"


def _number_hint(written: Any, kinds: list[str]) -> str:
    """How to write a number that YAML took for text."""
    if not isinstance(written, str) or not {"number", "integer"} & set(kinds):
        return ""
    try:
        float(written) if "number" in kinds else int(written)
    except ValueError:
        return ""
    return "; for a number, write no quotes, and 1.0e-5 rather than 1e-5"


def resolve_recipes(recipes: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Fill every recipe with the keys it inherits by `extends`; its own keys win, at every depth."""
    return {name: _resolve(name, recipes, ()) for name in recipes}


def _resolve(name: str, recipes: Mapping[str, Mapping[str, Any]], path: tuple[str, ...]) -> dict[str, Any]:
    if name in path:
        raise InputError(
            f"config: recipes.{path[0]}: extends itself: {' -> '.join((*path, name))}; remove one"
        )
    if name not in recipes:
        raise InputError(
            f"config: recipes.{path[-1]}.extends: no recipe {name!r}; legal: {legal_names(recipes, name)}"
        )
    own = {key: value for key, value in recipes[name].items() if key != "extends"}
    parent = recipes[name].get("extends")
    return merge(_resolve(parent, recipes, (*path, name)), own) if parent else own


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge nested mappings; where both hold a plain value, `over` wins."""
    merged = dict(base)
    for key, value in over.items():
        nested = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if nested else value
    return merged


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
    "relative": ("parallel",),
    "heads": ("parallel", "encoders", "texts", "hidden", "training"),
    "align": ("base", "training"),
    "distil": ("base", "training"),
    "self-train": ("base", "training"),
}
ADAPTING = ("align", "distil", "self-train")
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
    legal = ("zero-shot",) if methods - {"align"} else ("zero-shot", "stitch")
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


def describe_languages(
    listed: Mapping[str, Mapping[str, str]], own: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Complete config/languages.tsv by what the configuration says of languages.

    A language that is not listed has at least a name; its words are told apart by spaces unless it says how.
    """
    columns = dict.fromkeys(next(iter(listed.values())), "")
    described = {code: dict(row) for code, row in listed.items()}
    for code, entry in own.items():
        if code in listed or "name" in entry:
            known = described.get(code, {**columns, "language": code, "tokenizer": "unicode"})
            described[code] = {**known, **{key: entry[key] for key in columns if key in entry}}
    return described


def load_languages(path: Path) -> dict[str, dict[str, str]]:
    """Read config/languages.tsv, with all of its columns."""
    languages = load_tsv(path, "language")
    if not languages:
        raise InputError(f"{path}: lists no language; restore the file")
    for column in LANGUAGE_COLUMNS:
        if column not in next(iter(languages.values())):
            raise InputError(f"{path}:1: the header has no column {column!r}; restore the line")
    return languages


def load_tsv(path: Path, key: str) -> dict[str, dict[str, str]]:
    """Read a small TSV of the configuration into rows by their key column."""
    (_, header), *lines = tsv_rows(path) or [(1, [])]
    if key not in header:
        raise InputError(f"{path}:1: the header has no column {key!r}; restore the line")
    rows: dict[str, dict[str, str]] = {}
    for number, fields in lines:
        place, row = f"{path}:{number}", dict(zip(header, fields, strict=False))
        if len(fields) != len(header):
            raise InputError(f"{place}: not as many columns as the header has; separate them by tabs")
        if not row[key]:
            raise InputError(f"{place}: no {key}; fill it in, or delete the line")
        if row[key] in rows:
            raise InputError(f"{place}: {key} {row[key][:60]!r} stands here twice; delete one of the lines")
        rows[row[key]] = row
    return rows
