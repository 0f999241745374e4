"""MARC: stars, classes, fields of the text, and one clear line for every kind of bad line."""

import json
from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.tasks.marc import labels, read

TASK = {"classes": 3, "fields": ["review_title", "review_body"]}
REVIEW = {
    "review_id": "de_1",
    "stars": "2",
    "review_body": "Taugt nicht.",
    "review_title": "Naja",
    "language": "de",
}


def reviews(folder, *rows):
    path = folder / "dataset_de_train.json"
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {"train": str(path)}


@pytest.mark.parametrize(
    ("classes", "expected"),
    [(3, ["negative", "negative", "neutral", "positive", "positive"]), (5, ["1", "2", "3", "4", "5"])],
)
def test_stars_become_classes(tmp_path, classes, expected):
    task = {**TASK, "classes": classes}
    files = reviews(tmp_path, *({**REVIEW, "stars": str(stars)} for stars in range(1, 6)))
    assert [example.label for example in read(files, "train", task)] == expected
    assert labels(task) == tuple(dict.fromkeys(expected))


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (["review_title", "review_body"], "Naja Taugt nicht."),
        (["review_body"], "Taugt nicht."),
    ],
)
def test_the_text_is_made_of_the_configured_fields(tmp_path, fields, text):
    examples = list(read(reviews(tmp_path, REVIEW), "train", {**TASK, "fields": fields}))
    assert examples == [("de_1", "negative", text)]


def test_stars_may_be_numbers_and_lines_may_be_blank(tmp_path):
    files = reviews(tmp_path, {**REVIEW, "stars": 5}, "")
    assert [example.label for example in read(files, "train", TASK)] == ["positive"]


def test_line_separators_within_a_review_do_not_end_a_line(tmp_path):
    files = reviews(tmp_path, json.dumps({**REVIEW, "review_body": "eins\u2028zwei"}, ensure_ascii=False))
    assert [example.text for example in read(files, "train", TASK)] == ["Naja eins\u2028zwei"]


def test_a_split_is_streamed(tmp_path):
    files = reviews(tmp_path, REVIEW, "{broken")
    examples = read(files, "train", TASK)
    assert next(examples).id == "de_1"  # the second line has not been read


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"review_id": "x", "sta', r"not valid JSON \(.*\); fetch the file again"),
        ("[1]", "a JSON object expected, not list"),
        ({**REVIEW, "stars": "6"}, "stars '6' is not one of 1, 2, 3, 4, 5"),
        ({**REVIEW, "review_body": None}, "no text under 'review_body'"),
        ({"review_id": "x", "stars": "1"}, "no text under 'review_title'"),
    ],
)
def test_bad_lines_are_named(tmp_path, line, message):
    with pytest.raises(InputError, match=rf"dataset_de_train.json:2: {message}") as caught:
        list(read(reviews(tmp_path, REVIEW, line), "train", TASK))
    assert "\n" not in str(caught.value)


def test_another_encoding_is_refused_with_its_line(tmp_path):
    files = reviews(tmp_path, REVIEW)
    with Path(files["train"]).open("ab") as stream:
        stream.write('{"review_id": "ü"}\n'.encode("latin-1"))
    with pytest.raises(InputError, match=r"dataset_de_train.json:2: not UTF-8"):
        list(read(files, "train", TASK))


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no review"):
        list(read(reviews(tmp_path, ""), "train", TASK))
