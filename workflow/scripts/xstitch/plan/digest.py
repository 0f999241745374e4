"""Digests of the library code a script reaches, so that an edited function reruns its dependents.

Snakemake sees edits of a script but not of the modules it imports. Every rule therefore carries the
digest made here as a parameter: a changed digest is a changed parameter, and the job runs again.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = "xstitch"
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # fields of statements that contain others


def library_digest(script: Path, *modules: str) -> str:
    """Digest the syntax, without comments and docstrings, of every library module `script` reaches.

    `modules` are dotted names of modules that it imports by name at run time, which its syntax does not show.
    """
    summary = hashlib.sha256()
    for file, code in module_digests(script, *modules).items():
        summary.update(f"{file}\n{code}\n".encode())
    return summary.hexdigest()[:16]


def module_digests(script: Path, *modules: str) -> dict[str, str]:
    """Digest every library module that `script` reaches, by its path beside the script."""
    root = script.parent
    reached = sorted(reached_modules(script, *modules))
    return {module.relative_to(root).as_posix(): _code_digest(module) for module in reached}


def reached_modules(script: Path, *modules: str) -> set[Path]:
    """Find the library files that run when `script` does: what it imports, and what those import."""
    root = script.parent
    reached: set[Path] = set()
    waiting = list(_imported_modules(script, root))
    waiting += [file for name in modules for file in _module_files(name, root)]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting.extend(_imported_modules(module, root))
    return reached


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def _code_digest(path: Path) -> str:
    return hashlib.sha256(ast.dump(_without_docstrings(_tree(path))).encode()).hexdigest()


def _without_docstrings(tree: ast.Module) -> ast.Module:
    """Leave out docstrings: of modules, classes and functions, and below fields of settings."""
    for node in _blocks(tree):
        if isinstance(node, DOCUMENTED):
            node.body = [statement for statement in node.body if not _is_text(statement)] or [ast.Pass()]
    return tree


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@cache
def _imported_modules(path: Path, root: Path) -> tuple[Path, ...]:
    """List the library files that `path` imports when it runs, at any depth of its syntax tree."""
    imported: list[Path] = []
    for node in _blocks(_tree(path), running=True):
        if isinstance(node, ast.Import):
            for alias in node.names:
                imported += _module_files(alias.name, root)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute_name(node, path, root)
            imported += _module_files(base, root)
            for alias in node.names:
                imported += _module_files(f"{base}.{alias.name}", root)
    return tuple(dict.fromkeys(imported))


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
