"""The updates of taggers, from the lengths of real corpora."""

from dataclasses import replace

import pytest
from transformers import BertTokenizerFast

from xstitch.models.tagging import mean_words, scaled_schedule
from xstitch.sources.tasks import conll, wikiann
from xstitch.training.schedule import Schedule

pytestmark = pytest.mark.real
# The English and German data cannot be had here; their sizes are in the paper of the shared task (Tjong Kim
# Sang and De Meulder, 2003, Table 1). 946 of the English and 553 of the German sentences are document
# boundaries, whose words it does not count.
ENGLISH = 14_987 - 946, 203_621
GERMAN = 12_705 - 553, 206_931
SCHEDULE = Schedule(learning_rate=1e-5, batch_size=8, epochs=4)  # iwda C.2


@pytest.fixture(scope="module")
def tokenizer(data):
    vocabulary = data / "tokenizers/mbert_cased_vocab.reconstructed.txt"
    return BertTokenizerFast(str(vocabulary), do_lower_case=False)


def relative(words, sentences):
    """Return a mean length relative to English."""
    return words / sentences / (ENGLISH[1] / ENGLISH[0])


def test_english_and_german_updates_are_those_of_the_paper():
    assert scaled_schedule(SCHEDULE, ENGLISH[0], 1.0).steps == 7021
    assert scaled_schedule(SCHEDULE, GERMAN[0], relative(GERMAN[1], GERMAN[0])).steps == 7135


@pytest.mark.parametrize(("length", "updates"), [(512, 9086), (128, 9046)])
def test_spanish_updates_are_those_of_the_paper_at_its_length_alone(data, tokenizer, length, updates):
    """The paper has 9,086. One of the sentences has 1,238 words; uncut, they would give 9,127."""
    spanish = [list(sentence.words) for sentence in conll.read_conll2002(data / "conll2002/esp.train")]
    assert (len(spanish), sum(map(len, spanish))) == (8323, 264_715)
    mean = mean_words(tokenizer, spanish, length)
    assert scaled_schedule(SCHEDULE, len(spanish), relative(mean, 1)).steps == updates


@pytest.fixture(scope="module")
def names(data):
    """Sentences of WikiANN in two languages; their words were counted with awk."""
    found = {}
    for language, words in (("en", 160_394), ("de", 195_387)):
        rows = wikiann.read_wikiann(data / f"wikiann/{language}/train", language)
        found[language] = [list(sentence.words) for sentence in rows]
        assert (len(found[language]), sum(map(len, found[language]))) == (20_000, words)
    return found


def test_longer_sentences_of_wikiann_take_more_updates(names, tokenizer):
    """10,000 in English; 195,387 / 160,394 as many in German, but for a few words without any subword."""
    english, german = (mean_words(tokenizer, names[language], 512) for language in ("en", "de"))
    steps = scaled_schedule(SCHEDULE, 20_000, german / english).steps
    assert steps == pytest.approx(10_000 * 195_387 / 160_394, rel=2e-3)


def test_a_language_of_100_sentences_gets_the_floor(names, tokenizer):
    """The first 100 German sentences have 904 words: 12.5 x 9.04 / 8.02 = 14.1 updates of a student."""
    student = replace(SCHEDULE, batch_size=32)
    english, german = (mean_words(tokenizer, rows, 512) for rows in (names["en"], names["de"][:100]))
    assert scaled_schedule(student, 100, german / english).steps == 15
    assert scaled_schedule(replace(student, least_steps=250), 100, german / english).steps == 250
