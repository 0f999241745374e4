"""Which files and values make up a configuration, and in which order they are merged.

From the bottom up: config/base (the methods, one file per paper), the file of the run's scale,
config/config.yaml, the files of --configfile in the order given, the values of --config. Higher layers win,
key by key; lists are replaced. Then `extends` is resolved.
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

BASE = ("common", "mosecrot", "x2s", "wordot", "iwda", "bootstrap")  # a file may extend those before it
SCALES = ("mini", "real", "paper")
SCALE, ON = "scale", "on"  # `on`: the scale an overlay is made for; YAML reads the word as `true`
Layers = dict[str, dict[str, Any]]  # settings, by the file (or option) they come from


def load(
    user_file: Path, overlays: Sequence[Path], given: Mapping[str, Any], shipped: Path
) -> dict[str, Any]:
    """The resolved configuration of a run, not checked yet."""
    return resolve(lay(user_file, overlays, given, shipped))


def lay(
    user_file: Path | str, overlays: Sequence[Path], given: Mapping[str, Any], shipped: Path
) -> dict[str, Any]:
    """Merge all layers; see `find_layers`."""
    return reduce(merge, find_layers(user_file, overlays, given, shipped).values(), {})


def find_layers(
    user_file: Path | str, overlays: Sequence[Path], given: Mapping[str, Any], shipped: Path
) -> Layers:
    """All layers, from the bottom up.

    `user_file` is config.yaml, `shipped` the folder of the base and of the scales' files. The file of a scale
    always comes right above the base, whether `scale` selects it or --configfile names it, in any order.
    """
    user_layers = {str(file): read_settings(file) for file in (Path(user_file), *map(_shown, overlays))}
    user_layers["--config"] = typed(dict(given))
    scale = _selected_scale([layer[SCALE] for layer in user_layers.values() if SCALE in layer])
    files = [shipped / f"{name}.yaml" for name in (*(f"base/{part}" for part in BASE), scale)]
    layers = {str(_shown(file)): read_settings(file) for file in files}
    for file, layer in user_layers.items():
        scale_of_file = next((name for name in SCALES if _same(file, shipped / f"{name}.yaml")), None)
        if scale_of_file not in (None, scale):
            raise InputError(
                f"{file}: is the file of scale {scale_of_file!r}, but the scale of this run is {scale!r}; "
                "name one"
            )
        if scale_of_file is None:
            layers[file] = _checked(file, layer, scale)
    return layers


def _selected_scale(scales: Sequence[Any]) -> str:
    """The scale of a run: the last of those named, from the bottom up."""
    if not scales:
        raise InputError(f"config: top level: the key {SCALE!r} is missing; add it")
    if scales[-1] not in SCALES:
        written = f"{str(scales[-1])[:40]!r}"
        raise InputError(f"config: {SCALE}: {written} is not allowed; legal: {', '.join(SCALES)}")
    return scales[-1]


def _checked(file: str, layer: Mapping[str, Any], scale: str) -> dict[str, Any]:
    """A user's layer without its keys `scale` and `on`; refuse one that is made for another scale."""
    made_for = layer.get(ON, scale)
    if made_for not in SCALES:
        raise InputError(f"{file}: on: {made_for!r} is not allowed; legal: {', '.join(SCALES)}")
    if made_for != scale:
        raise InputError(
            f"{file}: is made for scale {made_for!r}, but this run has scale {scale!r}; "
            f"add --config scale={made_for}"
        )
    # The file of the scale sets `scale`: config.yaml, above it, may name another one that was overruled.
    return {key: value for key, value in layer.items() if key not in (ON, SCALE)}


def read_settings(file: Path) -> dict[str, Any]:
    """Read a configuration file; refuse anything else in one line that names the file and line."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{file}: no such file; paths are relative to the folder of the run") from None
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
        content = "nothing" if settings is None else f"{str(settings)[:40]!r}"
        raise InputError(f"{file}: contains {content} instead of settings; write `key: value` lines")
    return _with_on(settings, text)


def _with_on(settings: Mapping[Any, Any], text: str) -> dict[Any, Any]:
    """Restore the key `on`, which YAML reads as `true`."""
    keys = [key.value for key, _ in getattr(yaml.compose(text, LOADER), "value", [])]
    return {ON if key is True and ON in keys else key: value for key, value in settings.items()}


def _line(problem: yaml.YAMLError) -> str:
    mark = getattr(problem, "problem_mark", None) or getattr(problem, "context_mark", None)
    return f":{mark.line + 1}" if mark else ""


def _reason(problem: yaml.YAMLError) -> str:
    reason = getattr(problem, "problem", None) or getattr(problem, "reason", None) or str(problem)
    return " ".join(reason.split())


def _shown(file: Path) -> Path:
    """A file's path, relative to this folder if it is inside it."""
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file


def _same(path: str, file: Path) -> bool:
    return Path(path).resolve() == file.resolve()
