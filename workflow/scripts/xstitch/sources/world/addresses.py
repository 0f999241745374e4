"""The addresses that a world writes to, known before it is generated: the outputs of its rule."""

from __future__ import annotations

from collections.abc import Iterator

from xstitch.sources.world.mirror import (
    CONLL,
    CONLL_ENDINGS,
    CORPORA,
    DICTIONARIES,
    EBIBLE,
    IMAGES,
    PANLEX,
    QUESTIONS,
    REVIEWS,
    SIMILARITY,
    TAXI1500,
    TREEBANKS,
    TYDIQA,
    WIKIANN,
    XNLI,
    XNLI_TRANSLATED,
    moses_address,
    tatoeba_address,
)
from xstitch.sources.world.names import conll_edition
from xstitch.sources.world.panlex_files import panlex_addresses
from xstitch.sources.world.questions import squad_files
from xstitch.sources.world.reviews import SPLITS
from xstitch.sources.world.settings import PIVOT, WorldSettings

DICTIONARY_ENDINGS = (".txt", ".0-5000.txt", ".5000-6500.txt")


def world_addresses(settings: WorldSettings) -> Iterator[str]:
    """List every file of the mirror except its lock, as `<host>/<path>`."""
    for code in settings.languages:
        yield f"{CORPORA}/{code}.txt.xz"
        yield f"{EBIBLE}/corpus/{code}-{code}world.txt"
        yield from (f"{REVIEWS}/{split}/dataset_{code}_{split}.json" for split in SPLITS)
    for source, target in settings.language_pairs():
        yield from (f"{DICTIONARIES}/{source}-{target}{ending}" for ending in DICTIONARY_ENDINGS)
    yield PANLEX
    yield from panlex_addresses(list(settings.languages))
    yield SIMILARITY
    yield IMAGES
    yield f"{EBIBLE}/metadata/vref.txt"
    yield from (f"{TAXI1500}/eng_{split}.tsv" for split in SPLITS)
    yield from (XNLI, XNLI_TRANSLATED, WIKIANN, TREEBANKS)
    yield from (TYDIQA.format(split=split) for split in ("train", "dev"))
    for name, code, split in squad_files(settings):
        yield QUESTIONS[name].format(split=split, code=code)
    for code in settings.languages:
        for ending in CONLL_ENDINGS:
            yield CONLL.format(edition=conll_edition(code), code=code, ending=ending)
        if code != PIVOT:
            yield from (tatoeba_address(code, side) for side in (code, PIVOT))
            yield moses_address(code)
