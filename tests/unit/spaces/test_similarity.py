"""Word similarity: correlations by hand, what is left out, malformed files."""

import math

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.spaces.aligned import Sides
from xstitch.spaces.similarity import (
    Item,
    ScoredAlignment,
    evaluate_similarity,
    join_scores,
    look_up,
    similarity_scores,
)
from xstitch.vectors.table import Vectors, unit_rows

# Cosines to "a": b 0.8, c 0.6, d 0.
VECTORS = Vectors(["a", "b", "c", "d"], np.array([[2, 0], [0.8, 0.6], [3, 4], [0, 1]], dtype="f4"))


def test_correlations_by_hand():
    items = [Item("a", "b", 3.0), Item("a", "c", 4.0), Item("a", "d", 1.0)]
    result = evaluate_similarity(VECTORS, VECTORS, items)
    # Ranks 3 2 1 against 2 3 1: 1 - 6 * 2 / (3 * 8) = 0.5.
    assert result.spearman == pytest.approx(0.5)
    assert result.pearson == pytest.approx(np.corrcoef([0.8, 0.6, 0], [3, 4, 1])[0, 1])
    assert (result.used, result.left_out) == (3, 0)


def test_ties_share_their_rank():
    items = [Item("a", "b", 2.0), Item("a", "c", 2.0), Item("a", "d", 1.0)]
    # Ranks 3 2 1 against 2.5 2.5 1: Pearson of the ranks is 1.5 / sqrt(2 * 1.5).
    result = evaluate_similarity(VECTORS, VECTORS, items)
    assert result.spearman == pytest.approx(1.5 / math.sqrt(3))


def test_what_is_left_out_is_counted():
    items = [
        Item("a", "b", 3.0),
        Item("a", "nowhere", 1.0),
        Item("a b", "c", 1.0),
        Item("a b", "nowhere", 1.0),
        Item("d", "a", 0.0),
    ]
    result = evaluate_similarity(VECTORS, VECTORS, items)
    assert (result.used, result.multi_word, result.out_of_vocabulary, result.left_out) == (2, 2, 1, 3)
    assert result.spearman == pytest.approx(1)


def test_two_languages():
    other = Vectors(["x", "y"], np.array([[0, 5], [5, 0]], dtype="f4"))
    result = evaluate_similarity(
        VECTORS, other, [Item("a", "x", 0.0), Item("a", "y", 4.0), Item("x", "a", 1)]
    )
    assert (result.spearman, result.out_of_vocabulary) == (pytest.approx(1), 1)


@pytest.mark.parametrize("items", [[], [Item("a", "b", 1.0)], [Item("a", "b", 1.0), Item("a", "c", 1.0)]])
def test_no_correlation_without_variance(items):
    assert math.isnan(evaluate_similarity(VECTORS, VECTORS, items).spearman)


def test_terms_are_looked_up_as_written_then_in_lower_case():
    vectors = Vectors(["Earth", "earth", "mars"], np.eye(3, dtype="f4"))
    assert [look_up(term, vectors) for term in ("Earth", "earth", "Mars", "Venus")] == [0, 1, 2, None]


def write_pairs(folder, pairs, scores):
    """Write the task's two files and return what is read from them."""
    (folder / "pairs.txt").write_text(pairs, encoding="utf-8", newline="")
    (folder / "keys.txt").write_text(scores, encoding="utf-8", newline="")
    return join_scores(folder / "pairs.txt", folder / "keys.txt")


def test_files_are_read(tmp_path):
    items = write_pairs(tmp_path, "\ufeffblack hole\tstar\nSpider-Man\tخیابان\r\n", "2.5\n0\r\n")
    assert list(items) == [Item("black hole", "star", 2.5), Item("Spider-Man", "خیابان", 0.0)]


@pytest.mark.parametrize(
    ("pair", "score", "message"),
    [
        ("a b", "1.0", "expected"),
        ("a", "1.0", "expected"),
        ("a\t", "1.0", "expected"),
        ("a\tb\t1", "2", "expected"),
        ("a\tb", "much", "'much' is not a finite number"),
        ("a\tb", "nan", "'nan' is not a finite number"),
    ],
)
def test_malformed_lines_are_named(tmp_path, pair, score, message):
    items = write_pairs(tmp_path, f"a\tb\n{pair}\n", f"1.0\n{score}\n")
    with pytest.raises(InputError, match=rf"pairs\.txt:2: .*{message}") as error:
        list(items)
    assert "\n" not in str(error.value)


def test_other_encodings_are_refused(tmp_path):
    (tmp_path / "de.txt").write_bytes(b"B\xe4r\tHund\n")
    (tmp_path / "keys.txt").write_text("1.0\n")
    with pytest.raises(InputError, match="not UTF-8"):
        list(join_scores(tmp_path / "de.txt", tmp_path / "keys.txt"))


def test_pairs_and_scores_in_two_files_are_joined(tmp_path):
    (tmp_path / "pairs.txt").write_text("car\tbicycle\nPromised Land\tBaku\n", encoding="utf-8")
    (tmp_path / "keys.txt").write_text("2.83\n0.42\n", encoding="utf-8")
    items = list(join_scores(tmp_path / "pairs.txt", tmp_path / "keys.txt"))
    assert items == [("car", "bicycle", 2.83), ("Promised Land", "Baku", 0.42)]
    (tmp_path / "keys.txt").write_text("2.83\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"1 scores, but .* has 2 pairs"):
        list(join_scores(tmp_path / "pairs.txt", tmp_path / "keys.txt"))


def test_two_targets_are_compared_in_the_space_of_the_first_pair(tmp_path):
    """Two targets that are linear images of the source agree with each other as they do with themselves."""
    rng = np.random.default_rng(0)
    words = [f"w{number}" for number in range(30)]
    matrix = rng.normal(size=(30, 4)).astype(np.float32)
    maps = [rng.normal(size=(4, 4)).astype(np.float32) for _ in range(2)]
    sides = {
        code: Sides(Vectors(words, matrix @ w), Vectors(words, matrix @ w))
        for code, w in zip(("b", "c"), maps, strict=True)
    }
    items = list(zip(words[:15], words[15:], strict=True))
    spaces = sides["b"].source.matrix
    truth = np.sum(unit_rows(spaces[:15]) * unit_rows(spaces[15:]), axis=1)
    (tmp_path / "pairs").write_text("".join(f"{a}\t{b}\n" for a, b in items))
    (tmp_path / "gold").write_text("".join(f"{value:.6f}\n" for value in truth))
    tests = dict.fromkeys([("a", "a"), ("a", "b"), ("b", "c")], (tmp_path / "pairs", tmp_path / "gold"))
    scores = list(similarity_scores(ScoredAlignment("x", "a", "mini"), sides, tests))
    assert [(s.src, s.tgt, s.metric) for s in scores[::4]] == [
        ("a", "a", "spearman"), ("a", "b", "spearman"), ("b", "c", "spearman")
    ]  # fmt: skip
    # Both correlations are perfect, and nothing is left out.
    assert [s.value for s in scores] == pytest.approx([1.0, 1.0, 0.0, 0.0] * 3, abs=1e-4)
