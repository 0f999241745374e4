"""The mirror: every file of the world at the address of its real counterpart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from xstitch.core.files import whole_folder
from xstitch.core.progress import progress
from xstitch.sources.world.concepts import Pools, make_concepts
from xstitch.sources.world.corpora import corpus_bytes
from xstitch.sources.world.dictionaries import dictionary_files
from xstitch.sources.world.entailment import translated_bytes, xnli_bytes
from xstitch.sources.world.images import images_bytes
from xstitch.sources.world.lexicon import Lexicon, make_lexicons
from xstitch.sources.world.names import conll_bytes, conll_edition, wikiann_bytes
from xstitch.sources.world.panlex import panlex_bytes
from xstitch.sources.world.panlex_files import panlex_files
from xstitch.sources.world.parallel import moses_bytes, tatoeba_bytes
from xstitch.sources.world.questions import squad_bytes, squad_files, tydiqa_bytes
from xstitch.sources.world.reviews import SPLITS, TONE_PULL, reviews_bytes
from xstitch.sources.world.settings import PIVOT, WorldSettings
from xstitch.sources.world.similarity import similarity_bytes
from xstitch.sources.world.treebanks import treebanks_bytes
from xstitch.sources.world.verses import Verses, make_verses, translate

CORPORA = "data.statmt.org/cc-100"
DICTIONARIES = "dl.fbaipublicfiles.com/arrival/dictionaries"
PANLEX = "db.panlex.org/panlex_lite.zip"
TAXI1500 = "raw.githubusercontent.com/cisnlp/Taxi1500/main/eng_data"
EBIBLE = "raw.githubusercontent.com/BibleNLP/ebible/main"
SIMILARITY = "alt.qcri.org/semeval2017/task2/data/uploads/semeval2017-task2.zip"
IMAGES = "www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
REVIEWS = "amazon-reviews-ml.s3-us-west-2.amazonaws.com/json"
XNLI = "dl.fbaipublicfiles.com/XNLI/XNLI-1.0.zip"
XNLI_TRANSLATED = "dl.fbaipublicfiles.com/XNLI/XNLI-MT-1.0.zip"
QUESTIONS = {
    "squad": "raw.githubusercontent.com/rajpurkar/SQuAD-explorer/master/dataset/{split}-v1.1.json",
    "xquad": "raw.githubusercontent.com/google-deepmind/xquad/master/xquad.{code}.json",
}
TYDIQA = "storage.googleapis.com/tydiqa/v1.1/tydiqa-goldp-v1.1-{split}.json"
WIKIANN = "s3.amazonaws.com/datasets.huggingface.co/wikiann/1.1.0/panx_dataset.zip"
CONLL = "www.clips.uantwerpen.be/conll{edition}/ner/data/{code}.{ending}"
CONLL_ENDINGS = {"train": "train", "testa": "dev", "testb": "test"}
TREEBANKS = (
    "lindat.mff.cuni.cz/repository/server/api/core/bitstreams/handle/11234/1-3105/ud-treebanks-v2.5.tgz"
)
TATOEBA = "raw.githubusercontent.com/facebookresearch/LASER/main/data/tatoeba/v1"
PARALLEL = "object.pouta.csc.fi/OPUS-{corpus}/v8/moses/{first}-{second}.txt.zip"
CORPUS = "Europarl"


def write_world(root: Path, settings: WorldSettings) -> None:
    """Generate a world and write it under `root` as `<host>/<path>`, with its `lock.tsv`."""
    languages = len(settings.languages)
    total = 11 * languages + 3 * len(settings.language_pairs()) + 3 * (languages - 1) + 16
    with whole_folder(root) as folder:
        rows = ["url\tsha256\tsize\n"]
        for address, content in progress(_files(settings), "world", total=total, unit="file"):
            path = folder / address
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            # The lock is keyed by the original address, and one of the hosts only speaks plain http.
            scheme = "http" if address == SIMILARITY else "https"
            rows.append(f"{scheme}://{address}\t{hashlib.sha256(content).hexdigest()}\t{len(content)}\n")
        (folder / "lock.tsv").write_bytes("".join([rows[0], *sorted(rows[1:])]).encode())


def _files(settings: WorldSettings) -> Iterator[tuple[str, bytes]]:
    """Generate every file with its address."""
    concepts = make_concepts(settings)
    pools = Pools(concepts)
    lexicons = make_lexicons(settings, concepts)
    for code in lexicons:
        yield f"{CORPORA}/{code}.txt.xz", corpus_bytes(settings, pools, lexicons, code)
    for source, target in settings.language_pairs():
        files = dictionary_files(settings, pools, lexicons[source], lexicons[target])
        for ending, content in files.items():
            yield f"{DICTIONARIES}/{source}-{target}{ending}", content
    yield PANLEX, panlex_bytes(settings, concepts, lexicons)
    yield from panlex_files(settings, concepts, lexicons)
    yield SIMILARITY, similarity_bytes(settings, concepts, lexicons)
    yield from _verse_files(settings, make_verses(settings, pools), lexicons)
    emphatic = Pools(concepts, TONE_PULL)
    for code, lexicon in lexicons.items():
        for split in SPLITS:
            address = f"{REVIEWS}/{split}/dataset_{code}_{split}.json"
            yield address, reviews_bytes(settings, emphatic, lexicon, split)
    yield IMAGES, images_bytes(settings)
    yield from _task_files(settings, pools, lexicons)


def _task_files(
    settings: WorldSettings, pools: Pools, lexicons: dict[str, Lexicon]
) -> Iterator[tuple[str, bytes]]:
    """Generate XTREME's tasks, the shared tasks of CoNLL and parallel sentences."""
    yield XNLI, xnli_bytes(settings, pools, lexicons)
    yield XNLI_TRANSLATED, translated_bytes(settings, pools, lexicons)
    for name, code, split in squad_files(settings):
        address = QUESTIONS[name].format(split=split, code=code)
        yield address, squad_bytes(settings, pools, lexicons[code], split)
    for split in ("train", "dev"):
        yield TYDIQA.format(split=split), tydiqa_bytes(settings, pools, lexicons, split)
    yield WIKIANN, wikiann_bytes(settings, pools, lexicons)
    yield TREEBANKS, treebanks_bytes(settings, pools, lexicons)
    for code, lexicon in lexicons.items():
        for ending, split in CONLL_ENDINGS.items():
            address = CONLL.format(edition=conll_edition(code), code=code, ending=ending)
            yield address, conll_bytes(settings, pools, lexicon, split)
    pivot = lexicons[PIVOT]
    for code, lexicon in lexicons.items():
        if code != PIVOT:
            sides = zip((code, PIVOT), tatoeba_bytes(settings, pools, pivot, lexicon), strict=True)
            yield from ((tatoeba_address(code, side), content) for side, content in sides)
            yield moses_address(code), moses_bytes(settings, pools, pivot, lexicon, CORPUS)


def tatoeba_address(code: str, side: str) -> str:
    """Return the address of one side of a language's test sentences."""
    return f"{TATOEBA}/tatoeba.{code}-{PIVOT}.{side}"


def moses_address(code: str) -> str:
    """Return the address of the parallel corpus of the pivot and a language."""
    first, second = sorted((PIVOT, code))
    return PARALLEL.format(corpus=CORPUS, first=first, second=second)


def _verse_files(
    settings: WorldSettings, verses: Verses, lexicons: dict[str, Lexicon]
) -> Iterator[tuple[str, bytes]]:
    """Generate eBible's lines in every language and Taxi1500's labels in the pivot."""
    texts = {code: translate(settings, verses, lexicon) for code, lexicon in lexicons.items()}
    yield f"{EBIBLE}/metadata/vref.txt", _text(verses.references())
    for code, lines in texts.items():
        yield f"{EBIBLE}/corpus/{code}-{code}world.txt", _text(lines)
    for split, rows in verses.labels.items():
        lines = [f"{verses.identifier(line)}\t{label}\t{texts[PIVOT][line]}" for line, label in rows]
        # The real files end without a newline.
        yield f"{TAXI1500}/eng_{split}.tsv", "\n".join(lines).encode()


def _text(lines: list[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()
