"""Types of settings: which values a key of the configuration may have.

Settings of methods are dataclasses with these annotations. The planner checks the configuration by them
before anything runs (xstitch.plan.schema), so that jobs build the dataclasses from legal values.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any


@dataclass(frozen=True)
class Range:
    """The bounds of a number."""

    ge: float | None = None
    gt: float | None = None
    le: float | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> dict[str, Any]:
        """Tell pydantic, which jobs do without, what the bounds are."""
        return handler(source) | {key: bound for key, bound in asdict(self).items() if bound is not None}


Count = Annotated[int, Range(ge=1)]
CountFrom0 = Annotated[int, Range(ge=0)]
Positive = Annotated[float, Range(gt=0)]
NotNegative = Annotated[float, Range(ge=0)]
Share = Annotated[float, Range(ge=0, le=1)]
ShareAbove0 = Annotated[float, Range(gt=0, le=1)]
Seed = Annotated[int, Range(ge=0, le=2**32 - 1)]
