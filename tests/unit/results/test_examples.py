"""Examples of answers: which are chosen, and which of their words have no vector."""

import pyarrow as pa

from xstitch.models.stitching import word_tokenizer
from xstitch.results.examples import by_turns, examples, pieces
from xstitch.results.scores import predictions_table

SPECIAL = {role: f"[{role[:3].upper()}]" for role in ("pad_token", "unk_token", "cls_token", "sep_token")}
SPECIAL["mask_token"] = "[MASK]"
WORDS = ["sun", "flower", "the", "shines", ","]
TOKENIZER = word_tokenizer(WORDS, SPECIAL)


def found(text):
    return [(piece.text, piece.state) for piece in pieces(text, TOKENIZER, "[UNK]")]


def test_words_without_a_vector_are_composed_or_unknown():
    assert found("The sunflower, zzz shines") == [
        ("The", ""),
        (" ", ""),
        ("sunflower", "composed"),
        (",", ""),
        (" ", ""),
        ("zzz", "unknown"),
        (" ", ""),
        ("shines", ""),
    ]


def test_marks_are_not_words_and_the_text_stays_as_it_was():
    assert found("sun !?  ") == [("sun", ""), (" ", ""), ("!", ""), ("?", ""), ("  ", "")]


def test_letters_that_are_normalised_keep_their_places():
    text = "SUN e\u0301t the"  # an accent of its own becomes part of its letter before words are looked up
    assert [piece for piece in found(text) if piece[1]] == [("e\u0301t", "unknown")]
    assert "".join(piece for piece, _ in found(text)) == text


def test_a_long_text_is_cut():
    shown = "".join(piece for piece, _ in found("sun " * 1000))
    assert len(shown) < 610 and shown.endswith("…")


def test_labels_take_turns():
    rows = [{"label": label, "id": number} for label, number in ("x3", "y9", "x1", "z5", "x2", "y4")]
    assert [row["label"] + row["id"] for row in by_turns(rows)] == ["x1", "y4", "z5", "x2", "y9", "x3"]


def test_right_and_wrong_answers_of_the_first_seed():
    texts = {"id": ["1", "2", "3"], "label": ["x", "x", "y"]}
    tables = [
        predictions_table("b", seed, texts, list(answers)) for seed, answers in ((2, "yyy"), (1, "xyy"))
    ]
    shown = examples(pa.concat_tables(tables), {"1": "sun", "2": "zzz", "3": "the"}, TOKENIZER, "[UNK]")
    assert [(one.label, one.predicted, one.pieces[0].text) for one in shown["right"]] == [
        ("x", "x", "sun"),
        ("y", "y", "the"),
    ]
    assert [(one.label, one.predicted) for one in shown["wrong"]] == [("x", "y")]
    assert shown["wrong"][0].words("unknown") == ["zzz"]
    assert shown["wrong"][0].words("composed") == []


def test_at_most_ten_of_each():
    ids = [f"{number:02d}" for number in range(25)]
    table = predictions_table("b", 1, {"id": ids, "label": ["x"] * 25}, ["x"] * 12 + ["y"] * 13)
    shown = examples(table, dict.fromkeys(ids, "sun"), TOKENIZER, "[UNK]")
    assert [len(part) for part in shown.values()] == [10, 10]
