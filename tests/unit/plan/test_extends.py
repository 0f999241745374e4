"""Entries that extend others: nothing is shared, the more specific wins, mistakes are one line."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest
import yaml

from xstitch.core.errors import InputError
from xstitch.plan.extends import SECTIONS, merge, parents, resolve, resolve_section, written_at
from xstitch.plan.overlays import SCALES, lay

ROOT = Path(__file__).parents[3]
WRITTEN = {scale: lay(ROOT / "config/config.yaml", [], {"scale": scale}, ROOT / "config") for scale in SCALES}
RESOLVED = {scale: resolve(written) for scale, written in WRITTEN.items()}


def test_entries_inherit_at_every_depth_and_their_own_keys_win():
    recipes = resolve_section(
        "recipes",
        {
            "a": {"method": "stitch", "mapping": {"k": 50, "tau": 0.1}},
            "b": {"extends": "a", "mapping": {"k": 1}},
            "c": {"extends": "b", "method": "zero-shot"},
        },
    )
    assert recipes["c"] == {"method": "zero-shot", "mapping": {"k": 1, "tau": 0.1}}
    assert recipes["a"]["mapping"]["k"] == 50


def test_of_several_parents_the_later_win():
    entries = {"a": {"k": 1, "l": 1}, "b": {"k": 2}, "c": {"extends": ["a", "b"]}}
    assert resolve_section("anchors", entries)["c"] == {"k": 2, "l": 1}


def test_templates_are_extended_and_dropped():
    entries = {"a": {"template": True, "k": 1}, "b": {"extends": "a"}}
    assert resolve_section("anchors", entries) == {"b": {"k": 1}}


def test_nothing_is_shared():
    shared = {"epochs": 1}
    config = resolve(
        {"tasks": {"a": {"training": shared}, "b": {"training": shared}, "c": {"extends": "a"}}, "seeds": [1]}
    )
    config["tasks"]["c"]["training"]["epochs"] = 2
    config["tasks"]["a"]["training"]["epochs"] = 3
    assert config["tasks"]["b"]["training"]["epochs"] == 1
    assert config["tasks"]["c"]["training"]["epochs"] == 2
    assert shared == {"epochs": 1}


@pytest.mark.parametrize("section", SECTIONS)
def test_circles_and_unknown_parents_are_refused_with_their_path(section):
    with pytest.raises(InputError, match=rf"^config: {section}\.a: extends itself: a -> b -> a; remove one$"):
        resolve({section: {"a": {"extends": "b"}, "b": {"extends": "a"}}})
    legal = rf"legal \({section}\): a$"
    with pytest.raises(InputError, match=rf"^config: {section}\.a\.extends: 'x' is not defined; {legal}"):
        resolve({section: {"a": {"extends": "x"}}})


def test_a_value_is_traced_to_the_entry_that_sets_it():
    config = {"tasks": {"a": {"training": {"epochs": 0}}, "b": {"extends": "a"}, "c": {"extends": "b"}}}
    assert written_at(config, ["tasks", "c", "training", "epochs"]) == ["tasks", "a", "training", "epochs"]
    assert written_at(config, ["tasks", "c", "k"]) == ["tasks", "c", "k"]
    assert written_at(config, ["seeds"]) == ["seeds"]


def entries() -> Iterator[tuple[str, str, str]]:
    for scale, section in ((scale, section) for scale in SCALES for section in SECTIONS):
        yield from ((scale, section, name) for name in WRITTEN[scale][section])


def a_leaf(entry: dict) -> dict:
    """An overlay with one leaf: the entry's first, at any depth, or a new one."""
    for key, value in entry.items():
        if isinstance(value, dict) and value:
            return {key: a_leaf(value)}
        if key not in ("extends", "template"):
            return {key: "changed"}
    return {"lexicon": "changed"}


def extending(section: str, name: str, section_entries: dict) -> set[str]:
    """An entry and all that extend it, directly or through others."""
    family = {name}
    while more := {
        other
        for other in section_entries
        if other not in family and family & set(parents(section, other, section_entries))
    }:
        family |= more
    return family


def test_an_overlay_changes_only_the_entry_it_names_and_what_extends_it():
    for scale, section, name in entries():
        written = WRITTEN[scale]
        overlay = {section: {name: a_leaf(written[section][name])}}
        changed = resolve(merge(written, overlay))
        before = RESOLVED[scale]
        assert {key for key in before if before[key] != changed[key]} <= {section}
        differing = {entry for entry in before[section] if before[section][entry] != changed[section][entry]}
        assert differing <= extending(section, name, written[section]), (scale, section, name)
        if not written[section][name].get("template"):
            assert name in differing, (scale, section, name)


def test_an_overlay_on_a_parent_reaches_its_children_and_one_on_a_child_only_the_child():
    written = deepcopy(WRITTEN["mini"])
    overlay = {"encoders": {"aligned": {"anchoring": 0.5}, "multi-subot": {"training": {"epochs": 9}}}}
    encoders = resolve(merge(written, overlay))["encoders"]
    assert encoders["multi-l2"]["anchoring"] == encoders["multi-wordot-large-1k"]["anchoring"] == 0.5
    assert [name for name, entry in encoders.items() if entry.get("training", {}).get("epochs") == 9] == [
        "multi-subot"
    ]
    recipes = resolve(merge(written, {"recipes": {"heads-seed": {"training": {"epochs": 7}}}}))["recipes"]
    assert [name for name, recipe in recipes.items() if recipe.get("training", {}).get("epochs") == 7] == [
        "heads-seed"
    ]


OVERLAYS = [  # and the files below them; nothing overlays the papers' tables
    file
    for folder in ("config", "config/base", "tests/real", "tests/workflow", "docs/own-language")
    for file in sorted((ROOT / folder).glob("*.yaml"))
]


@pytest.mark.parametrize("file", OVERLAYS, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_shipped_file_shares_values_by_aliases(file):
    tokens = yaml.scan(file.read_text(encoding="utf-8"))
    assert not [token for token in tokens if isinstance(token, (yaml.AliasToken, yaml.AnchorToken))]
