"""Models made from dataclasses."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from pydantic import ValidationError

from xstitch.core.settings import Count, Share
from xstitch.plan.schema.derived import keys_of, some_keys_of

SCRIPTS = Path(__file__).parents[3] / "workflow/scripts"


@dataclass(frozen=True)
class Inner:
    share: Share = 0.5
    """How much."""
    seed: int = 0


@dataclass(frozen=True)
class Outer:
    size: Count
    way: Literal["a", "b"] = "a"
    limit: Count | None = None
    inner: Inner = field(default_factory=Inner)
    seed: int = 0


def errors(model, **values):
    with pytest.raises(ValidationError) as caught:
        model.model_validate(values)
    return [(error["type"], error["loc"]) for error in caught.value.errors()]


def test_keys_have_the_types_and_bounds_of_fields():
    model = keys_of(Outer)
    model.model_validate({"size": 1, "way": "b", "limit": None, "inner": {"share": 1}})
    assert errors(model, size=0) == [("greater_than_equal", ("size",))]
    assert errors(model, size=1.0) == [("int_type", ("size",))]
    assert errors(model, size=True) == [("int_type", ("size",))]
    assert errors(model, size=1, way="c") == [("literal_error", ("way",))]
    assert errors(model, size=1, inner={"share": 2}) == [("less_than_equal", ("inner", "share"))]


def test_fields_without_a_default_are_required_and_those_set_by_the_run_are_not_keys():
    assert errors(keys_of(Outer)) == [("missing", ("size",))]
    assert errors(keys_of(Outer, needed=("way",)), size=1) == [("missing", ("way",))]
    assert errors(keys_of(Outer), size=1, seed=1) == [("extra_forbidden", ("seed",))]
    assert errors(keys_of(Outer), size=1, inner={"seed": 1}) == [("extra_forbidden", ("inner", "seed"))]
    assert set(keys_of(Outer, leave_out=("inner",)).model_fields) == {"size", "way", "limit", "seed"}


def test_some_keys_may_all_be_missing():
    model = some_keys_of(Outer, "SomeOuter")
    model.model_validate({})
    assert errors(model, size=0) == [("greater_than_equal", ("size",))]


def test_descriptions_and_defaults_reach_the_json_schema():
    inner = keys_of(Outer).model_json_schema()["$defs"]["Inner"]["properties"]
    assert inner["share"]["description"] == "How much."
    assert (inner["share"]["default"], inner["share"]["minimum"], inner["share"]["maximum"]) == (0.5, 0, 1)


SETTINGS = sorted(SCRIPTS.glob("xstitch/*/settings/*.py"))


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        (["xstitch.plan.run"], "torch"),
        ([".".join(file.relative_to(SCRIPTS).with_suffix("").parts) for file in SETTINGS], "pydantic"),
    ],
    ids=["plans load no torch", "settings load no pydantic"],
)
def test_imports_are_light(modules, absent):
    assert modules
    code = f"import sys, {', '.join(modules)}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, check=False).returncode == 0
