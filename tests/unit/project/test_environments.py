"""Scripts of rules without neural networks need no package that only the environment with them has."""

import ast
import re
from pathlib import Path

import pytest

from xstitch.plan.digest import reached_modules

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / "workflow/scripts"
RULES = sorted((ROOT / "workflow/rules").rglob("*.smk"))
NEURAL = {"torch", "transformers", "accelerate"}


def static_rules():
    """Yield the names of the rules in the environment without neural networks."""
    for file in RULES:
        text = file.read_text(encoding="utf-8")
        for rule, body in re.findall(r"^rule (\w+):\n(.*?)(?=^rule |\Z)", text, re.M | re.S):
            if "envs/static.yaml" in body:
                yield rule


STATIC = sorted(static_rules())


def imported_at_once(path):
    """Yield the packages that a module imports when it is loaded."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_the_rules_of_the_environment_are_found():
    assert {"map_embeddings", "import_vectors"} <= {*STATIC}
    assert "finetune_model" not in STATIC


@pytest.mark.parametrize("rule", STATIC)
def test_scripts_without_neural_networks_load_none(rule):
    script = SCRIPTS / f"{rule}.py"
    needed = {file: NEURAL & set(imported_at_once(file)) for file in (script, *reached_modules(script))}
    assert {file.name: packages for file, packages in needed.items() if packages} == {}
