"""Verdicts of runs that are kept: which replace which, and what is refused."""

import pytest

from xstitch.core.errors import InputError
from xstitch.core.tsv import write_records
from xstitch.results.claims.recorded import read_verdicts, record_verdicts, verdicts_file

ORDER = [("b", "later"), ("a", "first"), ("a", "second")]


def claims(path, verdicts, scale="mini"):
    rows = [
        {"paper": paper, "claim": claim, "says": "So.", "verdict": verdict, "numbers": "+1", "scale": scale}
        for (paper, claim), verdict in verdicts.items()
    ]
    write_records(rows, path)
    return path


def test_new_verdicts_replace_old_ones_in_the_order_of_the_papers(tmp_path):
    run = claims(
        tmp_path / "one.tsv", {("a", "first"): "open", ("a", "second"): "holds", ("a", "gone"): "fails"}
    )
    path = record_verdicts(run, ORDER, tmp_path)
    assert path == tmp_path / "mini.tsv"
    # What a later run did not judge stays; a claim that no paper has is left out.
    record_verdicts(
        claims(tmp_path / "two.tsv", {("a", "first"): "not run", ("b", "later"): "open"}), ORDER, tmp_path
    )
    found = read_verdicts(path)
    assert {name: row["verdict"] for name, row in found.items()} == {
        ("b", "later"): "open",
        ("a", "first"): "open",
        ("a", "second"): "holds",
    }
    assert list(found) == ORDER
    assert found["a", "first"]["numbers"] == "+1"


def test_scales_have_files_of_their_own(tmp_path):
    path = record_verdicts(claims(tmp_path / "one.tsv", {("a", "first"): "open"}, "real"), ORDER, tmp_path)
    assert path.name == "real.tsv"
    assert verdicts_file("real") == "config/verdicts/real.tsv"


@pytest.mark.parametrize("scale", ["rehearsal", ""])
def test_other_scales_are_refused(tmp_path, scale):
    run = claims(tmp_path / "one.tsv", {("a", "first"): "open"}, scale)
    with pytest.raises(InputError, match="one of the scales mini, real, paper"):
        record_verdicts(run, ORDER, tmp_path)
