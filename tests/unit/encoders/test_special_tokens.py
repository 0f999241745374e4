"""Special tokens: listed from any folder, named by their roles, refused if a role is missing."""

import json

import pytest

from xstitch.core.errors import InputError
from xstitch.encoders.special_tokens import SPECIAL_ROLES, special_tokens, special_words


def test_special_words_are_those_the_tokenizer_marks_as_special(tmp_path):
    added = [{"content": "<s>", "special": True}, {"content": "word", "special": False}]
    (tmp_path / "tokenizer.json").write_text(json.dumps({"added_tokens": added}))
    assert special_words(tmp_path) == ["<s>"]


def test_roles_are_in_a_fixed_order_whether_tokens_are_written_short_or_long(tmp_path):
    settings = {role: f"<{role}>" for role in reversed(SPECIAL_ROLES)}
    settings["mask_token"] = {"content": "<mask>", "lstrip": True}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    tokens = special_tokens(tmp_path)
    assert tuple(tokens) == SPECIAL_ROLES
    assert (tokens["pad_token"], tokens["mask_token"]) == ("<pad_token>", "<mask>")


def test_a_model_without_special_tokens_is_refused(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text("{}")
    with pytest.raises(InputError, match="no pad_token"):
        special_tokens(tmp_path)
