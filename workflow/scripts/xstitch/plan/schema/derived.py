"""Models of settings that are dataclasses in the library: their keys are defined once, next to the method."""

from __future__ import annotations

import ast
import inspect
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, get_type_hints

from pydantic import create_model

from xstitch.plan.schema.types import Model

NOT_CONFIGURED = ("seed",)  # set by the run


@cache
def keys_of(
    settings: type,
    *,
    leave_out: tuple[str, ...] = NOT_CONFIGURED,
    needed: tuple[str, ...] = (),
    name: str = "",
) -> type[Model]:
    """Make a model from a dataclass's fields; those without a default, and `needed` ones, are required."""
    hints = get_type_hints(settings, include_extras=True)
    keys = {
        field.name: (_checked(hints[field.name], settings, field.name), _default(field, needed))
        for field in fields(settings)
        if field.name not in leave_out
    }
    return create_model(name or settings.__name__, __base__=Model, **keys)


def some_keys_of(settings: type, name: str) -> type[Model]:
    """Make a model from a dataclass's fields, none of them required: other entries provide the rest."""
    whole = keys_of(settings).model_fields
    keys = {key: (Annotated[field.annotation, *field.metadata], None) for key, field in whole.items()}
    return create_model(name, __base__=Model, **keys)


def _checked(hint: Any, settings: type, key: str) -> Any:
    return Annotated[keys_of(hint) if is_dataclass(hint) else hint, _Description(settings, key)]


def _default(field: Field[Any], needed: tuple[str, ...]) -> Any:
    if field.name in needed or (field.default is MISSING and field.default_factory is MISSING):
        return ...
    return None if field.default is MISSING else field.default


@dataclass(frozen=True)
class _Description:
    """The docstring below a field, read only when a JSON schema is made."""

    settings: type
    key: str

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        for owner in self.settings.__mro__:
            if self.key in _docstrings(owner):
                return {**handler(schema), "description": _docstrings(owner)[self.key]}
        return handler(schema)


@cache
def _docstrings(owner: type) -> dict[str, str]:
    """The docstrings of a class's fields, by field."""
    if not is_dataclass(owner):
        return {}
    body = ast.parse(inspect.getsource(owner)).body[0].body
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }
