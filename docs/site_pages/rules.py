"""The reference of rules, from the rules themselves, and of the addresses of all results."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from site_pages.markdown import code, table
from xstitch.plan.costs.stages import RULE, rule_stages

ROOT = Path(__file__).parents[2]
DOCSTRING = re.compile(r'\A\s*"""(.*?)"""', re.S)


def all_rules() -> str:
    """Every rule, file by file in the order the data flows."""
    text = ""
    for stage in dict.fromkeys(rule_stages(ROOT).values()):
        file = ROOT / f"workflow/rules/{stage}.smk"
        content = (file if file.is_file() else ROOT / "Snakefile").read_text(encoding="utf-8")
        text += f"## {stage}\n\n"
        if file.is_file():
            text += f"`workflow/rules/{stage}.smk`\n\n```text\n{header(content)}\n```\n\n"
        text += "".join(_rule(name, body) for name, body in RULE.findall(content))
    return text


def all_addresses() -> str:
    """The files that a run makes, as the head of the Snakefile lists them."""
    lines = header((ROOT / "Snakefile").read_text(encoding="utf-8")).splitlines()
    found = [re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in lines if line.startswith("    ")]
    return table(("address", "what"), [(code(address), what) for address, what in found])


def header(snakefile: str) -> str:
    """The docstring of a file of rules."""
    match = DOCSTRING.match(snakefile)
    return match[1].strip() if match else ""


def docstring(body: str) -> str:
    """The docstring of a rule, on one line."""
    match = DOCSTRING.match(body)
    return " ".join(match[1].split()) if match else ""


def _rule(name: str, body: str) -> str:
    outputs = _outputs(body)
    lines = [f"### {name}\n\n{docstring(body)}\n"]
    if outputs:
        lines += [f"- makes {', '.join(map(code, outputs))}"]
    if (script := ROOT / f"workflow/scripts/{name}.py").is_file():
        modules = ", ".join(map(code, _library(script)))
        lines += [f"- code: `workflow/scripts/{name}.py`, from {modules}"]
    if re.search(r"\bgpu=1", body):
        lines += ["- asks for a GPU, and runs without one"]
    return "\n".join(lines) + "\n\n"


def _outputs(body: str) -> list[str]:
    """The addresses in the output section of a rule, as the first chain has them."""
    match = re.search(r"^    output:\n((?:        .*\n)+)", body, re.M)
    return re.findall(r'"(?:\{chain\})?([^"\n]*/[^"\n]*)"', match[1]) if match else []


def _library(script: Path) -> list[str]:
    """The modules of the library that a script names, without the helpers that all scripts use."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    own = [name for name in modules if name.startswith("xstitch.")]
    return [name for name in own if not name.startswith("xstitch.core")] or own
