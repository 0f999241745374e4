"""Ways to get anchors by name: a recipe's settings reach the method it names."""

from dataclasses import replace

import numpy as np
import pytest
from rotated import rotated_spaces

from xstitch.core.files import save_npz
from xstitch.spaces.anchors import search
from xstitch.spaces.anchors.problem import Unpaired
from xstitch.spaces.anchors.search import find_anchors, known_anchors, parallel_anchors
from xstitch.spaces.settings.alignment import SelfLearning
from xstitch.spaces.settings.search import (
    AlternationSettings,
    CentroidSettings,
    OptimisationSettings,
    SinkhornSettings,
)
from xstitch.vectors.table import Vectors, unit_rows

OPTIMISE = {
    "kind": "optimise",
    "anchors": 30,
    "seeds": 15,
    "steps": 100,
    "learning_rate": 0.05,
    "sinkhorn": {"eps": 1e-4, "iterations": 1, "stop": 1e-5},
}
ALTERNATE = {
    "kind": "alternate",
    "anchors": 30,
    "seeds": 15,
    "start": {"eps": 0.2, "iterations": 4},
    "learning": {"vocabulary": 200, "patience": 3},
    "vocabulary": 300,
    "restarts": 2,
}


@pytest.mark.parametrize("settings", [OPTIMISE, ALTERNATE], ids=lambda settings: settings["kind"])
def test_both_searches_recover_a_noiseless_permuted_rotation_from_15_seeds(settings):
    spaces = rotated_spaces()
    found = find_anchors(spaces, settings, seed=0)
    np.testing.assert_array_equal(found.rows, spaces.partners[spaces.anchors])


def test_every_setting_arrives(monkeypatch):
    monkeypatch.setattr(search, "optimise_anchors", lambda _, settings: settings)
    monkeypatch.setattr(search, "alternate_anchors", lambda _, settings: settings)
    sinkhorn = {"eps": 0.5, "iterations": 3, "stop": 0.1}
    settings = {**OPTIMISE, "steps": 7, "learning_rate": 0.3, "sinkhorn": sinkhorn}
    expected = OptimisationSettings(7, 0.3, SinkhornSettings(0.5, 3, 0.1), hold_seeds=True, seed=4)
    assert find_anchors(None, settings, 4) == expected
    moved = find_anchors(None, {**settings, "hold_seeds": False}, 4)
    assert moved == replace(expected, hold_seeds=False)
    assert find_anchors(None, ALTERNATE, 4) == AlternationSettings(
        SinkhornSettings(0.2, 4), SelfLearning(vocabulary=200, patience=3), 300, 2, 4
    )


def test_settings_of_searches_without_a_dictionary_arrive(monkeypatch):
    ways = {"centroids": (lambda _, settings: settings, CentroidSettings)}
    monkeypatch.setattr(search, "UNTAUGHT", ways)
    keys = {"clusters": 7, "runs": 3, "neighbours": 5, "smoothing": 0.25}
    # Keys of the lexicon's own, such as its size, are not the search's.
    found = find_anchors(None, {"kind": "centroids", "anchors": 9, "seeds": 0, "vocabulary": 50, **keys}, 4)
    assert found == CentroidSettings(**keys, seed=4)


def test_the_known_pairs_alone_need_no_search():
    spaces = rotated_spaces()
    found = find_anchors(spaces, {"kind": "seeds"}, 0)
    np.testing.assert_array_equal(found.rows, spaces.seeds)
    np.testing.assert_allclose(found.vectors, unit_rows(spaces.seed_anchors), atol=1e-6)
    assert len(found.history) == 0


def test_known_anchors_are_all_or_the_seeds_or_none():
    spaces = rotated_spaces()
    np.testing.assert_array_equal(
        known_anchors(spaces, "given"), spaces.target[spaces.partners[spaces.anchors]]
    )
    np.testing.assert_array_equal(known_anchors(spaces, "seeds"), known_anchors(spaces, "given")[:15])
    assert known_anchors(spaces, "none") is None


def test_anchors_of_a_recipe_come_from_a_search_or_are_known(tmp_path):
    random = np.random.default_rng(0)
    words = [f"w{number}" for number in range(20)]
    source, target = (Vectors(words, random.normal(size=(20, 4)).astype("f4")) for _ in range(2))
    settings = {"kind": "seeds", "anchors": 6, "seeds": 2}
    known = parallel_anchors(source, target, words, settings, seed=3)
    rows = known.spaces.anchors
    assert len(rows) == 6
    np.testing.assert_array_equal(known.source, source.matrix[rows[:2]])
    np.testing.assert_array_equal(known.target, target.matrix[rows[:2]])
    save_npz(tmp_path / "found.npz", vectors=target.matrix[:6], rows=np.arange(6))
    search_settings = {**settings, "kind": "optimise"}
    found = parallel_anchors(
        source, target, words, search_settings, seed=3, search_file=tmp_path / "found.npz"
    )
    np.testing.assert_array_equal(found.source, source.matrix[rows])
    np.testing.assert_array_equal(found.target, target.matrix[:6])
    # As words: row 3 of the file's anchors is word 9, whatever the vector that was found next to it.
    save_npz(tmp_path / "found.npz", vectors=target.matrix[:6], rows=np.array([4, 1, 0, 9, 2, 7]))
    as_words = {**settings, "kind": "words", "of": "ao"}
    nearest = parallel_anchors(source, target, words, as_words, seed=3, search_file=tmp_path / "found.npz")
    np.testing.assert_array_equal(nearest.source, source.matrix[rows])
    np.testing.assert_array_equal(nearest.target, target.matrix[[4, 1, 0, 9, 2, 7]])
    assert parallel_anchors(source, target, words, {**settings, "kind": "none"}, seed=3).target is None
    # Searched for among other texts: the seeds are parallel, the other anchors are of those texts.
    unpaired = Unpaired(100 + source.matrix, 200 + target.matrix, 20)
    own = parallel_anchors(
        source, target, words, search_settings, 3, search_file=tmp_path / "found.npz", unpaired=unpaired
    )
    np.testing.assert_array_equal(own.source[:2], source.matrix[rows[:2]])
    assert (own.source[2:] > 50).all()
    only_seeds = parallel_anchors(source, target, words, settings, seed=3, unpaired=unpaired)
    np.testing.assert_array_equal(only_seeds.target, known.target)
    back = parallel_anchors(source, target, words, settings, seed=3, exchanged=True)
    np.testing.assert_array_equal(back.source, known.target)
    np.testing.assert_array_equal(back.target, known.source)
