"""The JSON schema for editors: made from the models, and valid for the shipped files."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from xstitch.plan.overlays import read_settings
from xstitch.plan.schema.file import FILE, schema_text
from xstitch.plan.settings import LOADER

ROOT = Path(__file__).parents[3]
SCHEMA = yaml.load((ROOT / FILE).read_text(encoding="utf-8"), LOADER)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
FILES = [
    *(ROOT / "config").glob("*.yaml"),
    *(ROOT / "config/base").glob("*.yaml"),
    *(ROOT / "tests/workflow").glob("*.yaml"),
    *(ROOT / "tests/real").glob("*.yaml"),
    ROOT / "docs/own-language/own.yaml",
]


def test_the_file_is_what_the_models_give():
    assert (ROOT / FILE).read_text(encoding="utf-8") == schema_text(), "run make schema"


def test_it_is_a_schema():
    VALIDATOR.check_schema(SCHEMA)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_shipped_files_agree_with_it(file):
    VALIDATOR.validate(read_settings(file))


@pytest.mark.parametrize(
    "wrong",
    [
        {"seeds": []},
        {"seeds": [1, 1]},
        {"recipes": {"x": {"extends": "y", "anchor": "full"}}},
        {"lexica": {"x": {"kind": "must"}}},
        {"lexica": {"x": {"kind": "muse", "folder": "x"}}},
        {"encoders": {"x": {"extends": "y", "layers": 0}}},
        {"world": {"concepts": 3}},
    ],
    ids=json.dumps,
)
def test_editors_see_mistakes(wrong):
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(wrong)


def test_keys_are_described_where_their_dataclass_is():
    training = SCHEMA["$defs"]["Schedule"]["properties"]
    assert training["accumulation"] == {
        "default": 1,
        "description": "Batches per update.",
        "minimum": 1,
        "type": "integer",
    }
    assert SCHEMA["$defs"]["PretrainedEncoder"]["properties"]["masked"]["description"].startswith(
        "Share of tokens"
    )
