"""The scales are peers on top of one base: nothing of the mini world is in it, nor in another scale."""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pytest

from xstitch.plan import overlays
from xstitch.plan.extends import SECTIONS, merge, resolve, written_at
from xstitch.plan.overlays import SCALES, find_layers, lay, read_settings
from xstitch.plan.run import load_run
from xstitch.plan.settings import load_tsv

ROOT = Path(__file__).parents[3]
CONFIG = ROOT / "config"
USER_FILE = CONFIG / "config.yaml"
BASE = [CONFIG / f"base/{name}.yaml" for name in overlays.BASE]
MINI = CONFIG / "mini.yaml"
INVENTED = re.compile(r"\bqa[a-z]\b|\bqa[a-z]_|\bmini\b", re.IGNORECASE)
PEERS = ("real", "paper")

Leaf = tuple[Any, ...]  # its path: the keys that lead to it


def leaves(value: Any, path: Leaf = ()) -> Iterator[tuple[Leaf, Any]]:
    """Every value that is not a mapping, or an empty one, with its path; a list is one value."""
    if isinstance(value, Mapping) and value:
        for key, child in value.items():
            yield from leaves(child, (*path, key))
    else:
        yield path, value


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, including the names of keys."""
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield str(key)
            yield from texts(child)
    elif isinstance(value, list):
        for child in value:
            yield from texts(child)
    elif isinstance(value, str):
        yield value


def holds(layer: Any, path: Leaf) -> bool:
    for key in path:
        if not isinstance(layer, Mapping) or key not in layer:
            return False
        layer = layer[key]
    return True


def set_by(layers: Mapping[str, dict]) -> dict[Leaf, str]:
    """The highest file that sets each leaf of the resolved configuration, or the leaf it inherits."""
    written = reduce(merge, layers.values(), {})
    origins = {path: tuple(written_at(written, path)) for path, _ in leaves(resolve(written))}
    return {
        path: next((file for file in reversed(layers) if holds(layers[file], origin)), "nobody")
        for path, origin in origins.items()
    }


def of_mini(layers: Mapping[str, dict]) -> list[str]:
    """The leaves whose value comes from the file of the mini world."""
    return [".".join(map(str, path)) for path, file in set_by(layers).items() if Path(file).name == MINI.name]


@cache
def laid(scale: str) -> dict[str, dict]:
    return find_layers(USER_FILE, [], {"scale": scale}, CONFIG)


@cache
def only_in_mini() -> set[str]:
    """Names of entries that only mini.yaml defines."""
    elsewhere = [read_settings(file) for file in [*BASE, *(CONFIG / f"{peer}.yaml" for peer in PEERS)]]
    return {
        name
        for section in SECTIONS
        for name in read_settings(MINI).get(section, {})
        if not any(name in other.get(section, {}) for other in elsewhere)
    }


@pytest.mark.parametrize("scale", PEERS)
def test_no_leaf_of_another_scale_comes_from_the_mini_world(scale):
    layers = laid(scale)
    assert of_mini(layers) == []
    files = {Path(file).name for file in set_by(layers).values()}
    assert files == {*(file.name for file in BASE), f"{scale}.yaml", USER_FILE.name}


def test_a_leaf_from_the_mini_world_would_be_found():
    """As it once was: the mini world below the paper's file."""
    base, mini, paper = (
        reduce(merge, map(read_settings, files)) for files in (BASE, [MINI], [CONFIG / "paper.yaml"])
    )
    from_mini = of_mini({"base": base, "config/mini.yaml": mini, "config/paper.yaml": paper})
    assert {"alignments.fasttext-unsup.restarts", "averages.seen", "world.concepts"} <= set(from_mini)
    assert "lexica.two-hop.through" not in from_mini  # the paper's file names another language
    assert "recipes.rr-ao-15.training.learning_rate" in from_mini  # inherited from `finetuned`
    assert "encoders.multi-subot.base" in from_mini  # inherited from a template
    assert "recipes.rr-ao-15.mapping.tau" not in from_mini  # set in the base


def test_every_leaf_is_traced_to_its_file():
    assert set_by(laid("mini"))["alignments", "fasttext-unsup", "restarts"].endswith("config/mini.yaml")
    assert set_by(laid("mini"))["alignments", "fasttext-unsup", "method"].endswith("base/x2s.yaml")
    assert set_by(laid("mini"))["seed",].endswith("config/config.yaml")
    assert len(of_mini(laid("mini"))) > 100


@pytest.mark.parametrize("scale", PEERS)
def test_no_value_of_another_scale_names_anything_invented(scale):
    run = resolve(lay(USER_FILE, [], {"scale": scale}, CONFIG))
    assert [text for text in texts(run) if INVENTED.search(text) or text in only_in_mini()] == []
    assert {"mini-multi", "mono", "qab"} <= only_in_mini()


@pytest.mark.parametrize("file", BASE, ids=lambda file: file.name)
def test_the_base_is_free_of_any_scale(file):
    settings = read_settings(file)
    assert not INVENTED.search(file.read_text(encoding="utf-8"))
    assert not only_in_mini() & set(texts(settings))
    languages = load_tsv(CONFIG / "languages.tsv", "language")
    assert not languages.keys() & set(texts(settings))
    of_a_run = {"scale", "on", "source", "seed", "seeds", "local", "udpipe", "world", "languages"}
    assert not of_a_run & settings.keys()


def test_no_name_is_defined_by_two_files_of_the_base():
    defined: dict[tuple[str, ...], str] = {}
    for file in BASE:
        for section, entries in read_settings(file).items():
            names = [(section, name) for name in entries] if section in SECTIONS else [(section,)]
            for name in names:
                assert name not in defined, f"{'.'.join(name)} is in {defined.get(name)} and {file.name}"
                defined[name] = file.name


def test_the_base_has_a_file_per_paper_and_each_extends_only_those_before_it():
    papers = {file.stem for file in (CONFIG / "papers").glob("*.yaml")}
    assert {file.stem for file in (CONFIG / "base").iterdir()} == {"common", *papers} == {*overlays.BASE}
    for number in range(1, len(BASE) + 1):
        resolve(reduce(merge, map(read_settings, BASE[:number])))  # refuses to extend what is not defined


@pytest.mark.parametrize("scale", SCALES)
def test_the_file_of_a_scale_names_it(scale):
    assert read_settings(CONFIG / f"{scale}.yaml")["scale"] == scale


@pytest.mark.parametrize("scale", SCALES)
def test_the_file_of_a_scale_repeats_no_value_of_the_base(scale):
    base = reduce(merge, map(read_settings, BASE))
    repeated = [
        path
        for path, value in leaves(read_settings(CONFIG / f"{scale}.yaml"))
        if holds(base, path) and reduce(lambda parent, key: parent[key], path, base) == value
    ]
    assert repeated == []


def test_config_yaml_is_short_and_sets_nothing_that_depends_on_the_scale():
    lines = USER_FILE.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 250
    assert read_settings(USER_FILE).keys() == {"scale", "seed", "local", "udpipe"}


def test_the_examples_of_config_yaml_are_legal(tmp_path):
    text = USER_FILE.read_text(encoding="utf-8")
    uncommented = re.sub(r"^#(?=[a-z]| {2,}[a-z0-9_-]+:)", "", text, flags=re.MULTILINE)
    (tmp_path / "config.yaml").write_text(uncommented, encoding="utf-8")
    examples = read_settings(tmp_path / "config.yaml")
    assert {*SECTIONS} - {"alignments", "images"} <= examples.keys()
    assert {"source", "seeds", "without", "portable", "mirror", "lock", "averages"} <= examples.keys()
    run = load_run(lay(tmp_path / "config.yaml", [], {"scale": "real"}, CONFIG), ROOT)
    assert run.recipes["rr-mine"]["mapping"] == {
        "kind": "relative",
        "weighting": "softmax",
        "k": 20,
        "tau": 0.05,
        "negative": "clip",
        "rescale": True,
    }


def test_layers_are_not_changed_by_resolving():
    layers = laid("paper")
    before = deepcopy(layers)
    resolve(reduce(merge, layers.values(), {}))
    assert layers == before
