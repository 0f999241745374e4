"""Why a job runs again: the modules that changed stand in the reason, not two digests."""

import pytest
from snakemake.jobs import Reason
from snakemake.persistence import ParamsChange

from xstitch.plan.library_changes import changed_behind, explain_rerun, note_modules

OLD, NEW = "a" * 16, "b" * 16
BEFORE = {"xstitch/__init__.py": "0", "xstitch/spaces/relative.py": "1", "xstitch/gone.py": "2"}
NOW = {"xstitch/__init__.py": "0", "xstitch/spaces/relative.py": "9", "xstitch/spaces/__init__.py": "3"}
CURRENT = {NEW: NOW}


def reason(before, now, **more):
    """Snakemake's own words for changed parameters."""
    made = Reason()
    made.params_changed = ParamsChange(set(before), set(now), {"out"})
    for name, value in more.items():
        setattr(made, name, value)
    return str(made)


@pytest.fixture
def notes(tmp_path):
    note_modules(OLD, BEFORE, tmp_path)
    return tmp_path


def test_the_changed_the_new_and_the_removed_modules_are_named(notes):
    told = explain_rerun(reason([f"'{OLD}'"], [f"'{NEW}'"]), CURRENT, notes)
    assert told == "xstitch.gone, xstitch.spaces, xstitch.spaces.relative changed"


def test_other_parameters_stay_in_the_reason(notes):
    told = explain_rerun(reason([f"'{OLD}'", "{'tau': 0.1}"], [f"'{NEW}'", "{'tau': 0.2}"]), CURRENT, notes)
    assert told == (
        "xstitch.gone, xstitch.spaces, xstitch.spaces.relative changed; "
        "params changed: before: {'tau': 0.1}, now: {'tau': 0.2}"
    )


def test_what_else_is_a_reason_stays(notes):
    told = explain_rerun(reason([f"'{OLD}'"], [f"'{NEW}'"], code_changed=True), CURRENT, notes)
    assert told.startswith("Code has changed since last execution; xstitch.gone, ")
    told = explain_rerun(reason([f"'{OLD}'"], [f"'{NEW}'"], software_stack_changed=True), CURRENT, notes)
    assert told.endswith(" changed; Software environment definition has changed since last execution")


def test_a_changed_setting_is_no_change_of_the_library(notes):
    words = reason(["0.1"], ["0.2"])
    assert explain_rerun(words, CURRENT, notes) == words
    assert changed_behind(words, CURRENT, notes) is None
    assert changed_behind("Missing output files: a.tsv", CURRENT, notes) is None


def test_without_a_note_of_the_earlier_modules_the_library_is_named(tmp_path):
    words = reason([f"'{OLD}'"], [f"'{NEW}'"])
    assert explain_rerun(words, CURRENT, tmp_path) == "the library changed"
    (tmp_path / f"{OLD}.json").write_text("{half a", encoding="utf-8")
    assert explain_rerun(words, CURRENT, tmp_path) == "the library changed"


def test_many_modules_are_counted(tmp_path):
    note_modules(OLD, {}, tmp_path)
    modules = {f"xstitch/m{number}.py": "1" for number in range(8)}
    told = changed_behind(reason([f"'{OLD}'"], [f"'{NEW}'"]), {NEW: modules}, tmp_path)
    assert told == "xstitch.m0, xstitch.m1, xstitch.m2 and 5 more changed"


def test_what_is_noted_stays(notes):
    note_modules(OLD, {}, notes)
    assert changed_behind(reason([f"'{OLD}'"], [f"'{NEW}'"]), CURRENT, notes).startswith("xstitch.gone")
