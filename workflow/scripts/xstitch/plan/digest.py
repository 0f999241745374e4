"""Digests of the library code a script reaches, so that an edited function reruns its dependents.

Snakemake sees edits of a script but not of the modules it imports. Every rule therefore carries the
digest made here as a parameter: a changed digest is a changed parameter, and the job runs again. What a
module's syntax says is kept from run to run under a digest of its text (`Summaries`): parsing the library
took .7 s of every plan.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from xstitch.core.files import whole_file

PACKAGE = "xstitch"
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # fields of statements that contain others


class Summary(NamedTuple):
    """What counts of a module: digests of its text and code, and the names that it imports when it runs."""

    text: str
    code: str
    imports: list[str]


class Summaries:
    """Summaries of modules; `file` keeps them for the next run, which trusts those of unchanged texts.

    A file that cannot be read, or that other code or another Python wrote, counts for nothing.
    """

    def __init__(self, file: Path | None = None) -> None:
        """Start with what an earlier run has kept."""
        self.file, self.maker = file, _maker()
        self.known = _read(file, self.maker) if file else {}
        self.current: dict[Path, Summary] = {}  # of modules that this run has looked at
        self.has_news = False

    def of(self, path: Path, root: Path) -> Summary:
        """Return the summary of a module, made now if its text is new."""
        if path not in self.current:
            place, text = path.relative_to(root).as_posix(), path.read_bytes()
            digest = hashlib.sha256(text).hexdigest()
            if place not in self.known or self.known[place].text != digest:
                self.known[place] = _summarise(digest, ast.parse(text, filename=str(path)), path, root)
                self.has_news = True
            self.current[path] = self.known[place]
        return self.current[path]

    def keep(self) -> None:
        """Write what is new, if that is possible: without it, the next run only takes longer."""
        if self.file and self.has_news:
            with suppress(OSError), whole_file(self.file) as partial:
                partial.write_text(json.dumps({"maker": self.maker, "known": self.known}), encoding="utf-8")
            self.has_news = False


def library_digest(script: Path, *modules: str, summaries: Summaries | None = None) -> str:
    """Digest the syntax, without comments and docstrings, of every library module `script` reaches.

    `modules` are dotted names of modules that it imports by name at run time, which its syntax does not show.
    """
    digest = hashlib.sha256()
    for file, code in module_digests(script, *modules, summaries=summaries).items():
        digest.update(f"{file}\n{code}\n".encode())
    return digest.hexdigest()[:16]


def module_digests(script: Path, *modules: str, summaries: Summaries | None = None) -> dict[str, str]:
    """Digest every library module that `script` reaches, by its path beside the script."""
    root, summaries = script.parent, summaries or Summaries()
    reached = sorted(_reached(script, modules, summaries).items())
    summaries.keep()
    return {module.relative_to(root).as_posix(): summary.code for module, summary in reached}


def reached_modules(script: Path, *modules: str) -> set[Path]:
    """Find the library files that run when `script` does: what it imports, and what those import."""
    return set(_reached(script, modules, Summaries()))


def _reached(script: Path, modules: Sequence[str], summaries: Summaries) -> dict[Path, Summary]:
    root = script.parent
    reached: dict[Path, Summary] = {}
    waiting = [*modules, *summaries.of(script, root).imports]
    while waiting:
        for module in _module_files(waiting.pop(), root):
            if module not in reached:
                reached[module] = summaries.of(module, root)
                waiting.extend(reached[module].imports)
    return reached


def _maker() -> str:
    """Identify what makes summaries: this file, and Python, whose versions write syntax differently."""
    return f"{sys.version} {hashlib.sha256(Path(__file__).read_bytes()).hexdigest()}"


def _read(file: Path, maker: str) -> dict[str, Summary]:
    try:
        kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        known = {place: Summary(*summary) for place, summary in kept["known"].items()}
        return known if kept["maker"] == maker else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _summarise(text: str, tree: ast.Module, path: Path, root: Path) -> Summary:
    imports = list(dict.fromkeys(_imported_names(tree, path, root)))
    code = hashlib.sha256(ast.dump(_without_docstrings(tree)).encode()).hexdigest()
    return Summary(text, code, imports)


def _without_docstrings(tree: ast.Module) -> ast.Module:
    """Leave out docstrings: of modules, classes and functions, and below fields of settings."""
    for node in _blocks(tree):
        if isinstance(node, DOCUMENTED):
            node.body = [statement for statement in node.body if not _is_text(statement)] or [ast.Pass()]
    return tree


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _imported_names(tree: ast.Module, path: Path, root: Path) -> Iterator[str]:
    """Name the modules of the library that may be imported when a module runs, at any depth of its syntax.

    What is imported from a package may be a module, or something in it.
    """
    for node in _blocks(tree, running=True):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute_name(node, path, root)
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        yield from (name for name in names if name.split(".")[0] == PACKAGE)


def _blocks(tree: ast.Module, running: bool = False) -> Iterator[ast.AST]:
    """Walk the statements of a module, at any depth, but not their expressions, which are most of the tree.

    With `running`, skip blocks that only type checkers see.
    """
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        hidden = running and isinstance(node, ast.If) and _is_type_checking(node.test)
        for field in BLOCKS[1:] if hidden else BLOCKS:
            waiting.extend(getattr(node, field, ()))


def _is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _absolute_name(node: ast.ImportFrom, path: Path, root: Path) -> str:
    if not node.level:
        return node.module or ""
    package = path.relative_to(root).parent.parts
    package = package[: len(package) - node.level + 1]
    return ".".join([*package, *([node.module] if node.module else [])])


@cache
def _module_files(name: str, root: Path) -> tuple[Path, ...]:
    """List the files of a dotted module name; importing a.b.c also runs the inits of a and a.b."""
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return ()
    files: list[Path] = []
    for depth in range(1, len(parts) + 1):
        stem = root.joinpath(*parts[:depth])
        files += [file for file in (stem / "__init__.py", stem.with_suffix(".py")) if file.is_file()]
    return tuple(files)
