"""What is wrong with a configuration, in one line and in the words of its users."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import ValidationError
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
KEY = "[key]"  # pydantic's last part of a location where a key is wrong, not its value
KINDS = ("kind", "origin", "method")  # keys on which others depend
BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most"}
Schema = Mapping[str, Any]


@dataclass
class Place:
    """Where a problem is, and what the schema says of it."""

    schema: Schema
    value: Any
    path: list[Any] = field(default_factory=list)
    kind: str = ""  # of the entry that is here, where its keys depend on one of them
    keys_of_others: frozenset[str] = frozenset()  # that entries of other kinds may have


def explain(error: ValidationError, config: Mapping[str, Any], written: Mapping[str, Any]) -> str:
    """Explain the most specific problem: the deepest, and a misspelt key rather than that it is missing.

    Names that are not defined come last: an entry that is refused may be what they name.
    """
    problem = max(error.errors(include_url=False), key=lambda each: _weight(each, config))
    *parents, last = problem["loc"]
    if problem["type"] == "extra_forbidden":
        return _unknown_key(last, _find(parents, config), written)
    if problem["type"] == "missing":
        place = _find(parents, config)
        purpose = f" for {place.kind}" if place.kind else ""
        return f"{_at(place.path, written)}: the key {last!r} is missing{purpose}; add it"
    place = _find(problem["loc"], config)
    if problem["type"] == UNDEFINED:
        return _undefined(problem, place, written)
    if last == KEY:
        legal = LEGAL_TEXTS[problem["ctx"]["pattern"]]
        return f"{_at(place.path, written)}: {shown(problem['input'])} is not a legal name; legal: {legal}"
    return _wrong_value(problem, place, written)


def _undefined(problem: ErrorDetails, place: Place, written: Mapping[str, Any]) -> str:
    """A name that there is not: in a list, as a key, or as a value."""
    name, details = problem["input"], problem["ctx"]
    is_part = problem["loc"][-1] == KEY or isinstance(place.path[-1], int)
    at = _at(place.path[:-1] if is_part else place.path, written)
    legal = legal_names(details["known"], name)
    return f"{at}: {shown(name)} is not defined; legal ({details['sections']}): {legal}"


def _wrong_value(problem: ErrorDetails, place: Place, written: Mapping[str, Any]) -> str:
    kind, details, at = problem["type"], problem.get("ctx", {}), _at(place.path, written)
    if kind == "refused":
        key = [details["key"]] if details["key"] else []
        return f"{_at([*place.path, *key], written)}: {details['text']}"
    if kind == "union_tag_not_found":
        return f"{at}: the key {details['discriminator']} is missing; add it"
    if kind == "union_tag_invalid":
        key, legal = place.schema["discriminator"]["propertyName"], _quoted(details["expected_tags"])
        at = _at([*place.path, key], written)
        return f"{at}: {shown(place.value[key])} is not allowed; legal: {', '.join(legal)}"
    if kind == "too_short" and not place.value:
        least = details["min_length"]
        return f"{at}: at least {'one is' if least == 1 else f'{least} are'} needed"
    if kind == "string_too_short":
        return f"{at}: is empty; fill it in"
    return f"{at}: {shown(place.value)} is not allowed; legal: {_legal_values(kind, details, place)}"


def _legal_values(kind: str, details: Mapping[str, Any], place: Place) -> str:
    schema = place.schema
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
        return _lengths(_not_null(schema))
    if kind == "literal_error":
        values = _not_null(schema).get("enum", [schema.get("const")])
        return ", ".join(map(str, values))
    return _types(schema) + _number_hint(place)


def _unknown_key(key: Any, place: Place, written: Mapping[str, Any]) -> str:
    at, legal = _at([*place.path, key], written), _not_null(place.schema)["properties"]
    known = sorted(legal, key=lambda name: (name in Entry.model_fields, name not in KINDS))
    if key in place.keys_of_others:
        return f"{at}: not for {place.kind}; leave it out; legal: {', '.join(known)}"
    guess = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {guess[0]!r}?" if guess else ""
    return f"{at}: unknown key with value {shown(place.value[key])}; legal keys: {', '.join(known)}{hint}"


def _weight(problem: ErrorDetails, config: Mapping[str, Any]) -> tuple[bool, int, bool]:
    depth = len(_find(problem["loc"], config).path) + (problem["type"] == "missing")
    return problem["type"] != UNDEFINED, depth, problem["type"] == "extra_forbidden"


def _find(location: Sequence[Any], config: Mapping[str, Any]) -> Place:
    """Follow a location of pydantic, which names kinds of entries and types beside keys and places."""
    place = Place(_resolved(_schema()), config)
    for part in location:
        if part == KEY:
            break
        if "discriminator" in place.schema:
            place = _of_kind(place, part)
        elif _leads_on(place.value, part):
            child = _child(_not_null(place.schema), part)
            place = Place(_resolved(child), place.value[part], [*place.path, part])
        else:  # one of several types that a value may have
            break
    return place


def _of_kind(place: Place, kind: str) -> Place:
    kinds = place.schema["discriminator"]["mapping"]
    keys = {key for other in kinds.values() for key in _resolved({"$ref": other})["properties"]}
    return Place(_resolved({"$ref": kinds[kind]}), place.value, place.path, kind, frozenset(keys))


def _leads_on(value: Any, part: Any) -> bool:
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
def _schema() -> dict[str, Any]:
    return Configuration.model_json_schema()


def _resolved(schema: Schema) -> Schema:
    """Follow references; what stands beside one counts."""
    while "$ref" in schema:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**_schema()["$defs"][schema["$ref"].rpartition("/")[2]], **beside}
    return schema


def _not_null(schema: Schema) -> Schema:
    """What a value that may be null is else."""
    variants = [variant for variant in schema.get("anyOf", ()) if variant.get("type") != "null"]
    return _resolved(variants[0]) if len(variants) == 1 else schema


def _types(schema: Schema) -> str:
    """The type of a value; entries of several kinds are keys with values, too."""
    words = TYPES[_not_null(schema).get("type", "object")]
    return f"{words} or null" if "anyOf" in schema else words


def _option(schema: Schema) -> str:
    """One of several types of a value."""
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


def _number_hint(place: Place) -> str:
    """How to write a number that YAML took for text."""
    kind = _not_null(place.schema).get("type")
    if not isinstance(place.value, str) or kind not in ("integer", "number"):
        return ""
    try:
        float(place.value) if kind == "number" else int(place.value)
    except ValueError:
        return ""
    return "; for a number, write no quotes, and 1.0e-5 rather than 1e-5"


def _at(path: Sequence[Any], written: Mapping[str, Any]) -> str:
    """Where a value was written: in the entry, or in one that it extends."""
    return ".".join(map(str, written_at(written, path))) or "top level"
