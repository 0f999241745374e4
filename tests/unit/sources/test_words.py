"""Words are whole in every script; marks, joiners and symbols that form one character stay together."""

from unicodedata import normalize

import pytest

from xstitch.sources.lexica import Entry, lexicon_table
from xstitch.sources.moses import moses_splitter, parallel_splitter
from xstitch.sources.segmentation import segmenter, split_sentences
from xstitch.sources.words import readable, unicode_words

# Sentences whose words are written out by hand, by script. Moses finds the same words in all of them.
SENTENCES = {
    "Hindi": ("मैं हिन्दी में किताब पढ़ता हूँ।", ["मैं", "हिन्दी", "में", "किताब", "पढ़ता", "हूँ", "।"]),
    "Tamil": ("தமிழ் மொழி, தாய்மொழி.", ["தமிழ்", "மொழி", ",", "தாய்மொழி", "."]),
    "Bengali": ("আমি বাংলায় গান গাই।", ["আমি", "বাংলায়", "গান", "গাই", "।"]),
    "Telugu": ("నేను బడికి వెళ్ళాను!", ["నేను", "బడికి", "వెళ్ళాను", "!"]),
    "Malayalam": ("അവന്‍ വീട്ടില്‍ ഉണ്ട്", ["അവന്\u200d", "വീട്ടില്\u200d", "ഉണ്ട്"]),
    "Sinhala": ("ශ්‍රී ලංකාව", ["ශ්\u200dරී", "ලංකාව"]),
    "Thai": ("ผู้หญิง ที่นี่ น้ำ", ["ผู้หญิง", "ที่นี่", "น้ำ"]),
    "Arabic": ("ٱلْحَمْدُ لِلَّهِ رَبِّ ٱلْعَٰلَمِينَ", ["ٱلْحَمْدُ", "لِلَّهِ", "رَبِّ", "ٱلْعَٰلَمِينَ"]),
    "Persian": ("می‌خواهم کتاب‌ها را؟", ["می\u200cخواهم", "کتاب\u200cها", "را", "؟"]),
    "Hebrew": ("בְּרֵאשִׁית בָּרָא אֱלֹהִים", ["בְּרֵאשִׁית", "בָּרָא", "אֱלֹהִים"]),
    "Vietnamese": (
        "Tôi yêu tiếng Việt, phải không?",
        ["Tôi", "yêu", "tiếng", "Việt", ",", "phải", "không", "?"],
    ),
    "Yoruba": ("Ẹ̀kọ́ ọmọdé", ["Ẹ̀kọ́", "ọmọdé"]),
    "Greek": ("Ἐν ἀρχῇ ἦν ὁ λόγος", ["Ἐν", "ἀρχῇ", "ἦν", "ὁ", "λόγος"]),
    "Korean": ("안녕하세요, 세계!", ["안녕하세요", ",", "세계", "!"]),
    "Amharic": ("ሰላም ለዓለም። እንዴት ነህ?", ["ሰላም", "ለዓለም", "።", "እንዴት", "ነህ", "?"]),
    "Georgian": ("გამარჯობა (მსოფლიო)", ["გამარჯობა", "(", "მსოფლიო", ")"]),
    "Burmese": ("မြန်မာ ဘာသာ စကား။", ["မြန်မာ", "ဘာသာ", "စကား", "။"]),
    "Khmer": ("ភាសា\u200bខ្មែរ\u200bពិរោះ។", ["ភាសា", "ខ្មែរ", "ពិរោះ", "។"]),
    "Tibetan": ("བོད སྐད།", ["བོད", "སྐད", "།"]),
    "Cherokee": ("ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", ["ᏣᎳᎩ", "ᎦᏬᏂᎯᏍᏗ"]),
    "emoji": ("ok 👨‍👩‍👧 👍🏽 🇫🇷🇩🇪 1️⃣ ❤️!", ["ok", "👨‍👩‍👧", "👍🏽", "🇫🇷", "🇩🇪", "1️⃣", "❤️", "!"]),
    "numbers": ("3.5 1,000, ٣٫٥ 12:30", ["3.5", "1,000", ",", "٣٫٥", "12", ":", "30"]),
    "hyphens": ("rock-n-roll - Häu\u00adser", ["rock-n-roll", "-", "Häuser"]),
}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("script", SENTENCES)
@pytest.mark.parametrize("split", [unicode_words, moses_splitter("en")], ids=["unicode", "moses"])
def test_words_of_every_script_are_whole(script, form, split):
    text, words = SENTENCES[script]
    if script == "numbers" and split is not unicode_words:
        text, words = text.replace("٣٫٥", "35"), ["35" if word == "٣٫٥" else word for word in words]
    assert split(normalize(form, text)) == [normalize("NFC", word) for word in words]


def test_joined_words_are_whole():
    text = "Don't l’été o‘zbek col·lecció צה\"ל צה״ל ג׳ירפה end.Start x@y.org a_b ('quoted') \"no\""
    assert unicode_words(text) == (
        "Don't l’été o‘zbek col·lecció צה\"ל צה״ל ג׳ירפה end . Start x @ y . org a_b ( ' quoted ' ) \" no \""
    ).split(" ")


def test_a_mark_that_has_lost_its_letter_stays_with_the_word():
    assert unicode_words("\u093eक ख") == ["\u093eक", "ख"]


def test_what_nobody_sees_is_no_word():
    assert unicode_words("\ufeffone\u200f two\u200e \u200b \x1f\x00 \u00a0\u200d three") == [
        "one",
        "two",
        "three",
    ]
    assert readable("so\u00adft \u202bעברית\u202c") == "soft עברית"


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "Don't, Mr. Smith's U.S. visa.", "Don 't , Mr. Smith 's U.S. visa ."),
        ("fr", "L'été d'Anne.", "L' été d' Anne ."),
        ("de", 'Dr. Meier sagt: "Ja!"', 'Dr. Meier sagt : " Ja ! "'),
        ("hi", "डॉ. शर्मा ने कहा।", "डॉ. शर्मा ने कहा ।"),
        ("sw", "Dr. Juma anasema.", "Dr. Juma anasema ."),  # no list of its own: the English abbreviations
        ("en", "a < b & c | [d]", "a < b & c | [ d ]"),  # not escaped
    ],
)
def test_moses_knows_abbreviations_and_apostrophes(language, text, words):
    assert moses_splitter(language)(text) == words.split(" ")


def test_words_of_parallel_sentences_are_moses_or_the_tools():
    assert parallel_splitter("moses", "unicode", "en")("Don't stop.") == ["Don", "'t", "stop", "."]
    assert parallel_splitter("language", "unicode", "en")("Don't stop.") == ["Don't", "stop", "."]


def test_moses_gets_spaces_in_scripts_without_them(monkeypatch):
    segmented = {"東京に住む。": "東京 に 住む 。"}
    monkeypatch.setattr(
        "xstitch.sources.moses.spaced", lambda text, tool: segmented[text] if tool == "fugashi" else text
    )
    assert parallel_splitter("moses", "fugashi", "ja")("東京に住む。") == ["東京", "に", "住む", "。"]


def test_sentences_end_at_the_marks_of_every_script():
    assert split_sentences("मैं आया। वह गया॥ कब? अब") == ["मैं आया।", "वह गया॥", "कब?", "अब"]
    assert split_sentences("یہ گھر ہے۔ کیا؟ ہاں") == ["یہ گھر ہے۔", "کیا؟", "ہاں"]
    assert split_sentences("ខ្មែរ។ ទៀត") == ["ខ្មែរ។", "ទៀត"]
    assert split_sentences("Բարև։ Այո") == ["Բարև։", "Այո"]


def test_decomposed_text_and_dictionaries_meet_composed_vectors():
    words = {
        word for sentence in segmenter("unicode", "vi")(normalize("NFD", "tiếng Việt")) for word in sentence
    }
    entries = [Entry("language", normalize("NFD", "tiếng"), 0.5), Entry("language", "tiếng", 0.7)]
    lexicon = lexicon_table(entries)
    assert lexicon["target"].to_pylist() == ["tiếng"]
    assert lexicon["score"].to_pylist() == pytest.approx([0.7])
    assert words == {"tiếng", "Việt"}
