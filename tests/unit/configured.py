"""The shipped configuration with changes, checked as in a run."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from xstitch.core.errors import InputError
from xstitch.plan.overlays import lay
from xstitch.plan.references import check_references
from xstitch.plan.settings import describe_languages, load_languages, validate

ROOT = Path(__file__).parents[2]


@cache
def shipped() -> dict[str, Any]:
    """The shipped configuration, not resolved."""
    return lay(ROOT / "config/config.yaml", [], {}, ROOT / "config")


def changed(old: Any, overlay: Any) -> Any:
    """Merge an overlay into a configuration; a value of `...` removes a key."""
    if not isinstance(overlay, dict) or not isinstance(old, dict):
        return copy.deepcopy(overlay)
    merged = {key: value for key, value in old.items() if overlay.get(key) is not ...}
    for key, value in overlay.items():
        if value is not ...:
            merged[key] = changed(old.get(key), value)
    return merged


def checked(**overlay: Any) -> dict[str, Any]:
    """Check the shipped configuration with an overlay, and resolve it."""
    config = validate(changed(shipped(), overlay))
    listed = load_languages(ROOT / "config/languages.tsv")
    check_references(config, describe_languages(listed, config["languages"]))
    return config


def refused(**overlay: Any) -> str:
    """The error line for the shipped configuration with an overlay."""
    with pytest.raises(InputError) as caught:
        checked(**overlay)
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith("config: ")
    return line.removeprefix("config: ")
