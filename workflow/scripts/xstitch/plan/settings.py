"""The configuration: checked by its models; the lists that go with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from xstitch.core.errors import InputError
from xstitch.core.tsv import tsv_rows
from xstitch.plan.extends import resolve
from xstitch.plan.schema.configuration import Configuration
from xstitch.plan.schema.problems import explain
from xstitch.plan.schema.sources import LanguageEntry
from xstitch.plan.schema.types import Entry

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with it
# What the list says of a language, an entry of the run's can say otherwise.
LANGUAGE_COLUMNS = [key for key in LanguageEntry.model_fields if key not in (*Entry.model_fields, "lexicon")]


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


def validate(written: Mapping[str, Any]) -> dict[str, Any]:
    """Resolve a configuration; refuse what no model of it allows in one line that says what it would."""
    _require_text_keys(written, ())
    config = resolve(written)
    try:
        Configuration.model_validate(config, context=config)
    except ValidationError as error:
        raise InputError(f"config: {explain(error, config, written)}") from None
    return config


def _require_text_keys(value: Any, place: tuple[str, ...]) -> None:
    """Refuse keys that YAML takes for something else than text."""
    if isinstance(value, Mapping):
        for key, held in value.items():
            if not isinstance(key, str) or not key.isprintable():
                raise InputError(
                    f"config: {'.'.join(place) or 'top level'}: the key {key!r} is no text; "
                    "put it in quotes, as 'no' and numbers need"
                )
            _require_text_keys(held, (*place, key))
    elif isinstance(value, list):
        for number, held in enumerate(value):
            _require_text_keys(held, (*place, str(number)))


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
