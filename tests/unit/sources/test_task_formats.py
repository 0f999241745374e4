"""Readers of task data: every layout in miniature, and one clear line for every kind of bad file."""

import json

import pytest

from xstitch.core.errors import InputError
from xstitch.core.lines import line_of, numbered_lines
from xstitch.sources.tasks import conll, panx, squad, tatoeba, tydiqa, universal_dependencies, wikiann, xnli


def write(folder, text, name="file", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def refused(rows, message):
    with pytest.raises(InputError, match=message) as raised:
        list(rows)
    assert "\n" not in str(raised.value)


def test_only_line_feeds_end_lines(tmp_path):
    path = write(tmp_path, "\ufeffa\x85b\u2028c\r\n\ufeff\x0bd")
    assert list(numbered_lines(path)) == [(1, "a\x85b\u2028c"), (2, "\ufeff\x0bd")]


# XNLI in portions


def test_neither_portions_of_languages_nor_splits_share_a_pair(tmp_path):
    rows = "".join(f"p{n}\th{n}\tneutral\n" for n in range(50))
    path = write(tmp_path, f"premise\thypo\tlabel\n{rows}")
    sizes = {"train": 10, "dev": 4, "test": 6}  # two portions of 20, and 10 left over
    task = {"portions": sizes, "seed": 1, "language": "de"}
    files = dict.fromkeys(sizes, str(path))
    read = {
        (portion, split): [row.text for row in xnli.read(files, split, {**task, "portion": portion})]
        for portion in (0, 1, 2)
        for split in sizes
    }
    assert [len(read[0, split]) for split in sizes] == [10, 4, 6]
    drawn = [text for (portion, _), texts in read.items() if portion < 2 for text in texts]
    assert len(drawn) == len(set(drawn)) == 40
    assert read[0, "test"] == read[2, "test"] != sorted(drawn)[:6]  # a third language gets the first one's
    refused(
        xnli.read(files, "train", {**task, "portion": 0, "portions": {**sizes, "train": 90}}),
        "holds 50 labelled pairs, but `portions` asks for 100; lower it",
    )


# PAN-X and WikiANN


def test_panx_is_read_with_and_without_prefixes(tmp_path):
    expected = [(("Anton", ":"), ("B-PER", "O")), (("Rom",), ("B-LOC",))]
    plain = write(tmp_path, "Anton\tB-PER\n:\tO\n\n\nRom\tB-LOC", "plain")
    prefixed = write(tmp_path, "de:Anton\tB-PER\nde::\tO\n\nde:Rom\tB-LOC\n\n\n", "prefixed")
    assert list(panx.read_panx(plain, "de")) == list(panx.read_panx(prefixed, "de")) == expected
    assert list(wikiann.read_wikiann(prefixed, "de")) == expected
    refused(wikiann.read_wikiann(plain, "de"), "plain:1: 'Anton' lacks the prefix 'de:'")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("de:Anton\tB-PER\nde:geht", "file:2: 'token TAB tag' expected, not 1 fields"),
        ("de:Anton\tB-PER\n\nde:x\tO\ty", "file:3: 'token TAB tag' expected, not 3 fields"),
        ("de:Anton\tB-MISC", "file:1: tag 'B-MISC' is not one of O, B-PER"),
        ("de:Anton\tB-PER\nen:x\tO", "file:2: 'en:x' lacks the prefix 'de:'"),
        ("\n\n", "file: holds no sentence"),
    ],
)
def test_bad_panx_files_are_named(tmp_path, text, message):
    refused(panx.read_panx(write(tmp_path, text), "de"), message)


def test_a_line_in_another_encoding_is_named(tmp_path):
    path = write(tmp_path, "Rom\tB-LOC\nKöln\tB-LOC\n", encoding="iso-8859-1")
    refused(panx.read_panx(path, "de"), "file:2: not UTF-8 text")
    refused(panx.read_panx(write(tmp_path, "Rom\tB-LOC", encoding="utf-16"), "de"), "file:1: not UTF-8 text")


# CoNLL

SPANISH = "-DOCSTART- -DOCSTART- O\nEl DA O\nEspañol NC B-PER\n\n-DOCSTART- -DOCSTART- O\n\nÁvila NC B-LOC\n"


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-8"])
def test_conll2002_is_read_in_both_encodings_without_document_lines(tmp_path, encoding):
    path = write(tmp_path, SPANISH, encoding=encoding)
    assert list(conll.read_conll2002(path)) == [(("El", "Español"), ("O", "B-PER")), (("Ávila",), ("B-LOC",))]


def test_a_document_line_ends_a_sentence_and_no_break_spaces_do_not_split_words(tmp_path):
    path = write(tmp_path, "a N O\n-DOCSTART- -DOCSTART- O\n20\xa0000 N O\n", encoding="iso-8859-1")
    assert [sentence.words for sentence in conll.read_conll2002(path)] == [("a",), ("20\xa0000",)]


def test_conll2003_with_and_without_lemmas_becomes_iob2(tmp_path):
    english = write(tmp_path, "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\n", "english")
    german = write(tmp_path, "Köln Köln NE I-NC I-LOC\nEU EU NE I-NC I-ORG\n", "german", "iso-8859-1")
    assert list(conll.read_conll2003(english)) == [(("EU", "rejects"), ("B-ORG", "O"))]
    assert list(conll.read_conll2003(german)) == [(("Köln", "EU"), ("B-LOC", "B-ORG"))]


def test_iob1_marks_the_beginning_only_of_adjacent_names_of_the_same_kind():
    first = ("I-PER", "I-PER", "B-PER", "I-PER", "O", "I-LOC", "I-ORG", "B-ORG")
    second = ("B-PER", "I-PER", "B-PER", "I-PER", "O", "B-LOC", "B-ORG", "B-ORG")
    assert conll.as_iob2(first) == second
    assert conll.as_iob2(second) == second
    assert conll.as_iob2(()) == ()


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (conll.read_conll2002, "El DA O\nrey NC\n", "file:2: 3 columns expected, not 2: 'rey NC'"),
        (conll.read_conll2003, "EU NNP O\n", "file:1: 4 or 5 columns expected, not 3"),
        (conll.read_conll2002, "a b O\n\nEl DA B-GPE\n", "file:3: tag 'B-GPE' is not one of"),
        (conll.read_conll2002, "-DOCSTART- -X- O\n", "file: holds no sentence"),
    ],
)
def test_bad_conll_files_are_named(tmp_path, reader, text, message):
    refused(reader(write(tmp_path, text)), message)


@pytest.mark.parametrize("encoding", ["utf-16", "cp850"])
def test_text_that_is_neither_latin_nor_utf8_is_refused(tmp_path, encoding):
    path = write(tmp_path, "El DA O\nÁvila señor B-LOC\n¿é N O", encoding=encoding)
    refused(conll.read_conll2002(path), r"file:\d: neither UTF-8 nor ISO-8859-1")


@pytest.mark.parametrize(("first", "second", "line"), [(0, 1, 2), (1, 0, 1)])
def test_a_mixture_of_latin_and_utf8_is_refused(tmp_path, first, second, line):
    path, encodings = tmp_path / "file", ("iso-8859-1", "utf-8")
    rows = ("Ávila NC B-LOC\n".encode(encodings[first]), "Español NC B-PER\n".encode(encodings[second]))
    path.write_bytes(b"".join(rows))
    refused(conll.read_conll2002(path), f"file:{line}: (UTF-8 in a file that|neither UTF-8)")


# Universal Dependencies


def conllu(*rows):
    """Build lines with the given ID, FORM and UPOS; strings are used as they are."""
    lines = [row if isinstance(row, str) else f"{row[0]}\t{row[1]}\t_\t{row[2]}" + 6 * "\t_" for row in rows]
    return "\n".join(lines)


def test_words_are_read_without_ranges_and_empty_nodes(tmp_path):
    text = conllu(
        "# text = Il va au bois",
        (1, "Il", "PRON"),
        (2, "va", "VERB"),
        ("3-4", "au", "_"),
        (3, "à", "ADP"),
        (4, "le", "DET"),
        ("4.1", "grand", "ADJ"),
        (5, "10 000", "NUM"),
        "",
        ("0.1", "_", "PRON"),
        (1, "Bah", "INTJ"),
    )
    for ends in ("\n", "\r\n"):
        path = write(tmp_path, text.replace("\n", ends))
        assert list(universal_dependencies.read_conllu(path)) == [
            (("Il", "va", "à", "le", "10 000"), ("PRON", "VERB", "ADP", "DET", "NUM")),
            (("Bah",), ("INTJ",)),
        ]


def tree(*words):
    """Write CoNLL-U lines of (ID, form, tag, head)."""
    lines = (f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t_\t_\t_" for number, form, tag, head in words)
    return "\n".join(lines) + "\n"


def written(tmp_path, text, language):
    return [
        list(zip(*sentence, strict=True))
        for sentence in universal_dependencies.read_written(write(tmp_path, text), language)
    ]


def test_xtreme_has_words_as_they_are_written(tmp_path):
    french = tree(
        *((1, "Il", "PRON", 2), (2, "va", "VERB", 0), ("3-4", "au", "_", "_"), (3, "à", "ADP", 5)),
        *((4, "le", "DET", 5), ("4.1", "grand", "ADJ", "_"), (5, "bois", "NOUN", 2)),
    )
    assert written(tmp_path, french, "fr") == [
        [("Il", "PRON"), ("va", "VERB"), ("au", "ADP"), ("bois", "NOUN")]
    ]
    # The noun is the highest of the three words of "in the house", though it is the last.
    hebrew = tree(
        *((1, "gar", "VERB", 0), ("2-4", "babait", "_", "_")),
        *((2, "b", "ADP", 4), (3, "ha", "DET", 4), (4, "bait", "NOUN", 1)),
    )
    assert written(tmp_path, hebrew + "\n" + hebrew, "he") == [[("gar", "VERB"), ("babait", "NOUN")]] * 2


@pytest.mark.parametrize(("language", "tag"), [("es", "AUX"), ("de", "PRON")])
def test_of_equally_high_words_the_languages_order_of_tags_decides(tmp_path, language, tag):
    text = tree(("1-2", "xy", "_", "_"), (1, "x", "PRON", 3), (2, "y", "AUX", 3), (3, "z", "VERB", 0))
    assert written(tmp_path, text, language) == [[("xy", tag), ("z", "VERB")]]


def test_words_of_xtreme_have_no_spaces_and_no_joiners(tmp_path):
    text = tree((1, "học sinh", "NOUN", 0), (2, "می\u200cروم", "VERB", 1))
    assert written(tmp_path, text, "vi") == [[("họcsinh", "NOUN"), ("میروم", "VERB")]]


def test_the_task_says_which_words_are_read(tmp_path):
    path = str(write(tmp_path, tree(("1-2", "zum", "_", "_"), (1, "zu", "ADP", 0), (2, "dem", "DET", 1))))
    for words, read in (("syntactic", ["zu", "dem"]), ("xtreme", ["zum"])):
        task = {"words": words, "language": "de"}
        (row,) = universal_dependencies.read({"test": [path]}, "test", task)
        assert row.words == read
    (row,) = universal_dependencies.read({"test": [path]}, "test", {"language": "de"})
    assert row.words == ["zu", "dem"]


def test_heads_in_a_circle_end(tmp_path):
    text = tree(("1-2", "xy", "_", "_"), (1, "x", "NOUN", 2), (2, "y", "VERB", 1))
    assert written(tmp_path, text, "de") == [[("xy", "VERB")]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("2\tva\tVERB", "file:2: 10 columns expected in CoNLL-U, not 3"),
        ((2, "", "VERB"), "file:2: 10 columns expected in CoNLL-U, not 9"),
        ((2, "va", "V"), "file:2: UPOS 'V' is not one of ADJ, ADP"),
        ((2, "va", "_"), "file:2: UPOS '_' is not one of"),
        (("2a", "va", "VERB"), "file:2: ID '2a' is not a word"),
    ],
)
def test_bad_conllu_lines_are_named(tmp_path, row, message):
    refused(universal_dependencies.read_conllu(write(tmp_path, conllu((1, "Il", "PRON"), row))), message)


# Tatoeba


def test_translations_are_read_line_by_line(tmp_path):
    german, english = write(tmp_path, "Ja. \nNein.\n", "de"), write(tmp_path, "Yes.\nNo.", "en")
    assert list(tatoeba.read_tatoeba(german, english)) == [("Ja.", "Yes."), ("Nein.", "No.")]


@pytest.mark.parametrize(
    ("german", "english", "message"),
    [
        ("Ja.\nNein.", "Yes.", "en:2: no such line, but .*de has one"),
        ("Ja.", "Yes.\nNo.", "de:2: no such line, but .*en has one"),
        ("Ja.\n\nDoch.", "Yes.\nNo.\nBut yes.", "de:2: an empty line"),
        ("", "", "de: holds no sentence"),
    ],
)
def test_bad_translations_are_named(tmp_path, german, english, message):
    refused(tatoeba.read_tatoeba(write(tmp_path, german, "de"), write(tmp_path, english, "en")), message)


# XNLI and MultiNLI

HEADER = "language gold_label sentence1 sentence2 pairID genre label1 label2 label3 label4 label5".split()
ROWS = [
    ["de", "neutral", 'Er "ging.', "Er lief.", "1n", "fiction", "neutral", "", "", "", ""],
    ["en", "entailment", "He went.", "He moved.", "1e", "fiction", "entailment", "", "", "", ""],
    ["de", "-", "Er ging.", "Sie ging.", "2n", "fiction", "neutral", "entailment", "", "", ""],
    ["de", "contradiction", "Er ging.", "Er blieb.", "2c", "fiction", "contradiction", "", "", "", ""],
]
GERMAN = [
    ("1n", 'Er "ging.', "Er lief.", "neutral"),
    ("2c", "Er ging.", "Er blieb.", "contradiction"),
]


def table(header, *rows):
    return "\n".join("\t".join(row) for row in (header, *rows)) + "\n"


def test_tables_and_json_lines_give_the_same_pairs_with_labels(tmp_path):
    lines = "\n".join(json.dumps(dict(zip(HEADER, row, strict=True))) for row in ROWS)
    for path in (write(tmp_path, table(HEADER, *ROWS), "xnli.tsv"), write(tmp_path, lines, "xnli.jsonl")):
        assert list(xnli.read_xnli(path, "de")) == GERMAN
        refused(xnli.read_xnli(path, "fr"), "holds no labelled pair in language 'fr'")
        refused(xnli.read_xnli(path), r":[12]: the file is in several languages")


def test_translated_training_data_and_plain_columns_are_read(tmp_path):
    rows = [["Er ging.", "Er blieb.", "contradictory"], ["Er ging.", "Er lief.", "neutral"]]
    translated = write(tmp_path, table(xnli.TRANSLATED, *rows), "translated")
    assert [pair[1:] for pair in xnli.read_xnli(translated, "de")] == [
        ("Er ging.", "Er blieb.", "contradiction"),
        ("Er ging.", "Er lief.", "neutral"),
    ]
    plain = write(tmp_path, table(*rows), "plain")
    assert [pair.id for pair in xnli.read_xnli(plain)] == ["1", "2"]
    assert [pair.label for pair in xnli.read_xnli(plain)] == ["contradiction", "neutral"]


def test_stripped_columns_of_annotators_are_accepted_but_a_missing_one_is_refused(tmp_path):
    header, row = HEADER[1:], ROWS[0][1:]  # MultiNLI has no column for languages
    assert len(list(xnli.read_xnli(write(tmp_path, table(header, row[:6]))))) == 1
    without_premise = [row[0], *row[2:]]
    refused(
        xnli.read_xnli(write(tmp_path, table(header, without_premise))), "file:2: 10 columns expected, not 9"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Er ging.\tEr blieb.\n", "file:1: 3 columns expected, not 2"),
        ("a\tb\tneutral\na\tb\tmaybe\n", "file:2: label 'maybe' is not one of entailment, neutral, contra"),
        ("gold_label\tsentence1\nneutral\ta\n", "file:2: no column or key 'sentence2'"),
        ('{"gold_label": "neutral", "sentence1": "a"}', "file:1: no column or key 'sentence2'"),
        ('{"gold_label": "-", "sentence1": "a", "sentence2": "b"}\n{"gold', "file:2: not valid JSON"),
        ("", "file: holds no labelled pair"),
    ],
)
def test_bad_pairs_are_named(tmp_path, text, message):
    refused(xnli.read_xnli(write(tmp_path, text)), message)


# SQuAD

CONTEXT = "  Rom ist groß. Köln nicht."


def document(*questions):
    return {"version": "1.1", "data": [{"paragraphs": [{"context": CONTEXT, "qas": list(questions)}]}]}


def question(name="q1", text="groß", start=10, **more):
    return {"id": name, "question": "Wie?", "answers": [{"text": text, "answer_start": start}], **more}


def test_questions_are_read_with_unchanged_contexts(tmp_path):
    path = write(tmp_path, json.dumps(document(question(), question("q2", "Köln", 16))))
    assert list(squad.read_squad(path)) == [
        ("q1", "Wie?", CONTEXT, ((10, "groß"),)),
        ("q2", "Wie?", CONTEXT, ((16, "Köln"),)),
    ]


def test_languages_of_tydiqa_are_recognised_by_ids(tmp_path):
    path = write(tmp_path, json.dumps(document(question("finnish-1-0"), question("korean-1-0"))))
    assert [row.id for row in tydiqa.read_tydiqa(path, "ko")] == ["korean-1-0"]
    refused(tydiqa.read_tydiqa(path, "te"), "holds no question whose id begins with 'telugu-'")
    refused(tydiqa.read_tydiqa(path, "xx"), "holds no question whose id begins with 'xx-'")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            document(question(start=24)),
            "file:1: article 1, paragraph 1, question 'q1': .* 24 to 28 is outside .* of 27",
        ),
        (document(question(start=-1)), "question 'q1': .* outside its context"),
        (
            document(question(start=11)),
            "question 'q1': the answer is 'groß', but 'roß.' is at answer_start 11",
        ),
        (document(question(text="")), "question 'q1': the answer is empty"),
        (document(question(start="11")), "question 'q1': no 'answer_start' with a JSON int"),
        (document(question(), question("q2", answers=[])), "question 'q2': has no answer"),
        (document({"question": "Wie?"}), "file:1: article 1, paragraph 1: no 'id'"),
        ({"data": [{"paragraphs": [{"qas": []}]}]}, "file:1: article 1, paragraph 1: no 'context'"),
        ({"data": [{"paragraphs": []}, {}]}, "file:1: article 2: no 'paragraphs' with a JSON list"),
        ([1], "file:1: no 'data' with a JSON list"),
        ({"data": []}, "file: holds no question"),
    ],
)
def test_bad_questions_are_named(tmp_path, content, message):
    refused(squad.read_squad(write(tmp_path, json.dumps(content))), message)


@pytest.mark.parametrize(
    ("bad", "line", "message"),
    [
        (question("q2", start=99), 23, "question 'q2': the answer at characters 99"),
        (question("q2", question=None), 19, "question 'q2': no 'question'"),
        ({"question": "Wie?"}, 19, "article 1, paragraph 1: no 'id'"),
    ],
)
def test_the_line_of_a_bad_question_is_named(tmp_path, bad, line, message):
    text = json.dumps(document(question(), bad), indent=1)
    refused(squad.read_squad(write(tmp_path, text)), f"file:{line}: .*{message}")
    assert text.splitlines()[line - 1].strip() == "{"


def test_lines_of_json_values_are_found_with_any_white_space():
    text = '\n{"a" :\n [ 1,\n"]}" , {"b":\n{}, "b"\n: [\n] }\n]\r\n}'
    assert [line_of(text, keys) for keys in ((), ("a",), ("a", 0), ("a", 1), ("a", 2))] == [2, 3, 3, 4, 4]
    assert line_of(text, ("a", 2, "b")) == 6


def test_truncated_and_differently_encoded_json_is_named(tmp_path):
    text = json.dumps(document(question()), indent=1, ensure_ascii=False)
    refused(
        squad.read_squad(write(tmp_path, text[:-20])), r"file:\d\d: not valid JSON .* fetch the file again"
    )
    refused(squad.read_squad(write(tmp_path, text, encoding="iso-8859-1")), "file:7: not UTF-8 text")
