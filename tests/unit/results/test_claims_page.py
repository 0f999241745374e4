"""The page of claims: what a reader finds in it, by a hand-made table."""

import base64
import re

import pytest

from xstitch.core.tsv import write_records
from xstitch.results.claims.page import write_claims_page
from xstitch.results.pages import Heading

VERDICTS = [
    ("supported", "holds"),
    ("not supported", "fails"),
    ("supported", "open"),
    ("cannot be told", "not run"),
]


def page(folder, scale, recorded=None):
    records = [
        {
            "paper": "first" if number < 3 else "second",
            "claim": f"claim-{number}",
            "says": f"A < B, {number}.",
            "place": "Table 2",
            "published": published,
            "published_numbers": "de +0.10",
            "verdict": verdict,
            "numbers": "qab +0.20 [0.10 to 0.30]",
            "scale": scale,
        }
        for number, (published, verdict) in enumerate(VERDICTS)
    ]
    write_records(records, folder / "claims.tsv")
    heading = Heading("Claims", "A paper", scale)
    write_claims_page(heading, folder / "claims.tsv", folder / "claims.html", recorded)
    return (folder / "claims.html").read_text(encoding="utf-8")


def test_every_verdict_is_a_sign_a_word_and_a_colour(tmp_path):
    cells = re.findall(r'<td class="(\w+)"><span class="word">(\S) ([a-z ]+)</span>', page(tmp_path, "mini"))
    assert cells == [
        ("yes", "✓", "supported"),
        ("yes", "✓", "holds"),
        ("no", "✗", "not supported"),
        ("no", "✗", "fails"),
        ("yes", "✓", "supported"),
        ("open", "?", "open"),
        ("none", "–", "cannot be told"),
        ("none", "–", "not run"),
    ]


def test_claims_are_grouped_counted_and_escaped(tmp_path):
    text = page(tmp_path, "mini")
    assert re.findall(r'<th colspan="3">(\w+)</th>', text) == ["first", "second"]
    assert "4 claims. By published numbers: 2 supported, 1 not supported, 1 cannot be told." in text
    assert "In this run: 1 holds, 1 fails, 1 open, 1 not run." in text
    assert "A &lt; B, 0." in text and "A < B" not in text
    assert "qab +0.20 [0.10 to 0.30]" in text
    assert "this run, scale mini" in text


@pytest.mark.parametrize(
    ("scale", "warning"),
    [
        ("mini", "the verdicts of this run are about the generated mini world, not"),
        ("real", "the verdicts of this run are about its own data and models, not"),
        ("paper", None),
    ],
)
def test_a_run_says_what_its_verdicts_are_about(tmp_path, scale, warning):
    text = page(tmp_path, scale)
    assert ('<p class="warning">' in text) == (warning is not None)
    assert warning is None or warning in text


def test_the_page_needs_no_other_file(tmp_path):
    text = page(tmp_path, "mini")
    assert base64.b64encode((tmp_path / "claims.tsv").read_bytes()).decode() in text
    assert not re.findall(r'(?:src|href)="(?!data:)', text)


def test_the_matrix_has_a_column_for_each_recorded_scale(tmp_path):
    verdicts = {"paper": "first", "claim": "claim-1", "verdict": "holds", "numbers": "de +0.07"}
    write_records([verdicts], tmp_path / "real.tsv")
    text = page(tmp_path, "mini", {"real": tmp_path / "real.tsv"})
    titles = re.search(r"<thead>(.*)</thead>", text)[1]
    assert re.findall(r"<th>([^<]*)</th>", titles) == [
        "claim",
        "published numbers",
        "this run, scale mini",
        "scale real",
    ]
    assert re.findall(r'<th colspan="(\d)">(\w+)</th>', text) == [("4", "first"), ("4", "second")]
    words = re.findall(r'<span class="word">\S ([a-z ]+)</span><small>([^<]*)</small>', text)
    # Published, this run, recorded; the second claim alone was run at the other scale.
    assert [words[place] for place in (2, 5, 8, 11)] == [
        ("not run", ""),
        ("holds", "de +0.07"),
        ("not run", ""),
        ("not run", ""),
    ]
