"""The library's packages are layered in one order, and their inits contain only a docstring."""

import ast
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "workflow/scripts"
LIBRARY = SCRIPTS / "xstitch"
LAYERS = (
    "core",
    "sources",
    "vectors",
    "results",
    "training",
    "spaces",
    "encoders",
    "models",
    "plan",
    "command",
)
MODULES = sorted(LIBRARY.rglob("*.py"))


def run_nodes(tree):
    """Yield all nodes that run, at any depth; imports for type checking only are left out."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def imported_packages(path):
    """Yield the library's packages that a module imports, with the lines of the imports."""
    for node in run_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = ("xstitch", *path.relative_to(LIBRARY).parent.parts)
                base = ".".join([*above[: len(above) - node.level + 1], *([base] if base else [])])
            names = [f"{base}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("xstitch."):
                yield name.split(".")[1], node.lineno


def name_of(path):
    return path.relative_to(LIBRARY).as_posix()


def test_every_module_is_in_a_layer():
    assert {name_of(path).split("/")[0] for path in MODULES} == {"__init__.py", "__main__.py", *LAYERS}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_package_imports_only_itself_and_earlier_ones(layer):
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    wrong = [
        f"{name_of(path)}:{line} imports xstitch.{package}"
        for path in MODULES
        if name_of(path).split("/")[0] == layer
        for package, line in imported_packages(path)
        if package not in allowed
    ]
    assert not wrong


def test_every_folder_of_modules_has_an_init():
    assert all((path.parent / "__init__.py").is_file() for path in MODULES)


def test_package_inits_contain_only_a_docstring():
    # The digest includes every init above a module: code there would tie the scripts of a package together.
    inits = [path for path in MODULES if path.name == "__init__.py" and path.parent != LIBRARY]
    assert inits
    for path in inits:
        (statement,) = ast.parse(path.read_text(encoding="utf-8")).body
        assert isinstance(statement, ast.Expr), path
        assert isinstance(statement.value, ast.Constant), path
        assert isinstance(statement.value.value, str), path
