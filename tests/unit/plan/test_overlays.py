"""The order of layers: the base, the scale's file, config.yaml, overlays, the command line."""

from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.plan.overlays import BASE, SCALES, find_layers, lay, load, read_settings

ROOT = Path(__file__).parents[3]
CONFIG = ROOT / "config"
USER_FILE = CONFIG / "config.yaml"


@pytest.fixture
def small(tmp_path):
    """A folder with a small configuration, its base and its scales."""

    def write(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        return tmp_path

    (tmp_path / "base").mkdir()
    write(**{f"base/{name}": "b: 1\n" for name in BASE})
    write(**{"base/common": "a: 0\nb: 1\n", "base/bootstrap": "c: {d: 1, e: 1}\n"})
    write(mini="scale: mini\na: 1\n", paper="scale: paper\na: 2\nc: {d: 2}\n", real="scale: real\na: 3\n")
    write(config="scale: mini\n")
    return write


def laid(folder, *names, **given):
    return lay(folder / "config.yaml", [folder / f"{name}.yaml" for name in names], given, folder)


@pytest.mark.parametrize(("scale", "source"), [("mini", "qaa"), ("real", "en"), ("paper", "en")])
def test_a_scale_is_selected_by_its_key_or_by_its_file(scale, source):
    by_key = load(USER_FILE, [], {"scale": scale}, CONFIG)
    assert by_key == load(USER_FILE, [CONFIG / f"{scale}.yaml"], {}, CONFIG)
    assert by_key["scale"] == scale
    assert by_key["source"] == source


def test_the_default_scale_is_mini():
    assert load(USER_FILE, [], {}, CONFIG) == load(USER_FILE, [], {"scale": "mini"}, CONFIG)
    assert load(USER_FILE, [], {}, CONFIG)["scale"] == "mini"


def test_higher_layers_win(small):
    folder = small(first="a: 4\nb: 4\nc: {e: 4}\n", second="b: 5\n")
    assert laid(folder) == {"scale": "mini", "a": 1, "b": 1, "c": {"d": 1, "e": 1}}
    on_paper = {"scale": "paper", "a": 4, "b": 5, "c": {"d": 2, "e": 4}}
    assert laid(folder, "first", "second", scale="paper") == on_paper
    assert laid(folder, "paper", "first", "second") == on_paper
    assert laid(folder, "first", "second", scale="paper", b=6)["b"] == 6


def test_layers_are_listed_from_the_bottom_up(small):
    folder = small(first="a: 4\n")
    layers = find_layers(folder / "config.yaml", [folder / "first.yaml"], {"scale": "paper"}, folder)
    names = [Path(file).stem for file in layers]
    assert names == [*BASE, "paper", "config", "first", "--config"]


def test_config_yaml_goes_above_every_scale_and_below_overlays(small):
    folder = small(config="scale: mini\na: 7\nb: 7\n", first="b: 8\n")
    assert [laid(folder, "first", scale=scale)["a"] for scale in SCALES] == [7, 7, 7]
    assert laid(folder, "first", scale="paper") == {"scale": "paper", "a": 7, "b": 8, "c": {"d": 2, "e": 1}}


def test_the_scale_of_config_yaml_applies_unless_it_is_overridden(small):
    folder = small(config="scale: real\n", first="scale: mini\n")
    assert laid(folder) == {"scale": "real", "a": 3, "b": 1, "c": {"d": 1, "e": 1}}
    assert [laid(folder, "first")[key] for key in ("scale", "a")] == ["mini", 1]
    assert [laid(folder, "paper")[key] for key in ("scale", "a")] == ["paper", 2]
    assert [laid(folder, "first", scale="paper")[key] for key in ("scale", "a")] == ["paper", 2]


def test_an_unknown_or_missing_scale_is_one_line(small):
    legal = r"is not allowed; legal: mini, real, paper$"
    with pytest.raises(InputError, match=rf"^config: scale: 'huge' {legal}"):
        laid(small(), scale="huge")
    with pytest.raises(InputError, match=rf"^config: scale: 'x{{40}}' {legal}"):
        laid(small(first=f"scale: {'x' * 5000}\n"), "first")
    with pytest.raises(InputError, match=r"^config: top level: the key 'scale' is missing; add it$"):
        laid(small(config="seed: 1\n"))


def test_the_file_of_a_scale_goes_below_overlays_in_whatever_order_they_are_named(small):
    folder = small(first="a: 4\n")
    assert laid(folder, "first", "paper") == laid(folder, "paper", "first")


def test_an_overlay_can_select_the_scale(small):
    assert laid(small(first="scale: paper\n"), "first")["a"] == 2


def test_two_scales_are_refused(small):
    message = r"paper\.yaml: is the file of scale 'paper', but the scale of this run is 'real'; name one$"
    with pytest.raises(InputError, match=message):
        laid(small(), "paper", "real")
    with pytest.raises(InputError, match=r"but the scale of this run is 'mini'"):
        laid(small(), "paper", scale="mini")


def test_an_overlay_made_for_another_scale_is_refused(small):
    folder = small(first="on: real\nb: 7\n")
    message = r"first\.yaml: is made for scale 'real', but this run has scale 'mini'; .* scale=real$"
    with pytest.raises(InputError, match=message):
        laid(folder, "first")
    assert laid(folder, "first", scale="real") == laid(folder, "real", "first")
    assert laid(folder, "real", "first") == {"scale": "real", "a": 3, "b": 7, "c": {"d": 1, "e": 1}}


@pytest.mark.parametrize("key", ["on", '"on"', "'on'"])
def test_on_is_recognised_however_it_is_quoted(small, key):
    with pytest.raises(InputError, match=r"on: 'huge' is not allowed; legal: mini, real, paper$"):
        laid(small(first=f"{key}: huge\n"), "first")


def test_other_words_for_true_are_left_for_validation_to_refuse(small):
    assert True in laid(small(first="yes: 1\n"), "first")


def test_the_shipped_overlays_say_which_scale_they_are_made_for():
    assert read_settings(ROOT / "docs/own-language/own.yaml")["on"] == "mini"
    for file in (ROOT / "tests/real").glob("*.yaml"):
        assert read_settings(file)["on"] == "real"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: [1, 2\nc: 3\n", r"x\.yaml:3: not YAML \(.+\); correct it$"),
        ("a: 1\n\tb: 2\n", r"x\.yaml:2: not YAML \(.+\); correct it$"),
        ("a: *b\n", r"x\.yaml:1: not YAML \(.+\); correct it$"),
        ("", r"x\.yaml: contains nothing instead of settings"),
        ("- a\n", r"x\.yaml: contains \"\['a'\]\" instead of settings"),
        ("recipe\tvalue\n", r"x\.yaml: contains 'recipe.+value' instead of settings"),
    ],
)
def test_a_file_without_settings_is_one_line(tmp_path, text, message):
    file = tmp_path / "x.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_settings(file)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path):
    message = r"no\.yaml: no such file; paths are relative to the folder of the run$"
    with pytest.raises(InputError, match=message):
        read_settings(tmp_path / "no.yaml")
    with pytest.raises(InputError, match=r"is a folder; name a configuration file$"):
        read_settings(tmp_path)
    (tmp_path / "x.json").write_text('{"a": 1,}', encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.json:1: not "):
        read_settings(tmp_path / "x.json")
