"""What the configuration may say of lexica: keys that its kind does not know, and lexica made of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from xstitch.core.errors import InputError, legal_names

LEXICON_KEYS = {
    "muse": ("reverse",),
    "muse-train": ("reverse",),
    "tsv": ("folder", "reverse"),
    "panlex-lite": (),
    "panlex-meanings": ("dataset", "file", "shards"),
    "panlex-swadesh": (),
    "union": ("lexica", "weights"),
    "pivot": ("lexica", "through", "discount"),
    "bootstrap": ("lexica", "vectors", "search"),
}
COMMON_KEYS = ("kind", "min_score")


def check_lexica(lexica: Mapping[str, Mapping[str, Any]], languages: Iterable[str]) -> None:
    """Refuse keys that are nothing to its kind, and references to what there is not."""
    for name, lexicon in lexica.items():
        legal = [*COMMON_KEYS, *LEXICON_KEYS[lexicon["kind"]]]
        for key in lexicon:
            if key not in legal:
                kind = lexicon["kind"]
                raise InputError(f"config: lexica.{name}.{key}: not for {kind}; legal: {', '.join(legal)}")
        for part in lexicon.get("lexica", []):
            _require(part, lexica, f"lexica.{name}.lexica")
        for part in lexicon.get("weights", {}):
            _require(part, lexicon["lexica"], f"lexica.{name}.weights")
        if "through" in lexicon:
            _require(lexicon["through"], languages, f"lexica.{name}.through")
        for language in lexicon.get("shards", {}):
            _require(language, languages, f"lexica.{name}.shards")
    for name in lexica:
        _refuse_circles(name, lexica, ())


def _require(name: str, known: Iterable[str], place: str) -> None:
    if name not in known:
        raise InputError(f"config: {place}: {name!r} is not defined; legal: {legal_names(known, name)}")


def _refuse_circles(name: str, lexica: Mapping[str, Mapping[str, Any]], path: tuple[str, ...]) -> None:
    if name in path:
        raise InputError(
            f"config: lexica.{name}: is made of itself: {' -> '.join((*path, name))}; remove one"
        )
    for part in lexica[name].get("lexica", []):
        _refuse_circles(part, lexica, (*path, name))
