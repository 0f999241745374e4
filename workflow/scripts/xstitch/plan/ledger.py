"""Whether a paper's ledger of settings is true of the configuration and complete.

`make ledger` writes the scopes of all ledgers and prints what is wrong with them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from xstitch.core.tsv import read_tsv, write_tsv
from xstitch.plan.overlays import load
from xstitch.plan.reach import Entry, Keys, leaves, reached, shown_names, value_at, with_defaults
from xstitch.plan.run import load_papers
from xstitch.results.ledger import ALL, LEDGER_SUFFIX, Setting, read_ledger

DIGEST = "sha256:"  # instead of a long list of names and addresses
DIGITS = 12


def ledger_problems(settings: Sequence[Setting], config: Entry, paper: Entry) -> list[str]:
    """What is wrong with a ledger, a line each; `config` is resolved at scale paper."""
    whole, reach, order = with_defaults(config), reached(config, paper), list(shown_names(paper))
    problems = []
    for path in sorted(reach):
        rows = _rows_for(path, settings)
        if not rows:
            value = json.dumps(value_at(whole, path), ensure_ascii=False)
            problems.append(f"no row for: {_scope(reach[path], order)}\t{'.'.join(path)}\t{value}")
        elif len(rows) > 1:
            problems.append(f"{'.'.join(path)}: both {rows[0].place} and {rows[1].place} are for it")
    covered, scopes = _covered(settings, reach), true_scopes(settings, reach, order)
    for setting in settings:
        scope = ", ".join(setting.scope)
        if not covered[setting.key]:
            problems.append(f"{setting.place}: {setting.key} reaches no table or figure, or other rows hold")
        elif scope != scopes[setting.key]:
            problems.append(f"{setting.place}: {setting.key} is for {scopes[setting.key]}, not {scope}")
        problems += _value_problems(setting, covered[setting.key], whole)
    return problems


def true_scopes(
    settings: Sequence[Setting], reach: Mapping[Keys, set[str]], order: Sequence[str]
) -> dict[str, str]:
    """The tables and figures that each row of a ledger is for, by its key."""
    return {
        key: _scope({shown for path in paths for shown in reach[path]}, order)
        for key, paths in _covered(settings, reach).items()
    }


def _covered(settings: Sequence[Setting], reach: Iterable[Keys]) -> dict[str, list[Keys]]:
    """The paths of the values that each row is for, by its key."""
    covered: dict[str, list[Keys]] = {setting.key: [] for setting in settings}
    for path in reach:
        for row in _rows_for(path, settings)[:1]:
            covered[row.key].append(path)
    return covered


def _rows_for(path: Keys, settings: Sequence[Setting]) -> list[Setting]:
    """The rows for a value: the most precise one; several if they are equally precise."""
    rows = [row for row in settings if row.covers(path)]
    best = max((row.precision for row in rows), default=0)
    return [row for row in rows if row.precision == best]


def _value_problems(setting: Setting, paths: Sequence[Keys], config: Entry) -> list[str]:
    if setting.whole:
        return _tree_problems(setting, paths, config) if paths else []
    wrong = [path for path in paths if not same(value_at(config, path), setting.value)]
    return [
        f"{setting.place}: {'.'.join(path)} is {value_at(config, path)!r} in the configuration, "
        f"not {setting.value!r} ({setting.source})"
        for path in wrong
    ]


def _tree_problems(setting: Setting, paths: Sequence[Keys], config: Entry) -> list[str]:
    """Compare what is below a key and has no row of its own: written out, or by a digest of names only."""
    above = tuple(setting.parts[:-1])
    if any(path[: len(above)] != above for path in paths):
        return [f"{setting.place}: {setting.key}: spell out the key above the last *"]
    tree: dict[str, Any] = {}
    for path in sorted(paths):
        parent = reduce(lambda parent, key: parent.setdefault(key, {}), path[len(above) : -1], tree)
        parent[path[-1]] = value_at(config, path)
    by_digest = str(setting.value).startswith(DIGEST)
    if by_digest and not all(_is_text(value) for _, value in leaves(tree)):
        return [f"{setting.place}: {setting.key} has numbers below it; write it out, a digest hides them"]
    written = digest(tree) if by_digest else tree
    if same(written, setting.value):
        return []
    return [f"{setting.place}: {setting.key} is {written} in the configuration, not {setting.value}"]


def digest(tree: Entry) -> str:
    """A short digest of everything below a key."""
    text = json.dumps(tree, sort_keys=True, ensure_ascii=False)
    return DIGEST + hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal; 1 is 1.0, but not true."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(map(_is_text, value)))


def _scope(shown: Iterable[str], order: Sequence[str]) -> str:
    """The scope of a value that reaches some tables and figures, as a ledger writes it."""
    named = [name for name in order if name in set(shown)]
    return ALL if len(named) == len(order) else ", ".join(named)


def check_ledgers(config_folder: Path) -> list[str]:
    """Write the scopes of all ledgers; return what else is wrong with them."""
    config = load(config_folder / "config.yaml", [], {"scale": "paper"}, config_folder)
    problems = []
    for name, paper in load_papers(config_folder / "papers").items():
        file = config_folder / f"reference/{name}{LEDGER_SUFFIX}"
        if file.is_file():
            scopes = true_scopes(read_ledger(file), reached(config, paper), list(shown_names(paper)))
            header, *rows = read_tsv(file)
            write_tsv(file, header, [[scopes[row[1]] or row[0], *row[1:]] for row in rows])
            problems += ledger_problems(read_ledger(file), config, paper)
    return problems


if __name__ == "__main__":
    print("\n".join(check_ledgers(Path("config"))))
