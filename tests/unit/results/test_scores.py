"""Score files."""

import pytest

from xstitch.core.errors import InputError
from xstitch.results.metrics import classification_scores
from xstitch.results.scores import as_scores, read_scores, write_scores

FIELDS = {"recipe": "r", "task": "t", "src": "en", "tgt": "de", "split": "test", "seed": 3, "scale": "mini"}


def test_scores_by_hand_survive_a_round_trip(tmp_path):
    # F1 of a: 2/3 (precision 1, recall 1/2); of b: 2/3; of c, which never occurs: 0. Mean: 4/9.
    values = classification_scores(["a", "a", "b"], ["a", "b", "b"], ["a", "b", "c"])
    assert values == {"macro_f1": pytest.approx(4 / 9), "accuracy": pytest.approx(2 / 3)}
    scores = as_scores(values, 3, **FIELDS)
    assert {score.metric: score.value for score in scores} == values
    write_scores(scores, tmp_path / "s.tsv")
    again = read_scores(tmp_path / "s.tsv")
    assert [(s.tgt, s.seed, s.n, s.scale) for s in again] == [("de", 3, 3, "mini")] * 2
    assert again[0].value == pytest.approx(4 / 9, abs=1e-9)


def test_another_table_is_refused(tmp_path):
    (tmp_path / "s.tsv").write_text("a\tb\n1\t2\n", encoding="utf-8")
    with pytest.raises(InputError, match="a score file has the columns"):
        read_scores(tmp_path / "s.tsv")
