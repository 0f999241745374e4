"""Real text through the paper's segmentation tools, as far as they are installed."""

import gzip
import importlib.util
import lzma

import pytest

from xstitch.core.errors import InputError
from xstitch.core.parquet import read_table
from xstitch.sources.corpora import sample_corpus, sample_sentences
from xstitch.sources.moses import parallel_splitter
from xstitch.sources.segmentation import segmenter, spaced

pytestmark = pytest.mark.real
SETTINGS = {"sentences": 1000, "share": 1.0, "min_tokens": 7, "min_sentences": 2}  # x2s, appendix C
TELUGU = "udpipe/telugu-mtg-ud-2.5-191206.udpipe"


def need(*modules):
    """Skip where a tool is not installed, and say so."""
    for module in modules:
        try:
            found = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            found = None
        if not found:
            pytest.skip(f"{module} is not installed: pip install -r requirements/scripts.txt")


def test_the_telugu_model_segments(data):
    need("ufal.udpipe")
    segment = segmenter("udpipe", "te", data / TELUGU)
    paragraph = "నేను బడికి వెళ్ళాను. అతను అన్నం తిన్నాడు."
    assert segment(paragraph) == [["నేను", "బడికి", "వెళ్ళాను", "."], ["అతను", "అన్నం", "తిన్నాడు", "."]]
    assert segment(paragraph) == segment(paragraph)
    assert segment("") == []


def test_another_file_is_no_udpipe_model(data):
    need("ufal.udpipe")
    with pytest.raises(InputError, match="LICENSE: not a UDPipe model with a tokenizer"):
        segmenter("udpipe", "te", data / "udpipe/LICENSE")


# Only the Serbian sample has paragraphs of several sentences: its fourth and fifth, and for the plain
# splitter, which takes the ordinal "1928. године" for an end, its third.
@pytest.mark.parametrize(("language", "places"), [("am", []), ("ka", []), ("sr", [(0, 2), (0, 3), (0, 4)])])
def test_cc100_keeps_long_sentences_of_real_paragraphs(data, language, places, tmp_path):
    path = data / f"samples/cc100/{language}/dummy_data/{language}.txt.xz"
    segment = segmenter("unicode", language)
    everything = {**SETTINGS, "min_tokens": 1, "min_sentences": 1}
    rows = list(sample_sentences(path, segment, everything, 1))
    text = path.read_text(encoding="utf-8")  # plain in spite of its name
    assert "".join("".join(row[2].split()) for row in rows) == "".join(text.split())
    packed = tmp_path / path.name
    packed.write_bytes(lzma.compress(path.read_bytes()))
    kept = list(sample_sentences(packed, segment, SETTINGS, 1))
    assert set(kept) < set(rows)
    assert sorted({row[:2] for row in kept}) == places
    assert all(len(row[2].split()) >= 7 for row in kept)


def test_georgian_cc100_by_icu_to_parquet(data, tmp_path):
    need("icu")
    path = data / "samples/cc100/ka/dummy_data/ka.txt.xz"
    segment = segmenter("icu", "ka")
    settings = {**SETTINGS, "min_sentences": 1}
    count = sample_corpus(path, segment, settings, 1, tmp_path / "parts", tmp_path / "ka.parquet")
    table = read_table(tmp_path / "ka.parquet", ["document", "paragraph", "text"])
    assert count == table.num_rows > 0
    print(f"ka: {count} sentences, the first: {table['text'][0]}")


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("th", "ผมรักภาษาไทย😀", "ผม รัก ภาษา ไทย 😀"),
        ("lo", "ຂ້ອຍຮັກພາສາລາວ", "ຂ້ອຍ ຮັກ ພາສາ ລາວ"),
        ("my", "မြန်မာစာသည် လှပသည်။", "မြန်မာ စာ သည် လှပ သည် ။"),
        ("km", "ភាសា\u200bខ្មែរ\u200bពិរោះណាស់។", "ភាសា ខ្មែរ ពិរោះ ណាស់ ។"),
    ],
)
def test_icu_finds_words_in_scripts_without_spaces(language, text, words):
    need("icu")
    tokens = [token for sentence in segmenter("icu", language)(text) for token in sentence]
    assert tokens == words.split()
    assert spaced(text, "icu").split() == tokens
    assert parallel_splitter("moses", "icu", language)(text) == tokens


def test_chinese_wikipedia_by_jieba(data):
    need("jieba")
    segment = segmenter("jieba", "zh")
    with gzip.open(data / "text/zh.txt.gz", "rt", encoding="utf-8") as stream:
        lines = [line.strip() for _, line in zip(range(200), stream, strict=False)]
    sentences = [tokens for line in lines for tokens in segment(line)]
    assert "".join(token for tokens in sentences for token in tokens) == "".join("".join(lines).split())
    words = [token for tokens in sentences for token in tokens]
    assert 1.2 < sum(map(len, words)) / len(words) < 3
    assert segment("我来到北京清华大学。他走了。") == [
        ["我", "来到", "北京", "清华大学", "。"],
        ["他", "走", "了", "。"],
    ]


def test_japanese_by_fugashi():
    need("fugashi", "unidic_lite")
    assert segmenter("fugashi", "ja")("私は東京に住んでいます。今日は天気がいい！") == [
        "私 は 東京 に 住ん で い ます 。".split(),
        "今日 は 天気 が いい ！".split(),
    ]
    assert spaced("東京に　住む", "fugashi") == "東京 に 住む"
