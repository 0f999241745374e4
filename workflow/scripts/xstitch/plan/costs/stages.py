"""The stages of the workflow: which file a rule is in, and where its jobs leave their benchmarks."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

from xstitch.plan.chains import PATTERN

RULE = re.compile(r"^rule (\w+):\n(.*?)(?=^rule |\Z)", re.M | re.S)
BENCHMARK = re.compile(r'^    benchmark:\n        "([^"]+)"', re.M)
OTHERS = "targets"  # the stage of rules that only name what is wanted


def rule_stages(root: Path) -> dict[str, str]:
    """The stage of every rule, in the order the data flows: that of the Snakefile's includes."""
    snakefile = (root / "Snakefile").read_text(encoding="utf-8")
    names = re.findall(r'^include: "workflow/rules/(\w+)\.smk"', snakefile, re.M)
    return {rule: name for name in names for rule, _ in RULE.findall(_text(root, name))} | dict.fromkeys(
        (rule for rule, _ in RULE.findall(snakefile)), OTHERS
    )


def benchmark_patterns(root: Path) -> dict[str, re.Pattern[str]]:
    """By rule, the pattern of its benchmark files, with a group for every wildcard."""
    found = {}
    for file in sorted((root / "workflow/rules").glob("*.smk")):
        for rule, body in RULE.findall(file.read_text(encoding="utf-8")):
            if match := BENCHMARK.search(body):
                found[rule] = re.compile(_groups(match[1]))
    return found


def wildcards_in(pattern: re.Pattern[str], path: str) -> SimpleNamespace | None:
    """The wildcards of the job that wrote a file; None if no job of the rule did."""
    match = pattern.fullmatch(path)
    return SimpleNamespace(**match.groupdict()) if match else None


def _groups(path: str) -> str:
    """Turn the wildcards of a path into groups; a language before a hyphen has none itself."""
    groups = {"chain": f"(?P<chain>{PATTERN})"}
    return re.sub(
        r"\\\{(\w+)\\\}", lambda match: groups.get(match[1], f"(?P<{match[1]}>[^/]+?)"), re.escape(path)
    )


def _text(root: Path, stage: str) -> str:
    return (root / f"workflow/rules/{stage}.smk").read_text(encoding="utf-8")
