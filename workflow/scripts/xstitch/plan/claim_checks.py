"""Whether the claims of papers are well-formed: one line says what is wrong with the first that is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from pydantic import ValidationError

from xstitch.core.errors import InputError, legal_names
from xstitch.plan.claims import FIGURE, TABLE, claims_of, definition, described, predicate_sources
from xstitch.plan.papers import shown_rows
from xstitch.plan.run import Entry, Run
from xstitch.plan.schema.claims import PaperClaims
from xstitch.plan.schema.problems import explain
from xstitch.plan.tables import PUBLISHED_SOURCE
from xstitch.plan.wildcards import LISTS, SPACES
from xstitch.results.claims.numbers import PLACE, SOURCE, TARGETS, Languages, Numbers
from xstitch.results.resampled_tables import Known
from xstitch.results.settings.claims import Extreme, MostIn, OfRows, Predicate
from xstitch.results.tables import shown_columns


def check_claims(run: Run) -> None:
    """Refuse claims that do not fit their models, or their paper's tables and figures."""
    for name, paper in run.papers.items():
        written = {key: paper[key] for key in PaperClaims.model_fields if key in paper}
        try:
            PaperClaims.model_validate(written)
        except ValidationError as error:
            raise InputError(f"{_file(name)}: {explain(error, written, {}, PaperClaims)}") from None
        for claim in claims_of(paper):
            for number, predicate in enumerate(claim.predicates):
                if problem := next(_problems(predicate, paper), ""):
                    raise InputError(f"{_file(name)}: claims.{claim.name}.predicates.{number}{problem}")


def _file(paper: str) -> str:
    return f"config/papers/{paper}.yaml"


def _problems(predicate: Predicate, paper: Entry) -> Iterator[str]:
    """What is wrong with a predicate that fits its model: a key and the problem."""
    if bool(predicate.table) == bool(predicate.figure):
        yield ": needs either a table or a figure; name one of them"
    for source, key in zip(predicate_sources(predicate), ("", ".over_table"), strict=False):
        yield from _source_problems(source, key, paper)
    for source, key, rows in _named_rows(predicate):
        yield from _row_problems(rows, key, definition(paper, source))
    yield from _column_problems(predicate, paper)


def _source_problems(source: str, key: str, paper: Entry) -> Iterator[str]:
    kind, _, number = source.partition(" ")
    section = "tables" if kind == TABLE else "figures"
    unfit = LISTS if kind == TABLE else (SPACES,)
    legal = [name for name, spec in paper.get(section, {}).items() if spec.get("kind") not in unfit]
    if number not in legal:
        path = key or f".{kind.lower()}"
        yield f"{path}: {number!r} has no numbers; legal ({section}): {legal_names(legal, number)}"


def _named_rows(predicate: Predicate) -> Iterator[tuple[str, str, list[str]]]:
    """The rows that a predicate names, with their table or figure and their key."""
    first, *others = predicate_sources(predicate)
    if isinstance(predicate, OfRows):
        yield first, "rows", predicate.rows
        yield others[0] if others else first, "over", predicate.over
    elif isinstance(predicate, Extreme):
        yield first, "row", [predicate.row]
        yield first, "of", predicate.of
    elif isinstance(predicate, MostIn):
        yield first, "row", [predicate.row]
        yield first, "over", [predicate.over]
    else:
        rows = getattr(predicate, "rows", None)
        yield first, "row" if rows is None else "rows", [predicate.row] if rows is None else rows


def _row_problems(rows: Iterable[str], key: str, spec: Entry) -> Iterator[str]:
    known = [row["row"] for row in shown_rows(spec)]
    if not rows:
        yield f".{key}: at least one is needed"
    for row in rows:
        if row not in known:
            yield f".{key}: {row!r} is no row of it; legal: {legal_names(known, row)}"


def _column_problems(predicate: Predicate, paper: Entry) -> Iterator[str]:
    """Columns that a table does not have; those of figures begin with a panel."""
    named = [*predicate.columns, *([predicate.column] if isinstance(predicate, MostIn) else [])]
    if not named:
        yield ".columns: at least one is needed"
    groups = [SOURCE, TARGETS, *paper.get("groups", {})]
    for column in named:
        for place in PLACE.finditer(column):
            if place[1] and place[1] not in groups:
                yield f".columns: {{{place[1]}}} is no group; legal: {legal_names(groups, place[1])}"
    if predicate.source.startswith(FIGURE):
        return
    spec = definition(paper, predicate.source)
    known = shown_columns(spec)
    for column in named:
        if not set(_matching(predicate.source, paper, column)) & set(known):
            yield f".columns: {column!r} is no column of it; legal: {legal_names(known, column)}"


def _matching(source: str, paper: Entry, pattern: str) -> list[str]:
    """The columns of a table that a pattern matches."""
    spec = definition(paper, source)
    cells = {("", column): Known(np.zeros(1)) for column in shown_columns(spec)}
    languages = Languages(PUBLISHED_SOURCE, paper.get("groups", {}))
    return Numbers({source: cells}, {source: described(spec)}, languages).columns(source, [pattern], [""])
