"""What a schema allows, in the words of its users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema

TYPES = {
    "array": "a list",
    "object": "keys with values",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minItems": "at least {} entries",
    "maxItems": "at most {} entries",
    "minProperties": "at least {} of the keys",
    "maxProperties": "at most {} of the keys",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
}


def legal_values(problem: jsonschema.ValidationError) -> str:
    """What could stand in the place of a refused value."""
    value = problem.validator_value
    if problem.validator == "type":
        return _types(value) + _number_hint(problem.instance, value)
    if problem.validator == "enum":
        return ", ".join(map(_plain, value))
    if problem.validator == "anyOf":
        return ", or ".join(map(option, value))
    if problem.validator in BOUNDS:
        return _bounds(problem.validator, problem.schema)
    return str(problem.schema.get("legal", _plain(value)))


def repeated(values: list[Any]) -> Any:
    """The first value that a list has twice."""
    return next(value for number, value in enumerate(values) if value in values[:number])


def _bounds(validator: str, schema: Mapping[str, Any]) -> str:
    """A bound; where lower and upper are the same, just that number."""
    noun = next((noun for noun in ("Items", "Properties", "Length") if validator.endswith(noun)), "none")
    lower, upper = schema.get(f"min{noun}"), schema.get(f"max{noun}")
    if lower is not None and lower == upper:
        return BOUNDS[f"min{noun}"].replace("at least", "exactly").format(lower)
    return BOUNDS[validator].format(schema[validator])


def option(schema: Mapping[str, Any]) -> str:
    """One of several ways to write a value."""
    if "required" in schema:
        return " and ".join(map(repr, schema["required"]))
    if "const" in schema:
        return _plain(schema["const"])
    more = [BOUNDS[key].format(value) for key, value in schema.items() if key in BOUNDS]
    return " of ".join([_types(schema.get("type", "any value")), *more])


def _types(names: str | list[str]) -> str:
    return " or ".join(TYPES.get(name, name) for name in ([names] if isinstance(names, str) else names))


def _plain(value: Any) -> str:
    """A value as YAML has it."""
    words = {True: "true", False: "false", None: "null"}
    return words[value] if value is None or isinstance(value, bool) else str(value)


def _number_hint(written: Any, names: str | list[str]) -> str:
    """How to write a number that YAML took for text."""
    kinds = {names} if isinstance(names, str) else set(names)
    if not isinstance(written, str) or not {"number", "integer"} & kinds:
        return ""
    try:
        float(written) if "number" in kinds else int(written)
    except ValueError:
        return ""
    return "; for a number, write no quotes, and 1.0e-5 rather than 1e-5"
