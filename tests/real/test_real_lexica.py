"""Lexica and anchors on real files: the paper's counts, PanLex's own lists, anchors confirmed by vectors."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from xstitch.sources.lexica import lexicon_table, read_muse, swapped
from xstitch.sources.panlex import read_swadesh
from xstitch.spaces.anchors.agreement import confirmed
from xstitch.spaces.anchors.lexicon import Anchor, build_anchors, whole_words
from xstitch.spaces.settings.anchors import Agreement, AnchorRules
from xstitch.vectors.formats.read import read_vectors

pytestmark = pytest.mark.real
MUSE = "dl.fbaipublicfiles.com/arrival/dictionaries"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PUBLISHED = {"de": 11836, "es": 11395, "zh": 7662}  # mosecrot, section 5.1


@pytest.fixture(scope="module")
def tokens(data):
    """The whole words of bert-base-cased."""
    lines = (data / "tokenizers/bert_base_cased_vocab.txt").read_text(encoding="utf-8").split("\n")
    return whole_words(lines[:-1] if not lines[-1] else lines, SPECIAL)


def count(lexicon, tokens, pairing):
    """Number of anchors if the vectors knew every word of the lexicon."""
    words = dict.fromkeys(lexicon["target"].to_pylist())
    rows = {word: row for row, word in enumerate(words)}
    return len(build_anchors(lexicon, tokens, rows, AnchorRules(pairing=pairing)))


@pytest.mark.parametrize("language", PUBLISHED)
def test_by_source_the_reversed_dictionaries_give_the_papers_counts(mirror, tokens, language):
    reverse = lexicon_table(swapped(read_muse(mirror / MUSE / f"{language}-en.txt")))
    assert count(reverse, tokens, "by-source") == PUBLISHED[language]


# In the order of the files' own target words; vectors have another, so that these may move a little.
@pytest.mark.parametrize(
    ("language", "forward", "reverse"), [("de", 10995, 10832), ("es", 10580, 10433), ("zh", 6222, 6101)]
)
def test_one_to_one_anchors_are_a_tenth_fewer(mirror, tokens, language, forward, reverse):
    files = mirror / MUSE
    tables = [
        lexicon_table(read_muse(files / f"en-{language}.txt")),
        lexicon_table(swapped(read_muse(files / f"{language}-en.txt"))),
    ]
    found = [count(table, tokens, "one-to-one") for table in tables]
    assert found == pytest.approx([forward, reverse], rel=0.01)


@pytest.mark.parametrize(
    ("uid", "fire"),
    [("fao-000", "eldur"), ("mlt-000", "nar"), ("nds-001", "Füür"), ("sah-000", "уот"), ("tat-000", "ут")],
)
def test_the_papers_low_resource_languages_have_swadesh_lists(data, tokens, uid, fire):
    lexicon = lexicon_table(read_swadesh(data / "panlex/panlex_swadesh.zip", "eng-000", uid))
    assert 150 < len(set(lexicon["source"].to_pylist()) & tokens.keys()) < 300
    assert {"source": "fire", "target": fire, "score": 1.0} in lexicon.to_pylist()


def test_swadesh_lists_of_many_languages_are_read(data):
    archive = data / "panlex/panlex_swadesh.zip"
    with zipfile.ZipFile(archive) as opened:
        names = [Path(name) for name in opened.namelist() if "/swadesh207/" in name]
    uids = sorted(name.stem for name in names if name.suffix == ".txt")[::25]
    assert len(uids) > 30
    assert all(len(list(read_swadesh(archive, "eng-000", uid))) > 150 for uid in uids)


def test_wrong_pairs_planted_in_a_real_lexicon_are_found(mirror, data, capsys):
    english = read_vectors(data / "vectors/en.glove.100d.vec.gz", limit=50_000)
    chinese = read_vectors(data / "vectors/zh.word2vec.100d.vec.gz")
    lexicon = lexicon_table(read_muse(mirror / MUSE / "en-zh.txt"))
    anchors = build_anchors(lexicon, english.index, chinese.index, AnchorRules())
    wrong = set(np.random.default_rng(0).choice(len(anchors), len(anchors) // 5, replace=False).tolist())
    places = sorted(wrong)
    partners = dict(zip(places, [*places[1:], places[0]], strict=True))
    planted = [
        Anchor(a.source, anchors[j].target, a.source_row, anchors[j].target_row, 1.0)
        for a, j in ((a, partners.get(i, i)) for i, a in enumerate(anchors))
    ]
    kept = set(confirmed(planted, english.matrix, chinese.matrix, Agreement(k=10)))
    stays = np.array([anchor in kept for anchor in planted])
    is_wrong = np.isin(np.arange(len(planted)), places)
    right, false = stays[~is_wrong].mean(), stays[is_wrong].mean()
    with capsys.disabled():
        print(f"\nen-zh, {len(planted)} pairs: kept {right:.3f} of the right, {false:.3f} of the wrong")
    assert right > 0.65
    assert false < 0.01
