"""Ways to anchors by name: the settings of a recipe reach the method that it names."""

import numpy as np
import pytest
from rotated import rotated_spaces

from xstitch.spaces.anchors import search
from xstitch.spaces.anchors.alternate import AlternationSettings
from xstitch.spaces.anchors.optimise import OptimisationSettings
from xstitch.spaces.anchors.search import find_anchors, known_anchors
from xstitch.spaces.anchors.sinkhorn import SinkhornSettings
from xstitch.spaces.self_learning import SelfLearning

OPTIMISE = {
    "way": "optimise",
    "anchors": 30,
    "seeds": 15,
    "steps": 100,
    "learning_rate": 0.05,
    "sinkhorn": {"eps": 1e-4, "iterations": 1, "stop": 1e-5},
}
ALTERNATE = {
    "way": "alternate",
    "anchors": 30,
    "seeds": 15,
    "start": {"eps": 0.2, "iterations": 4},
    "learning": {"vocabulary": 200, "patience": 3},
    "vocabulary": 300,
    "restarts": 2,
}


@pytest.mark.parametrize("settings", [OPTIMISE, ALTERNATE], ids=lambda settings: settings["way"])
def test_both_searches_recover_a_noiseless_permuted_rotation_from_15_seeds(settings):
    spaces = rotated_spaces()
    found = find_anchors(spaces, settings, seed=0)
    np.testing.assert_array_equal(found.rows, spaces.partners[spaces.anchors])


def test_every_setting_arrives(monkeypatch):
    monkeypatch.setattr(search, "optimise_anchors", lambda _, settings: settings)
    monkeypatch.setattr(search, "alternate_anchors", lambda _, settings: settings)
    sinkhorn = {"eps": 0.5, "iterations": 3, "stop": 0.1}
    settings = {**OPTIMISE, "steps": 7, "learning_rate": 0.3, "sinkhorn": sinkhorn}
    assert find_anchors(None, settings, 4) == OptimisationSettings(7, 0.3, SinkhornSettings(0.5, 3, 0.1), 4)
    assert find_anchors(None, ALTERNATE, 4) == AlternationSettings(
        SinkhornSettings(0.2, 4), SelfLearning(vocabulary=200, patience=3), 300, 2, 4
    )


def test_known_anchors_are_all_or_the_seeds():
    spaces = rotated_spaces()
    np.testing.assert_array_equal(
        known_anchors(spaces, "given"), spaces.target[spaces.partners[spaces.anchors]]
    )
    np.testing.assert_array_equal(known_anchors(spaces, "seeds"), known_anchors(spaces, "given")[:15])
