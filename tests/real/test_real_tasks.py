"""Readers of task data on real files: sizes and counts taken by grep and awk, not by the readers."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from transformers import BertTokenizerFast

from xstitch.core.errors import InputError
from xstitch.models.question_answering import answer_positions, make_windows
from xstitch.models.settings.reading import ReadingSettings
from xstitch.models.tagging import split_long, tokenise_words
from xstitch.models.transfer.sampling import class_counts, draw_samples
from xstitch.models.transfer.shifts import total_variation
from xstitch.results.answer_metrics import answer_scores
from xstitch.sources.tasks import conll, panx, squad, tatoeba, tydiqa, universal_dependencies, wikiann, xnli

pytestmark = pytest.mark.real
XQUAD = "raw.githubusercontent.com/google-deepmind/xquad/master"
TATOEBA = "raw.githubusercontent.com/facebookresearch/LASER/main/data/tatoeba/v1"
MULTINLI = "samples/multi_nli/0.0.0/dummy_data/multinli_1.0.zip/multinli_1.0"
XNLI = "samples/xnli/all_languages/dummy_data"


def counts(sentences):
    sentences = list(sentences)
    return len(sentences), Counter(tag for sentence in sentences for tag in sentence.tags)


@pytest.mark.parametrize("language", ["en", "de", "es", "zh", "ar", "sw"])
def test_xnli_as_xtreme_has_it(data, language):
    pairs = list(xnli.read_xnli(data / f"xnli/dev-{language}.tsv"))
    assert Counter(pair.label for pair in pairs) == dict.fromkeys(xnli.LABELS, 830)
    assert all(pair.premise and pair.hypothesis for pair in pairs)


def test_translated_multinli_spells_contradiction_as_xnli_does(data):
    labels = Counter(pair.label for pair in xnli.read_xnli(data / "xnli/multinli.train.en.tsv"))
    assert labels == {"contradiction": 5504, "entailment": 5100, "neutral": 4397}


def test_xnli_and_multinli_are_the_same_as_tables_and_as_json(data):
    for split in ("dev", "test"):  # one row in each language there, five rows in Arabic here
        stem = f"{data / XNLI}/XNLI-1.0.zip/XNLI-1.0/xnli.{split}"
        lines = list(xnli.read_xnli(f"{stem}.jsonl", "ar"))
        assert list(xnli.read_xnli(f"{stem}.tsv", "ar")) == lines[:1]
        assert len(lines) == 5
        assert len(list(xnli.read_xnli(f"{stem}.tsv", "sw"))) == 1
        with pytest.raises(InputError, match="holds no labelled pair in language 'sw'"):
            list(xnli.read_xnli(f"{stem}.jsonl", "sw"))
    for split in ("train", "dev_matched", "dev_mismatched"):
        stem = f"{data / MULTINLI}/multinli_1.0_{split}"
        table, lines = (list(xnli.read_xnli(f"{stem}.{ending}")) for ending in ("txt", "jsonl"))
        assert table == lines[: len(table)]
        assert len(table) == 4


@pytest.mark.parametrize("language", ["ar", "de", "en", "es", "th", "zh"])
def test_xquad(mirror, language):
    questions = list(squad.read_squad(mirror / XQUAD / f"xquad.{language}.json"))
    assert len({question.id for question in questions}) == len(questions) == 1190
    assert len({question.context for question in questions}) == 240


@pytest.mark.parametrize(("language", "size"), [("en", 3696), ("ko", 1625)])
def test_tydiqa_by_language(data, language, size):
    assert len(list(squad.read_squad(data / f"tydiqa/tydiqa.goldp.{language}.train.json"))) == size


def test_tydiqa_as_it_is_published(data):
    path = data / "samples/tydiqa/secondary_task/dummy_data/tydiqa-goldp-v1.1-train.json"
    questions = list(tydiqa.read_tydiqa(path, "fi"))
    assert [question.question for question in questions] == [
        "Milloin Charles Fort syntyi?",
        "Mitä on altruismi?",
    ]
    with pytest.raises(InputError, match="holds no question whose id begins with 'korean-'"):
        list(tydiqa.read_tydiqa(path, "ko"))


def test_answers_that_are_not_where_they_should_be_are_named(data):
    folder = data / "samples/squad/plain_text/dummy_data"
    with pytest.raises(
        InputError, match="question '2': the answer at characters 6 to 25 is outside its context of 23"
    ):
        list(squad.read_squad(folder / "dev-v1.1.json"))
    with pytest.raises(
        InputError, match=r"question '1': the answer is .*, but 'his is a test conte' is at answer_start 1"
    ):
        list(squad.read_squad(folder / "train-v1.1.json"))
    primary = data / "samples/tydiqa/primary_task/dummy_data/dev"
    with pytest.raises(InputError, match=r"dev(:\d+)?: (no 'data'|not valid JSON)"):
        list(squad.read_squad(primary))


@pytest.mark.parametrize(
    ("name", "language", "size", "persons"),
    [
        ("train-en", "en", 20000, 9164),
        ("dev-en", "en", 10000, 4635),
        ("dev-de", "de", 10000, 4569),
        ("dev-zh", "zh", 10000, 3845),
        ("dev-ar", "ar", 10000, 3815),
    ],
)
def test_panx(data, name, language, size, persons):
    number, tags = counts(panx.read_panx(data / f"panx/{name}.tsv", language))
    assert (number, tags["B-PER"]) == (size, persons)


def test_panx_with_and_without_its_prefix_is_wikiann(data):
    for language in ("en", "de"):
        plain = list(panx.read_panx(data / f"panx/dev-{language}.tsv", language))
        assert list(panx.read_panx(data / f"wikiann/{language}/dev", language)) == plain
        assert list(wikiann.read_wikiann(data / f"wikiann/{language}/dev", language)) == plain
    with pytest.raises(InputError, match=r"dev:1: 'de:Anton' lacks the prefix 'en:'"):
        list(wikiann.read_wikiann(data / "wikiann/de/dev", "en"))


@pytest.mark.parametrize("language", ["nds", "fo", "de", "en", "es", "sah", "tt", "zh", "mt"])
def test_wikiann_samples(data, language):
    for split in ("train", "dev", "test"):
        path = data / f"samples/wikiann/{language}/dummy_data/{language}.tar.gz/{split}"
        sentences = list(wikiann.read_wikiann(path, language))
        assert sentences
        assert not any(word.startswith(f"{language}:") for sentence in sentences for word in sentence.words)


def test_conll2002_in_its_own_encoding(data):
    sizes = {
        split: counts(conll.read_conll2002(data / f"conll2002/esp.{split}")) for split in ("train", "testa")
    }
    assert sizes["train"][0] == 8323
    assert sizes["train"][1]["B-MISC"] == 2173
    assert sizes["testa"][1] == {
        **{"O": 45356, "B-ORG": 1700, "I-ORG": 1366, "B-PER": 1222, "I-PER": 859},
        **{"B-LOC": 984, "I-LOC": 337, "B-MISC": 445, "I-MISC": 654},
    }
    words = next(
        s.words for s in conll.read_conll2002(data / "conll2002/esp.testa") if "multinacional" in s.words
    )
    assert words[2:4] == ("española", "Telefónica")


@pytest.mark.parametrize(("size", "reached"), [(250, 0.30), (1000, 0.22)])
def test_target_sets_of_conll_reach_large_prior_shifts(data, size, reached):
    """No 250 sentences have more than 55 % of their words in names, no 1,000 over 43 %; all have 12 %."""
    sentences = conll.read_conll2002(data / "conll2002/esp.train")
    tags = class_counts(pd.DataFrame({"tags": [sentence.tags for sentence in sentences]}), conll.TAGS)
    natural = tags.sum(axis=0) / tags.sum()
    furthest = []
    for seed in (1, 2, 3):
        priors = [tags[rows].sum(axis=0) / tags[rows].sum() for rows in draw_samples(tags, 25, size, seed)]
        shifts = [total_variation(prior, natural) for prior in priors]
        assert shifts[0] < 0.02
        furthest.append(max(shifts))
    assert np.mean(furthest) > reached


def test_conll_copies_in_utf8_and_documents(data):
    spanish = data / "samples/conll2002/es/dummy_data/esp.train"
    assert any("subrayó" in sentence.words for sentence in conll.read_conll2002(spanish))
    for split in ("train", "testa", "testb"):
        for sentence in conll.read_conll2002(data / f"samples/conll2002/nl/dummy_data/ned.{split}"):
            assert "-DOCSTART-" not in sentence.words
    for split in ("train", "valid", "test"):
        for sentence in conll.read_conll2003(data / f"samples/conll2003/conll2003/dummy_data/{split}.txt"):
            assert len(sentence.words) == len(sentence.tags)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("UD_English-PUD/en_pud-ud-test", 21180),
        ("UD_German-PUD/de_pud-ud-test", 21332),
        ("UD_Chinese-PUD/zh_pud-ud-test", 21415),
        ("UD_English-LinES/en_lines-ud-train", 64684),
        ("UD_Maltese-MUDT/mt_mudt-ud-dev", 10209),
        ("UD_Faroese-OFT/fo_oft-ud-test", 10002),
        ("UD_Tatar-NMCTT/tt_nmctt-ud-test", 2280),
    ],
)
def test_universal_dependencies(data, file, words):
    _, tags = counts(universal_dependencies.read_conllu(data / f"ud/{file}.conllu"))
    assert sum(tags.values()) == words


def test_written_words_of_universal_dependencies(data):
    path = data / "ud/UD_German-PUD/de_pud-ud-test.conllu"
    shared = re.findall("^[0-9]+-[0-9]+\t([^\t]+)", path.read_text(), re.MULTILINE)  # zum, im: two words each
    words = [word for sentence in universal_dependencies.read_written(path, "de") for word in sentence.words]
    assert len(words) == 21332 - len(shared)
    assert not Counter(shared) - Counter(words)


def test_universal_dependencies_samples(data):
    files = sorted((data / "samples/universal_dependencies").glob("*/dummy_data/*.conllu"))
    empty = {"de_lit-ud-test", "en_gumreddit-ud-test", "en_pronouns-ud-test"}  # cut within their comments
    assert empty < {file.stem for file in files}
    for file in files:  # some of them with CRLF
        if file.stem in empty:
            with pytest.raises(InputError, match="holds no sentence"):
                list(universal_dependencies.read_conllu(file))
            continue
        sentences = list(universal_dependencies.read_conllu(file))
        assert not any("\r" in word for sentence in sentences for word in sentence.words)


@pytest.mark.parametrize(("language", "size"), [("deu", 1000), ("cmn", 1000), ("jpn", 1000), ("swh", 390)])
def test_tatoeba(mirror, language, size):
    files = (mirror / TATOEBA / f"tatoeba.{language}-eng.{side}" for side in (language, "eng"))
    assert len(list(tatoeba.read_tatoeba(*files))) == size


def test_tatoeba_of_opus(data):
    stem = f"{data}/samples/tatoeba/en-mr/dummy_data/en-mr.txt.zip/Tatoeba.en-mr"
    pairs = list(tatoeba.read_tatoeba(f"{stem}.mr", f"{stem}.en"))
    assert pairs[1] == ("म्यूरिएल आता २० वर्षांची आहे.", "Muiriel is 20 now.")


@pytest.fixture(scope="module")
def mbert(data):
    vocabulary = data / "tokenizers/mbert_cased_vocab.reconstructed.txt"
    return BertTokenizerFast(str(vocabulary), do_lower_case=False)


@pytest.mark.parametrize("language", ["en", "zh", "ar", "th"])
def test_every_answer_of_xquad_is_in_a_window(mirror, mbert, language):
    questions = list(squad.read_squad(mirror / XQUAD / f"xquad.{language}.json"))[:300]
    windows = make_windows(mbert, questions, ReadingSettings())
    positions, lost = answer_positions(windows, questions)
    assert lost == 0
    rows = [
        next(row for row in (windows.questions == number).nonzero()[0] if positions[row, 0])
        for number in range(300)
    ]
    spans = zip(*(windows.numbers(rows, positions[rows, end]) for end in (0, 1)), strict=True)
    texts = [
        entry.context[windows.passages.begins[first] : windows.passages.ends[last]]
        for entry, (first, last) in zip(questions, spans, strict=True)
    ]
    # Not all: some answers are parts of words that are single tokens.
    assert answer_scores([[entry.answers[0].text] for entry in questions], texts).exact_match > 99


def test_long_sentences_of_panx_lose_words_unless_they_are_split(data, mbert):
    sentences = list(panx.read_panx(data / "panx/dev-zh.tsv", "zh"))[:2000]
    whole = tokenise_words(mbert, [sentence.words for sentence in sentences], 128)
    pieces = split_long(mbert, sentences, 128)
    split = tokenise_words(mbert, [piece.words for piece in pieces], 128)
    assert whole.cut > 0.05 * whole.sizes.sum()
    assert (split.cut, split.sizes.sum()) == (0, whole.sizes.sum())
    assert split.vanished < 10
    assert len(pieces) > len(sentences)
