"""Which files and values make a configuration, and in which order they are laid upon each other.

From the bottom: config/config.yaml, the file of the run's scale, the files of --configfile as they are named,
the values of --config. Upper ones win, key by key; lists are replaced. Then `extends` is resolved.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from xstitch.core.errors import InputError
from xstitch.plan.extends import merge, resolve
from xstitch.plan.settings import LOADER, refuse_repeated_keys, typed

SCALES = ("mini", "real", "paper")
ON = "on"  # what an overlay says it lies on; YAML reads the word as `true`


def load(base: Path, overlays: Sequence[Path], given: Mapping[str, Any], scales: Path) -> dict[str, Any]:
    """The resolved configuration of a run, which is yet to be checked."""
    return resolve(lay(base, overlays, given, scales))


def lay(base: Path | str, overlays: Sequence[Path], given: Mapping[str, Any], scales: Path) -> dict[str, Any]:
    """Lay all that is said upon each other; `scales` is the folder of the scales' files.

    The file of a scale lies beneath all other overlays, whether `scale` selects it or --configfile names it,
    in whatever order.
    """
    base = Path(base)
    layers = {str(file): read_settings(file) for file in (base, *map(_shown, overlays))}
    layers["--config"] = typed(dict(given))
    scale = next((layer["scale"] for layer in reversed(layers.values()) if "scale" in layer), None)
    files = {name: scales / f"{name}.yaml" for name in SCALES if (scales / f"{name}.yaml").is_file()}
    config = layers.pop(str(base))
    if isinstance(scale, str) and scale in files:
        config = merge(config, read_settings(files[scale]))
    for place, layer in layers.items():
        named = next((name for name, file in files.items() if _same(place, file)), None)
        if named not in (None, scale):
            raise InputError(
                f"{place}: is the file of scale {named!r}, but the scale of this run is {scale!r}; name one"
            )
        if named is None:
            config = merge(config, _checked(place, layer, scale))
    return config


def _checked(place: str, layer: Mapping[str, Any], scale: Any) -> dict[str, Any]:
    """An overlay without the scale it says it is made for, which must be the run's."""
    made_for = layer.get(ON, scale)
    if ON in layer and made_for not in SCALES:
        raise InputError(f"{place}: on: {made_for!r} is not allowed; legal: {', '.join(SCALES)}")
    if made_for != scale:
        raise InputError(
            f"{place}: is made to lie on scale {made_for!r}, but this run has scale {scale!r}; "
            f"add --config scale={made_for}"
        )
    return {key: value for key, value in layer.items() if key != ON}


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
