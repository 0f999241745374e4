"""Building blocks of the configuration's models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo
from pydantic_core import PydanticCustomError, core_schema

UNDEFINED = "undefined"
LONGEST_VALUE = 60  # characters of a written value that a message shows
LEGAL_TEXTS: dict[str, str] = {}  # patterns in words


class Model(BaseModel):
    """Keys with values: unknown keys are refused, and values are not converted: 1.0 is not a whole number."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


def refusal(text: str, key: str = "") -> PydanticCustomError:
    """The error of a check across several keys; `key` is the one to blame."""
    return PydanticCustomError("refused", "{text}", {"text": text, "key": key})


def shown(value: Any) -> str:
    """A written value, cut to fit in a message."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."


def missing(key: str, purpose: str) -> PydanticCustomError:
    """The error of a key that the values of others require."""
    return refusal(f"the key {key!r} is missing for {purpose}; add it")


def worded(pattern: str, legal: str) -> Any:
    """Text that matches a pattern, with the words for it in error messages."""
    LEGAL_TEXTS[pattern] = legal
    return Annotated[str, Field(pattern=pattern)]


class Distinct:
    """A list without repeated values."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Check a list after its entries."""
        return core_schema.no_info_after_validator_function(self._refuse_repeated, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """State it in the schema for editors."""
        return {**handler(schema), "uniqueItems": True}

    @staticmethod
    def _refuse_repeated(values: list[Any]) -> list[Any]:
        for number, value in enumerate(values):
            if value in values[:number]:
                raise refusal(f"{shown(value)} is listed twice; name it once")
        return values


@dataclass(frozen=True)
class Naming:
    """The name of an entry, which must exist in one of these sections of the checked configuration."""

    sections: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Look a name up after checking that it is text; pydantic's context is the configuration."""
        return core_schema.with_info_after_validator_function(self._look_up, handler(source))

    def _look_up(self, name: str, info: ValidationInfo) -> str:
        sections = [info.context.get(section) for section in self.sections]
        if not all(isinstance(section, Mapping) for section in sections):
            return name  # the section is refused
        known = [entry for section in sections for entry in section]
        if name not in known:
            raise PydanticCustomError(
                UNDEFINED, "", {"known": known, "sections": " and ".join(self.sections)}
            )
        return name


def named(*sections: str) -> Any:
    """The name of an entry of a section."""
    return Annotated[str, Naming(sections)]


def _only_true(value: bool) -> bool:
    if not value:
        raise PydanticCustomError("literal_error", "", {})
    return value


EntryName = worded("^[a-z0-9][a-z0-9-]*$", "lowercase letters, digits and hyphens")
Language = worded("^[a-z]+$", "lowercase letters")
FilledText = Annotated[str, Field(min_length=1)]
Texts = Annotated[list[FilledText], Field(min_length=1)]
GivenFile = Annotated[FilledText, Field(description="Path or http(s) address of a file.")]
LanguageName = named("languages")
CorpusName = named("corpora")
LexiconName = named("lexica")
VectorsName = named("vectors")
AlignmentName = named("alignments")
AnchorsName = named("anchors")
ParallelName = named("parallel")
EncoderName = named("encoders")
AdaptersName = named("adapters")
ImagesName = named("images")
TaskName = named("tasks")
RecipeName = named("recipes")
Languages = Annotated[list[LanguageName], Field(min_length=1), Distinct()]
Files = dict[LanguageName, GivenFile]
TrueOnly = Annotated[
    bool,
    AfterValidator(_only_true),
    Field(json_schema_extra={"const": True, "legal": "true, or leave the key out"}),
]


class Entry(Model):
    """A named entry of a section."""

    extends: str | Texts = Field(
        None,
        description="The entry or entries to inherit missing keys from; of several, later ones win.",
    )
    template: TrueOnly = Field(None, description="Only there to be extended; not part of a run.")
