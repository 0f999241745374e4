"""The mini world in the configuration: one line for every mistake."""

import pytest
from configured import checked, refused


@pytest.mark.parametrize(
    ("world", "line"),
    [
        ({"concept": 300}, "concept: unknown key with value 300"),
        ({"concepts": -5}, "concepts: -5 is not allowed; legal: at least 120"),
        ({"concepts": "many"}, "concepts: 'many' is not allowed; legal: a whole number"),
        ({"overlap": 1.5}, "overlap: 1.5 is not allowed; legal: at most 1"),
        ({"verses": {"trian": 3}}, "verses.trian: unknown key with value 3"),
        ({"verses": 3}, "verses: 3 is not allowed; legal: keys with values"),
        ({"languages": {"qaa": ...}}, "languages: the source language qaa is missing; add it"),
        (
            {"languages": {"qaa": {"sentences": -1}}},
            "languages.qaa.sentences: -1 is not allowed; legal: at least 1",
        ),
        (
            {"languages": {"qaa": {"order": "OSV"}}},
            "languages.qaa.order: 'OSV' is not allowed; legal: SVO, SOV, VSO",
        ),
        (
            {"languages": {"qaa": {"case": "yes"}}},
            "languages.qaa.case: 'yes' is not allowed; legal: true or false",
        ),
        ({"languages": {"q-b": {}}}, "languages.q-b: 'q-b' is not a legal name; legal: lowercase letters"),
    ],
)
def test_a_wrong_world_is_one_line(world, line):
    assert refused(world=world).startswith(f"world.{line}")


def test_a_language_can_keep_its_defaults():
    assert checked(world={"languages": {"qax": None}})["world"]["languages"]["qax"] is None
