"""Special tokens of encoders and models, read from their folders without torch."""

from __future__ import annotations

from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.core.files import read_json

SPECIAL_ROLES = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")


def special_words(encoder: Path) -> list[str]:
    """List the special tokens of any encoder folder, whatever their roles."""
    added = read_json(encoder / "tokenizer.json").get("added_tokens", [])
    return [token["content"] for token in added if token["special"]]


def special_tokens(model: Path) -> dict[str, str]:
    """Return a fine-tuned model's special tokens by role, in a fixed order; the padding token is row 0."""
    settings = read_json(model / "tokenizer_config.json")
    named = {role: settings.get(role) for role in SPECIAL_ROLES}
    missing = [role for role, token in named.items() if not token]
    if missing:
        raise InputError(f"{model}/tokenizer_config.json: no {', '.join(missing)}: cannot stitch this model")
    return {role: token["content"] if isinstance(token, dict) else token for role, token in named.items()}
