"""The addresses a world writes to, known before it is generated: the outputs of its rule."""

from __future__ import annotations

from collections.abc import Iterator

from xstitch.world.mirror import CORPORA, DICTIONARIES, EBIBLE, PANLEX, REVIEWS, SIMILARITY, TAXI1500
from xstitch.world.panlex_files import panlex_addresses
from xstitch.world.reviews import SPLITS
from xstitch.world.settings import WorldSettings

DICTIONARY_ENDINGS = (".txt", ".0-5000.txt", ".5000-6500.txt")


def world_addresses(settings: WorldSettings) -> Iterator[str]:
    """Name every file of the mirror but its lock, as `<host>/<path>`."""
    for code in settings.languages:
        yield f"{CORPORA}/{code}.txt.xz"
        yield f"{EBIBLE}/corpus/{code}-{code}world.txt"
        yield from (f"{REVIEWS}/{split}/dataset_{code}_{split}.json" for split in SPLITS)
    for source, target in settings.language_pairs():
        yield from (f"{DICTIONARIES}/{source}-{target}{ending}" for ending in DICTIONARY_ENDINGS)
    yield PANLEX
    yield from panlex_addresses(list(settings.languages))
    yield SIMILARITY
    yield f"{EBIBLE}/metadata/vref.txt"
    yield from (f"{TAXI1500}/eng_{split}.tsv" for split in SPLITS)
