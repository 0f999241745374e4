"""Columns of tables: which column a score belongs to, and which scores a column averages.

A table's `measures` name pairs of a task and a metric. In a table by `task`, a column is a measure, averaged
over all languages. In a table by `measure`, a column is a measure followed by a language or by one of the
table's `averages`: `XQuAD F1 el`, `XQuAD EM seen`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xstitch.results.scores import Score

MEAN = "mean"  # stands for all target languages of a comparison, which no language can be called
Languages = Mapping[str, Sequence[str]]
# Task, metric and the languages averaged; a plain mapping, because it is part of a rule's parameters.
Content = dict[str, Any]
# What a score's column is: its target language; its language, if source and target are the same; its two
# languages in this order, or in any order; whether it goes from the source language (first column) or to it;
# whether it crosses languages (first column) or stays within one. Scores without a column are left out.
COLUMNS: dict[str, Callable[[Score, Sequence[str], str], str]] = {
    "target": lambda score, _, __: score.tgt,
    "language": lambda score, _, __: score.tgt if score.src == score.tgt else "",
    "pair": lambda score, _, __: f"{score.src}-{score.tgt}",
    "couple": lambda score, _, __: "-".join(sorted((score.src, score.tgt))),
    "direction": lambda score, columns, source: columns[score.src != source],
    "crossing": lambda score, columns, _: columns[score.src == score.tgt],
}


def column_of(score: Score, spec: Mapping[str, Any], source: str) -> str:
    """Return a score's column; `measure` columns are named by measure and `place`, such as `MAE en-es`."""
    if spec["column"] != "measure":
        return COLUMNS[spec["column"]](score, spec["columns"], source)
    suffix = COLUMNS[spec.get("place", "target")](score, spec["columns"], source)
    for name, measure in spec["measures"].items():
        if (measure["task"], measure["metric"]) == (score.task, score.metric):
            return f"{name} {suffix}"
    return ""


def table_tasks(spec: Mapping[str, Any]) -> list[str]:
    """Return the tasks whose scores fill a table."""
    if "measures" not in spec:
        return [spec["task"]]
    used = {split_column(column, spec["measures"])[0] for column in spec["columns"]}
    return list(dict.fromkeys(part["task"] for name, part in spec["measures"].items() if name in used))


def split_column(column: str, measures: Mapping[str, Any]) -> tuple[str, str]:
    """Split a column's name into its measure and what follows: a language, an average, or nothing."""
    matching = [name for name in measures if column == name or column.startswith(f"{name} ")]
    if not matching:
        raise ValueError(f"column {column!r} begins with none of the measures {', '.join(measures)}")
    name = max(matching, key=len)
    return name, column.removeprefix(name).strip()


def held_columns(spec: Mapping[str, Any], languages: Languages, averages: Languages) -> dict[str, Content]:
    """Return what each column holds in this run, in the table's order.

    `languages` has, by task, the languages that every row is scored in. Columns of other languages are left
    out; a measure with no language left gets a column for each language of the run. An average is over those
    of its languages that the run has, from the table's list and from the run's `averages`; if there are none,
    over all of the run's languages.
    """
    contents: dict[str, Content] = {}
    for column in spec["columns"]:
        name, suffix = split_column(column, spec["measures"])
        scored = list(languages[spec["measures"][name]["task"]])
        listed = spec.get("averages", {})
        if not suffix or suffix in listed:
            wanted = [*listed.get(suffix, []), *averages.get(suffix, [])] if suffix else scored
            columns = {column: [lang for lang in scored if lang in wanted] or scored}
        elif suffix in scored:
            columns = {column: [suffix]}
        elif set(scored) & _named_languages(spec, name):
            columns = {}
        else:
            columns = {f"{name} {lang}": [lang] for lang in scored}
        contents |= {key: {**spec["measures"][name], "languages": many} for key, many in columns.items()}
    return contents


def _named_languages(spec: Mapping[str, Any], measure: str) -> set[str]:
    """Return the languages for which a table has a column of a measure."""
    split = (split_column(column, spec["measures"]) for column in spec["columns"])
    return {suffix for name, suffix in split if name == measure}
