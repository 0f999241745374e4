"""The JSON schema of the configuration, for editors: what `make schema` writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from xstitch.plan.schema.configuration import Configuration

FILE = "workflow/schemas/config.schema.yaml"
HEADER = """\
# Made by `make schema` from the models in workflow/scripts/xstitch/plan/schema; a test compares it.
# For editors. No key is required, because files are merged and entries extend others.
"""


def schema_text() -> str:
    """The whole file."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_for_editors(Configuration.model_json_schema()),
    }
    style = {"sort_keys": False, "default_flow_style": None, "allow_unicode": True, "width": 110}
    return HEADER + yaml.dump(schema, Dumper=_Dumper, **style)


def _for_editors(node: Any) -> Any:
    """A schema that any file meets: an entry that does not set its kind may have the keys of any kind."""
    if isinstance(node, list):
        return [_for_editors(child) for child in node]
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if not _is_left_out(key, value)}
    return {"anyOf" if key == "oneOf" else key: _for_editors(value) for key, value in kept.items()}


def _is_left_out(key: str, value: Any) -> bool:
    """Whether a keyword is useless to an editor; a mapping is the schema of a key with that name."""
    is_text = key in ("title", "required", "legal") and not isinstance(value, dict)
    return is_text or key == "discriminator" or (key == "default" and value is None)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, _: Any) -> bool:
        """Write repeated values out in full."""
        return True


if __name__ == "__main__":
    Path(FILE).write_text(schema_text(), encoding="utf-8")
