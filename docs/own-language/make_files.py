"""Make the files of docs/own-language.md: a fifth language of the mini world, as a user would have it.

`make docs` runs it when the mini world changes.
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "workflow/scripts"))

from xstitch.sources.world.concepts import Pools, make_concepts  # noqa: E402
from xstitch.sources.world.corpora import corpus_bytes  # noqa: E402
from xstitch.sources.world.dictionaries import dictionary_files  # noqa: E402
from xstitch.sources.world.lexicon import make_lexicons  # noqa: E402
from xstitch.sources.world.settings import WorldSettings  # noqa: E402
from xstitch.sources.world.verses import make_verses, translate  # noqa: E402

SOURCE, OWN = "qaa", "qae"
TEST = 111  # labelled test verses, as in Taxi1500
LANGUAGE = {"sentences": 2000, "adjective": "after", "cognates": 0.3, "loans": 0.05, "dictionary_words": 1500}


def own_files() -> dict[str, str]:
    """Return the language's text, lexicon and labelled test verses; its concepts are the default world's."""
    world = yaml.safe_load((ROOT / "config/mini.yaml").read_text(encoding="utf-8"))["world"]
    languages = {SOURCE: world["languages"][SOURCE], OWN: LANGUAGE}
    settings = WorldSettings.from_config({**world, "languages": languages})
    concepts = make_concepts(settings)
    pools, lexicons = Pools(concepts), make_lexicons(settings, concepts)
    pairs = dictionary_files(settings, pools, lexicons[SOURCE], lexicons[OWN])[".txt"].decode()
    verses = make_verses(settings, pools)
    lines = translate(settings, verses, lexicons[OWN])
    labelled = verses.labels["test"][:TEST]
    test = [f"{verses.identifier(line)}\t{label}\t{lines[line]}" for line, label in labelled]
    return {
        "text.txt": lzma.decompress(corpus_bytes(settings, pools, lexicons, OWN)).decode(),
        f"{SOURCE}-{OWN}.tsv": "".join("\t".join(pair.split()) + "\n" for pair in pairs.splitlines()),
        "test.tsv": "".join(f"{row}\n" for row in ["id\tlabel\ttext", *test]),
    }


def write_own_files() -> None:
    """Write the files next to this one."""
    for name, content in own_files().items():
        (Path(__file__).parent / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    write_own_files()
