"""The configuration: checked against its schema; the lists that go with it."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from xstitch.core.errors import InputError
from xstitch.core.tsv import tsv_rows
from xstitch.plan.extends import resolve, written_at
from xstitch.plan.plain_words import legal_values, option, repeated

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with it
LANGUAGE_COLUMNS = ("name", "family", "script", "tokenizer", "ebible", "panlex", "cc100", "tatoeba", "conll")
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


def validate(written: Mapping[str, Any], schema_file: Path) -> dict[str, Any]:
    """Resolve a configuration; refuse what its schema does not allow in one line that says what it would."""
    _require_json(written, ())
    config = resolve(written)
    schema = yaml.safe_load(schema_file.read_text(encoding="utf-8"))
    problems = Validator(schema).iter_errors(config)
    # The deepest problem is the most specific one: a misspelt key rather than "not a recipe".
    worst = max(problems, key=lambda problem: len(problem.absolute_path), default=None)
    if worst is not None:
        raise InputError(f"config: {_explain(worst, written)}")
    return config


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


def _explain(problem: jsonschema.ValidationError, written: Mapping[str, Any]) -> str:
    if problem.validator == "additionalProperties":
        return _explain_unknown_key(problem, written)
    forbidden = problem.validator_value.get("required", []) if problem.validator == "not" else []
    place = ".".join(map(str, written_at(written, [*problem.absolute_path, *forbidden])))
    if problem.validator == "required":
        missing = next(key for key in problem.validator_value if key not in problem.instance)
        return f"{place or 'top level'}: the key {missing!r} is missing; add it"
    if problem.validator == "not":  # a key that the schema forbids beside others
        return f"{place}: means nothing beside the other keys there; leave it out"
    if problem.validator == "minItems" and not problem.instance:
        least = problem.validator_value
        return f"{place}: at least {'one is' if least == 1 else f'{least} are'} needed"
    if problem.validator == "minLength" and not problem.instance:
        return f"{place}: is empty; fill it in"
    if problem.validator == "oneOf":
        return f"{place}: needs {', or '.join(map(option, problem.validator_value))}, and one of them only"
    if problem.validator == "uniqueItems":
        return f"{place}: {_written(repeated(problem.instance))} stands there twice; name it once"
    return f"{place}: {_written(problem.instance)} is not allowed; legal: {legal_values(problem)}"


def _written(value: Any) -> str:
    """What was written, as far as a line has room for it."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."


def _explain_unknown_key(problem: jsonschema.ValidationError, written: Mapping[str, Any]) -> str:
    known = list(problem.schema.get("properties", {}))
    patterns = list(problem.schema.get("patternProperties", {}))
    key = next(
        key for key in problem.instance if key not in known and not any(re.search(p, key) for p in patterns)
    )
    key_path = ".".join(map(str, written_at(written, [*problem.absolute_path, key])))
    if not known:
        return f"{key_path}: {key!r} is not a legal name; legal: {problem.schema['legal']}"
    guess = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {guess[0]!r}?" if guess else ""
    value = _written(problem.instance[key])
    return f"{key_path}: unknown key with value {value}; legal keys: {', '.join(known)}{hint}"


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
