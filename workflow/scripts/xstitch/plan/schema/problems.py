"""Say what is wrong with a configuration, in one line and in its users' terms."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from xstitch.core.errors import legal_names
from xstitch.plan.extends import written_at
from xstitch.plan.schema.configuration import Configuration
from xstitch.plan.schema.types import LEGAL_TEXTS, UNDEFINED, Entry, shown

TYPES = {
    "array": "a list",
    "object": "keys with values",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
KEY = "[key]"  # how pydantic ends a location if the key is wrong, not its value
KINDS = ("kind", "origin", "method")  # keys that determine which others are legal
BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most"}
Schema = Mapping[str, Any]


@dataclass
class Node:
    """A value of the configuration, where a problem is, and what the schema says about it."""

    whole: Schema  # of the whole model, with the definitions that others refer to
    schema: Schema
    value: Any
    path: list[Any] = field(default_factory=list)
    kind: str = ""  # the entry's kind, origin or method, if it has one
    keys_of_all_kinds: frozenset[str] = frozenset()


def explain(
    error: ValidationError,
    config: Mapping[str, Any],
    written: Mapping[str, Any],
    model: type[BaseModel] = Configuration,
) -> str:
    """Explain the most specific problem: the deepest one, and a misspelt key rather than a missing one.

    Undefined names come last: they may name an entry that is itself refused. `written` is the configuration
    before entries inherit from others, `model` what it was checked by.
    """
    top = Node(_schema(model), _schema(model), config)
    problem = max(error.errors(include_url=False), key=lambda each: _weight(each, top))
    *parents, last = problem["loc"]
    if problem["type"] == "extra_forbidden":
        return _unknown_key(last, _find(parents, top), written)
    if problem["type"] == "missing":
        node = _find(parents, top)
        purpose = f" for {node.kind}" if node.kind else ""
        return f"{_dotted(node.path, written)}: the key {last!r} is missing{purpose}; add it"
    node = _find(problem["loc"], top)
    if problem["type"] == UNDEFINED:
        return _undefined(problem, node, written)
    if last == KEY:
        name, legal = shown(problem["input"]), LEGAL_TEXTS[problem["ctx"]["pattern"]]
        return f"{_dotted(node.path, written)}: {name} is not a legal name; legal: {legal}"
    return _wrong_value(problem, node, written)


def _undefined(problem: ErrorDetails, node: Node, written: Mapping[str, Any]) -> str:
    """An undefined name: in a list, as a key, or as a value."""
    name, details = problem["input"], problem["ctx"]
    is_part = problem["loc"][-1] == KEY or isinstance(node.path[-1], int)
    path = _dotted(node.path[:-1] if is_part else node.path, written)
    legal = legal_names(details["known"], name)
    return f"{path}: {shown(name)} is not defined; legal ({details['sections']}): {legal}"


def _wrong_value(problem: ErrorDetails, node: Node, written: Mapping[str, Any]) -> str:
    kind, details, path = problem["type"], problem.get("ctx", {}), _dotted(node.path, written)
    if kind == "refused":
        key = [details["key"]] if details["key"] else []
        return f"{_dotted([*node.path, *key], written)}: {details['text']}"
    if kind == "union_tag_not_found":
        return f"{path}: the key {details['discriminator']} is missing; add it"
    if kind == "union_tag_invalid":
        key, legal = node.schema["discriminator"]["propertyName"], _quoted(details["expected_tags"])
        path = _dotted([*node.path, key], written)
        return f"{path}: {shown(node.value[key])} is not allowed; legal: {', '.join(legal)}"
    if kind == "too_short" and not node.value:
        least = details["min_length"]
        return f"{path}: at least {'one is' if least == 1 else f'{least} are'} needed"
    if kind == "string_too_short":
        return f"{path}: is empty; fill it in"
    return f"{path}: {shown(node.value)} is not allowed; legal: {_legal_values(kind, details, node)}"


def _legal_values(kind: str, details: Mapping[str, Any], node: Node) -> str:
    schema = node.schema
    if "legal" in schema:
        return schema["legal"]
    if len(schema.get("anyOf", ())) > 2:
        return ", or ".join(map(_option, schema["anyOf"]))
    for key, words in BOUNDS.items():
        if key in details:
            return f"{words} {_number(details[key])}"
    if kind == "finite_number":
        return "finite numbers"
    if kind == "string_pattern_mismatch":
        return LEGAL_TEXTS[details["pattern"]]
    if kind in ("too_short", "too_long"):
        return _lengths(_not_null(node))
    if kind == "literal_error":
        values = _not_null(node).get("enum", [schema.get("const")])
        return ", ".join(map(str, values))
    return _types(node) + _number_hint(node)


def _unknown_key(key: Any, node: Node, written: Mapping[str, Any]) -> str:
    path, legal = _dotted([*node.path, key], written), _not_null(node)["properties"]
    known = sorted(legal, key=lambda name: (name in Entry.model_fields, name not in KINDS))
    if key in node.keys_of_all_kinds:
        return f"{path}: not for {node.kind}; leave it out; legal: {', '.join(known)}"
    guess = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {guess[0]!r}?" if guess else ""
    return f"{path}: unknown key with value {shown(node.value[key])}; legal keys: {', '.join(known)}{hint}"


def _weight(problem: ErrorDetails, top: Node) -> tuple[bool, int, bool]:
    depth = len(_find(problem["loc"], top).path) + (problem["type"] == "missing")
    return problem["type"] != UNDEFINED, depth, problem["type"] == "extra_forbidden"


def _find(location: Sequence[Any], top: Node) -> Node:
    """Follow a location of pydantic, which has kinds of entries and types as well as keys and positions."""
    node = top
    for part in location:
        if part == KEY:
            break
        if "discriminator" in node.schema:
            node = _of_kind(node, part)
        elif _has_child(node.value, part):
            child = _resolved(_child(_not_null(node), part), node.whole)
            node = Node(node.whole, child, node.value[part], [*node.path, part])
        else:  # one of several types that a value may have
            break
    return node


def _of_kind(node: Node, kind: str) -> Node:
    kinds = {name: _resolved({"$ref": at}, node.whole) for name, at in _kinds(node).items()}
    keys = {key for other in kinds.values() for key in other["properties"]}
    return Node(node.whole, kinds[kind], node.value, node.path, kind, frozenset(keys))


def _kinds(node: Node) -> Mapping[str, str]:
    """Where the kinds of an entry are defined."""
    return node.schema["discriminator"]["mapping"]


def _has_child(value: Any, part: Any) -> bool:
    if isinstance(value, Mapping):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(value)


def _child(schema: Schema, part: Any) -> Schema:
    if isinstance(part, int):
        return schema.get("items", {})
    if part in schema.get("properties", {}):
        return schema["properties"][part]
    by_pattern = schema.get("patternProperties", {}).values()
    return next(iter(by_pattern), schema.get("additionalProperties") or {})


@cache
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


def _resolved(schema: Schema, whole: Schema) -> Schema:
    """Follow references; keywords next to a reference override those it refers to."""
    while "$ref" in schema:
        overrides = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**whole["$defs"][schema["$ref"].rpartition("/")[2]], **overrides}
    return schema


def _not_null(node: Node) -> Schema:
    """The schema of a value that may be null, for when it is not."""
    variants = [variant for variant in node.schema.get("anyOf", ()) if variant.get("type") != "null"]
    return _resolved(variants[0], node.whole) if len(variants) == 1 else node.schema


def _types(node: Node) -> str:
    """The type of a value, in words; entries of several kinds are also keys with values."""
    words = TYPES[_not_null(node).get("type", "object")]
    return f"{words} or null" if "anyOf" in node.schema else words


def _option(schema: Schema) -> str:
    """One of several types that a value may have, in words."""
    if "const" in schema:
        return str(schema["const"])
    least = f" of at least {schema['minimum']}" if "minimum" in schema else ""
    return TYPES[schema["type"]] + least


def _lengths(schema: Schema) -> str:
    least, most = schema.get("minItems"), schema.get("maxItems")
    if least == most:
        return f"exactly {least} entries"
    return f"at most {most} entries" if least is None else f"at least {least} entries"


def _quoted(text: str) -> list[str]:
    return re.findall("'([^']*)'", text)


def _number(bound: float) -> str:
    return str(int(bound)) if float(bound).is_integer() else str(bound)


def _number_hint(node: Node) -> str:
    """How to write a number that YAML read as text."""
    kind = _not_null(node).get("type")
    if not isinstance(node.value, str) or kind not in ("integer", "number"):
        return ""
    try:
        float(node.value) if kind == "number" else int(node.value)
    except ValueError:
        return ""
    return "; for a number, write no quotes, and 1.0e-5 rather than 1e-5"


def _dotted(path: Sequence[Any], written: Mapping[str, Any]) -> str:
    """The path where a value was written: in the entry itself, or in one that it extends."""
    return ".".join(map(str, written_at(written, path))) or "top level"
