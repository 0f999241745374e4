"""The reference of keys, from the models that check a configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from site_pages.markdown import code, table
from xstitch.plan.schema.configuration import Configuration

Schema = dict[str, Any]

EVERYWHERE = ("extends", "template")  # legal in every entry, explained once
HEADER = ("key", "values", "default", "meaning")
LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
}
TYPES = {"integer": "whole number", "number": "number", "string": "text", "boolean": "`true` or `false`"}


def keys_of(*models: str) -> str:
    """The keys of models, a table each; of several, each after its name."""
    parts = []
    for name in models:
        title = f"{_sentence(name)}\n\n" if len(models) > 1 else ""
        parts.append(title + _keys_table(_definitions()[name]))
    return "".join(parts)


def all_sections() -> str:
    """The keys of the whole configuration, section by section."""
    properties, shown = _schema()["properties"], set()
    single = {key: value for key, value in properties.items() if not _models_in(value)}
    text = "## Single values\n\n" + _keys_table({**_schema(), "properties": single})
    for key, value in properties.items():
        if key not in single:
            text += _section(key, value, shown)
    return text


def _section(key: str, value: Schema, shown: set[str]) -> str:
    """A section of the configuration: every model that its entries may have, and those inside them."""
    described = value.get("description", "")
    text = f"## `{key}`\n\n{described}\n\n"
    names = _reachable(value)
    kinds = _kinds([value, *(_definitions()[name] for name in names)])
    for name in names:
        if name in shown:
            continue
        shown.add(name)
        legal = f"For {_choice(kinds[name])}.\n\n" if name in kinds else ""
        text += f"({label(name)})=\n\n### {name}\n\n{_sentence(name)}\n\n{legal}"
        text += _keys_table(_definitions()[name])
    return text


def label(model: str) -> str:
    """The name by which other pages link to a model's keys."""
    return "keys-" + re.sub(r"(?<!^)(?=[A-Z])", "-", model).lower()


def _choice(names: list[str]) -> str:
    return ", ".join(code(name) for name in names)


def _sentence(model: str) -> str:
    return _definitions()[model].get("description", "").replace("\n", " ")


def _keys_table(model: Schema) -> str:
    required = model.get("required", ())
    rows = [
        (code(key), _values(value), _default(key, value, required), value.get("description", ""))
        for key, value in model["properties"].items()
        if key not in EVERYWHERE
    ]
    return table(HEADER, rows)


def _default(key: str, value: Schema, required: tuple[str, ...] | list[str]) -> str:
    if key in required:
        return "required"
    written = value.get("default")
    return "" if written is None else code(str(written).lower() if isinstance(written, bool) else written)


def _values(value: Schema) -> str:
    """The values that are legal, in words."""
    if "legal" in value:
        return value["legal"]
    if "$ref" in value:
        return _link(value["$ref"])
    if "const" in value or "enum" in value:
        return " or ".join(code(choice) for choice in value.get("enum", [value.get("const")]))
    for several in ("anyOf", "oneOf", "allOf"):
        if several in value:
            return " or ".join(dict.fromkeys(_values(part) for part in value[several]))
    return _typed(value)


def _typed(value: Schema) -> str:
    kind = value.get("type", "")
    if kind == "null":
        return "`null`"
    if kind == "array":
        items = value.get("items") or {}
        return f"list of {_values(items)}" if items else "list"
    if kind == "object":
        inner = value.get("additionalProperties") or next(
            iter(value.get("patternProperties", {}).values()), {}
        )
        return f"by name: {_values(inner)}" if isinstance(inner, dict) and inner else "mapping"
    limits = [text.format(value[limit]) for limit, text in LIMITS.items() if limit in value]
    return ", ".join([TYPES.get(kind, kind), *limits])


def _link(reference: str) -> str:
    name = reference.rsplit("/", 1)[-1]
    return f"[{name}](#{label(name)})"


def _kinds(values: list[Schema]) -> dict[str, list[str]]:
    """By model, the kinds of entries that have its keys, as `method: stitch`."""
    found: dict[str, list[str]] = {}
    for node in _nodes(values):
        if "discriminator" in node:
            key = node["discriminator"]["propertyName"]
            for kind, reference in node["discriminator"]["mapping"].items():
                found.setdefault(reference.rsplit("/", 1)[-1], []).append(f"{key}: {kind}")
    return found


def _reachable(value: Schema) -> list[str]:
    """The models of a section, each before those inside it."""
    names = _models_in(value)
    for name in names:  # grows while it is read
        names += [inner for inner in _models_in(_definitions()[name]) if inner not in names]
    return names


def _models_in(value: Schema) -> list[str]:
    found = [node["$ref"].rsplit("/", 1)[-1] for node in _nodes(value) if "$ref" in node]
    return list(dict.fromkeys(found))


def _nodes(value: Any) -> Iterator[Schema]:
    """A schema and all schemas inside it."""
    if isinstance(value, dict):
        yield value
        for key, part in value.items():
            if key != "discriminator":
                yield from _nodes(part)
    elif isinstance(value, list):
        for part in value:
            yield from _nodes(part)


@cache
def _schema() -> Schema:
    return Configuration.model_json_schema()


def _definitions() -> dict[str, Schema]:
    return _schema()["$defs"]
