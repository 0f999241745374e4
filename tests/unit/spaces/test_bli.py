"""Bilingual lexicon induction on cases computed by hand."""

import numpy as np
import pyarrow as pa
import pytest

from xstitch.core.errors import InputError
from xstitch.spaces import bli
from xstitch.spaces.bli import BliSettings, evaluate_bli
from xstitch.vectors.table import Vectors


def table(*pairs):
    return pa.table({"source": [s for s, _ in pairs], "target": [t for _, t in pairs]})


def angles(**degrees):
    radians = np.radians(list(degrees.values()))
    return Vectors(list(degrees), np.stack([np.cos(radians), np.sin(radians)], axis=1).astype("f4"))


SOURCE = angles(dog=0, cat=40, tree=90)
TARGET = angles(hund=2, koeter=10, katze=41, baum=80, ast=89)


def test_any_translation_is_a_hit():
    result = evaluate_bli(SOURCE, TARGET, table(("dog", "koeter"), ("dog", "hund")))
    assert result.nn == {1: 100, 5: 100, 10: 100}
    assert evaluate_bli(SOURCE, TARGET, table(("dog", "koeter"))).nn[1] == 0


def test_precision_and_coverage_by_hand():
    # dog finds hund, not koeter (rank 1); tree finds ast before baum; cat finds katze; cow is unknown, and
    # fish has no known translation.
    test = table(("dog", "koeter"), ("tree", "baum"), ("cat", "katze"), ("cow", "hund"), ("fish", "fisch"))
    result = evaluate_bli(SOURCE, TARGET, test)
    assert result.nn == {1: pytest.approx(100 / 3), 5: 100, 10: 100}
    assert (result.queries, result.words, result.coverage) == (3, 5, 60)


def test_an_unknown_translation_next_to_a_known_one_does_not_matter():
    result = evaluate_bli(SOURCE, TARGET, table(("dog", "hund"), ("dog", "waldi"), ("dog", "hund")))
    assert (result.nn[1], result.coverage) == (100, 100)


def test_csls_penalises_a_hub():
    # With k = 1 the hub (20 degrees) has mean cos 1 (from its twin), the translation (50) cos 15.
    # Query at 35: cosines are equal, so CSLS prefers the lonely one, whatever the order.
    source, target = angles(query=35, twin=20), angles(hub=20, right=50.01)
    test = table(("query", "right"))
    result = evaluate_bli(source, target, test, BliSettings(csls_k=1))
    assert (result.nn[1], result.csls[1]) == (0, 100)


def test_only_frequent_words_take_part():
    result = evaluate_bli(SOURCE, TARGET, table(("dog", "hund"), ("tree", "baum")), BliSettings(vocabulary=2))
    assert (result.queries, result.words) == (1, 2)


def test_lengths_of_vectors_do_not_matter():
    longer = Vectors(TARGET.words, TARGET.matrix * np.array([[0.1], [9], [1], [50], [2]], dtype="f4"))
    test = table(("dog", "hund"), ("tree", "ast"), ("cat", "katze"))
    assert evaluate_bli(SOURCE, longer, test).row() == evaluate_bli(SOURCE, TARGET, test).row()


def test_row_for_a_table():
    row = evaluate_bli(SOURCE, TARGET, table(("dog", "hund"))).row()
    assert list(row) == [*(f"{m}_p{k}" for m in ("nn", "csls") for k in bli.CUTOFFS), "coverage", "queries"]
    assert (row["csls_p1"], row["coverage"], row["queries"]) == (1, 1, 1)  # shares, not percent


def test_a_dictionary_without_known_words_is_refused():
    with pytest.raises(InputError, match="none of the test dictionary's 1 words"):
        evaluate_bli(SOURCE, TARGET, table(("cow", "kuh")))
    with pytest.raises(InputError, match="csls_k"):
        BliSettings(csls_k=0)


@pytest.mark.parametrize(
    ("settings", "csls"), [(BliSettings(csls_k=1), 0), (BliSettings(csls_k=2), 100), (None, 100)]
)
def test_csls_averages_over_k_neighbours(settings, csls):
    # One word is very near `right`, two are near `hub`. For k = 1 the query's scores 2 cos - r are
    # 2 * .940 - 1 = .879 for `right` and 2 * .937 - .986 = .887 for `hub`; for k = 2 the means are .970 and
    # .985, the scores .910 and .889; for all four, as with ten, the means are .803 and .917.
    source, target = angles(query=0, twin=20, one=-30, two=-31), angles(hub=-20.5, right=20)
    assert evaluate_bli(source, target, table(("query", "right")), settings).csls[1] == csls


def test_defaults_are_those_of_muse():
    assert BliSettings() == BliSettings(csls_k=10, vocabulary=200_000)
