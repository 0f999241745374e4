"""Which files and values make a configuration, and in which order they override each other.

From the bottom: config/base (the methods, one file per paper), the file of the run's scale,
config/config.yaml, the files of --configfile in their order, the values of --config. Higher layers win, key
by key; lists are replaced. Then `extends` is resolved.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import yaml

from xstitch.core.errors import InputError
from xstitch.plan.extends import merge, resolve
from xstitch.plan.settings import LOADER, refuse_repeated_keys, typed

BASE = ("common", "mosecrot", "x2s", "wordot", "iwda", "bootstrap")  # each may extend those before it
SCALES = ("mini", "real", "paper")
SCALE, ON = "scale", "on"  # `on`: the scale an overlay is made for; YAML reads the word as `true`
Layers = dict[str, dict[str, Any]]  # settings by the file that has them, or by --config


def load(user: Path, overlays: Sequence[Path], given: Mapping[str, Any], shipped: Path) -> dict[str, Any]:
    """The resolved configuration of a run, not yet checked."""
    return resolve(lay(user, overlays, given, shipped))


def lay(
    user: Path | str, overlays: Sequence[Path], given: Mapping[str, Any], shipped: Path
) -> dict[str, Any]:
    """Merge all layers of a configuration; see `find_layers`."""
    return reduce(merge, find_layers(user, overlays, given, shipped).values(), {})


def find_layers(
    user: Path | str, overlays: Sequence[Path], given: Mapping[str, Any], shipped: Path
) -> Layers:
    """All layers of a configuration, from the bottom up.

    `user` is the user's config.yaml, `shipped` the folder of the base and of the scales' files. The file of a
    scale lies directly on the base, whether `scale` selects it or --configfile names it, in any order.
    """
    user_layers = {str(file): read_settings(file) for file in (Path(user), *map(_shown, overlays))}
    user_layers["--config"] = typed(dict(given))
    scale = _selected([layer[SCALE] for layer in user_layers.values() if SCALE in layer])
    files = [shipped / f"{name}.yaml" for name in (*(f"base/{part}" for part in BASE), scale)]
    layers = {str(_shown(file)): read_settings(file) for file in files}
    for name, layer in user_layers.items():
        other = next((other for other in SCALES if _same(name, shipped / f"{other}.yaml")), None)
        if other not in (None, scale):
            raise InputError(
                f"{name}: is the file of scale {other!r}, but the scale of this run is {scale!r}; name one"
            )
        if other is None:
            layers[name] = _checked(name, layer, scale)
    return layers


def _selected(scales: Sequence[Any]) -> str:
    """The scale of a run: the last of those that its layers name, which must be legal."""
    if not scales:
        raise InputError(f"config: top level: the key {SCALE!r} is missing; add it")
    if scales[-1] not in SCALES:
        written = f"{str(scales[-1])[:40]!r}"
        raise InputError(f"config: {SCALE}: {written} is not allowed; legal: {', '.join(SCALES)}")
    return scales[-1]


def _checked(place: str, layer: Mapping[str, Any], scale: str) -> dict[str, Any]:
    """A layer of the user without `scale` and without `on`, which must be the run's scale."""
    made_for = layer.get(ON, scale)
    if made_for not in SCALES:
        raise InputError(f"{place}: on: {made_for!r} is not allowed; legal: {', '.join(SCALES)}")
    if made_for != scale:
        raise InputError(
            f"{place}: is made to lie on scale {made_for!r}, but this run has scale {scale!r}; "
            f"add --config scale={made_for}"
        )
    # The scale's own file has `scale`; config.yaml, above it, may name one that was overridden.
    return {key: value for key, value in layer.items() if key not in (ON, SCALE)}


def read_settings(file: Path) -> dict[str, Any]:
    """Read a configuration file; refuse what is none in one line with its place."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{file}: no such file; paths start from the folder of the run") from None
    except IsADirectoryError:
        raise InputError(f"{file}: is a folder; name a configuration file") from None
    except UnicodeDecodeError as problem:
        raise InputError(f"{file}: not UTF-8 text ({problem.reason}); convert the file") from None
    try:
        refuse_repeated_keys(file)
        settings = json.loads(text) if Path(file).suffix == ".json" else yaml.load(text, LOADER)
    except yaml.YAMLError as problem:
        raise InputError(f"{file}{_line(problem)}: not YAML ({_reason(problem)}); correct it") from None
    except json.JSONDecodeError as problem:
        raise InputError(f"{file}:{problem.lineno}: not JSON ({problem.msg}); correct it") from None
    if not isinstance(settings, Mapping):
        holds = "nothing" if settings is None else f"{str(settings)[:40]!r}"
        raise InputError(f"{file}: holds {holds} where settings are expected; write `key: value` lines")
    return _with_on(settings, text)


def _with_on(settings: Mapping[Any, Any], text: str) -> dict[Any, Any]:
    """Give the key `on` its name back."""
    keys = [key.value for key, _ in getattr(yaml.compose(text, LOADER), "value", [])]
    return {ON if key is True and ON in keys else key: value for key, value in settings.items()}


def _line(problem: yaml.YAMLError) -> str:
    mark = getattr(problem, "problem_mark", None) or getattr(problem, "context_mark", None)
    return f":{mark.line + 1}" if mark else ""


def _reason(problem: yaml.YAMLError) -> str:
    reason = getattr(problem, "problem", None) or getattr(problem, "reason", None) or str(problem)
    return " ".join(reason.split())


def _shown(file: Path) -> Path:
    """A file's path as a user of this folder would write it."""
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file


def _same(place: str, file: Path) -> bool:
    return Path(place).resolve() == file.resolve()
