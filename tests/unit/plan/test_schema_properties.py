"""Any value anywhere in a configuration is legal, or one line says where it is wrong."""

import copy
import math

import pytest
from configured import refused, shipped
from hypothesis import given, settings
from hypothesis import strategies as st

from xstitch.core.errors import InputError
from xstitch.plan.settings import validate

NUMBERS = [-1, 0, 1.5, math.nan, math.inf, True]
TEXTS = ["x", "", "1e-5", "x y"]
NESTED = [[], {}, [1], ["x", "x"], {"a": 1}, {"a/b": {}}, {"extends": "mbert"}]
WRONG = [None, *NUMBERS, *TEXTS, *NESTED]


def paths(value, path=()):
    """The paths of all values: keys and positions in lists."""
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield (*path, key)
        yield from paths(child, (*path, key))


PATHS = list(paths(shipped()))


def put(config, path, value):
    config = copy.deepcopy(config)
    *parents, last = path
    parent = config
    for key in parents:
        parent = parent[key]
    parent[last] = value
    return config


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(PATHS), st.sampled_from(WRONG))
def test_a_wrong_value_is_one_line(path, value):
    try:
        validate(put(shipped(), path, value))
    except InputError as problem:
        line = str(problem)
        assert line.startswith("config: ")
        assert "\n" not in line
        assert len(line) < 800


@pytest.mark.parametrize("value", [None, 1, "x", []])
def test_entries_without_keys_are_refused_where_they_are_and_not_in_what_extends_them(value):
    assert refused(tasks={"reviews": value}).startswith(f"tasks.reviews: {value!r} is not allowed")
