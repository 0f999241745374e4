"""Entries of the configuration that inherit the keys they do not set: `extends`, in every section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from xstitch.core.errors import InputError, legal_names

# Sections with named entries, which others can extend.
SECTIONS = (
    "languages",
    "corpora",
    "lexica",
    "vectors",
    "alignments",
    "anchors",
    "parallel",
    "encoders",
    "adapters",
    "images",
    "tasks",
    "recipes",
)
EXTENDS, TEMPLATE = "extends", "template"
Entries = Mapping[str, Any]


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge nested mappings; where both have a plain value, `over` wins."""
    merged = dict(base)
    for key, value in over.items():
        nested = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if nested else value
    return merged


def resolve(config: Mapping[str, Any]) -> dict[str, Any]:
    """Fill every entry of every section with what it inherits, and drop the templates.

    Overlays are merged before this, so a change to an entry reaches those that extend it. Nothing in the
    result is shared: changing one entry changes no other.
    """
    sections = {
        name: resolve_section(name, config[name])
        for name in SECTIONS
        if isinstance(config.get(name), Mapping)
    }
    return {key: sections.get(key, deepcopy(value)) for key, value in config.items()}


def resolve_section(section: str, entries: Entries) -> dict[str, Any]:
    """Fill the entries of one section; their own keys win, at every depth."""
    return {
        name: _inherited(section, name, entries, ())
        for name, entry in entries.items()
        if not (isinstance(entry, Mapping) and entry.get(TEMPLATE) is True)
    }


def parents(section: str, name: str, entries: Entries) -> list[str]:
    """What an entry extends: nothing, one entry, or several, where later ones win."""
    entry = entries[name]
    named = entry.get(EXTENDS, []) if isinstance(entry, Mapping) else []
    listed = [named] if isinstance(named, str) else named
    key_path = f"config: {section}.{name}.extends"
    if not isinstance(listed, list) or not all(isinstance(parent, str) for parent in listed):
        raise InputError(f"{key_path}: {named!r} is not allowed; legal: a name, or a list of names")
    for parent in listed:
        if parent not in entries:
            legal = legal_names(entries, parent)
            raise InputError(f"{key_path}: {parent!r} is not defined; legal ({section}): {legal}")
    return listed


def _inherited(section: str, name: str, entries: Entries, path: tuple[str, ...]) -> Any:
    if name in path:
        circle = " -> ".join((*path, name))
        raise InputError(f"config: {section}.{path[0]}: extends itself: {circle}; remove one")
    filled: dict[str, Any] = {}
    for parent in parents(section, name, entries):
        inherited = _inherited(section, parent, entries, (*path, name))
        filled = merge(filled, inherited) if isinstance(inherited, Mapping) else filled
    if not isinstance(entries[name], Mapping):
        return deepcopy(entries[name])  # its model refuses it
    dropped = [EXTENDS, TEMPLATE] if entries[name].get(TEMPLATE) is True else [EXTENDS]
    written = {key: value for key, value in entries[name].items() if key not in dropped}
    return merge(filled, deepcopy(written))


def written_at(config: Mapping[str, Any], path: Sequence[Any]) -> list[Any]:
    """The path where a resolved value was written: in the entry itself, or in one it extends."""
    section, name, rest = (*path[:2], path[2:]) if len(path) > 2 else (None, None, ())
    if section not in SECTIONS or _holds(config[section][name], rest):
        return list(path)
    for parent in reversed(parents(section, name, config[section])):
        written = written_at(config, [section, parent, *rest])
        if _holds(config[section][written[1]], rest):
            return written
    return list(path)


def _holds(value: Any, path: Sequence[Any]) -> bool:
    """Whether a path of keys and list positions exists in a value."""
    for part in path:
        is_key = isinstance(value, Mapping) and part in value
        is_index = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if not (is_key or is_index):
            return False
        value = value[part]
    return True
