"""Columns of tables over several tasks or metrics: which scores each of them averages.

A table's `measures` name pairs of a task and a metric. In a table by `task` a column is a measure, averaged
over all languages. In a table by `measure` a column is a measure, then a language or an average of the
table's `averages`: `XQuAD F1 el`, `XQuAD EM seen`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Languages = Mapping[str, Sequence[str]]
# A plain mapping, for it goes through the parameters of a rule: task, metric, and the languages averaged.
Held = dict[str, Any]


def table_tasks(spec: Mapping[str, Any]) -> list[str]:
    """Name the tasks whose scores fill a table."""
    if "measures" not in spec:
        return [spec["task"]]
    used = {split_column(column, spec["measures"])[0] for column in spec["columns"]}
    return list(dict.fromkeys(part["task"] for name, part in spec["measures"].items() if name in used))


def split_column(column: str, measures: Mapping[str, Any]) -> tuple[str, str]:
    """Split a column's name into its measure and what follows: a language, an average, or nothing."""
    fitting = [name for name in measures if column == name or column.startswith(f"{name} ")]
    if not fitting:
        raise ValueError(f"column {column!r} begins with none of the measures {', '.join(measures)}")
    name = max(fitting, key=len)
    return name, column.removeprefix(name).strip()


def held_columns(spec: Mapping[str, Any], languages: Languages, averages: Languages) -> dict[str, Held]:
    """Say what each column holds in this run, in the table's order.

    `languages` are those that every row is scored in, by task. Columns of other languages are left out; a
    measure of which none is left has a column for each of the run's own. An average is over those of its
    languages that the run has, by the table's list or by the run's own, `averages`; if it has none, over all.
    """
    held: dict[str, Held] = {}
    for column in spec["columns"]:
        name, place = split_column(column, spec["measures"])
        own = list(languages[spec["measures"][name]["task"]])
        listed = spec.get("averages", {})
        if not place or place in listed:
            wanted = [*listed.get(place, []), *averages.get(place, [])] if place else own
            columns = {column: [lang for lang in own if lang in wanted] or own}
        elif place in own:
            columns = {column: [place]}
        elif set(own) & _named_languages(spec, name):
            columns = {}
        else:
            columns = {f"{name} {lang}": [lang] for lang in own}
        held |= {key: {**spec["measures"][name], "languages": many} for key, many in columns.items()}
    return held


def _named_languages(spec: Mapping[str, Any], measure: str) -> set[str]:
    """Languages for which a table has a column of a measure."""
    split = (split_column(column, spec["measures"]) for column in spec["columns"])
    return {place for name, place in split if name == measure}
