"""Run targets by configuration files: what `make run` calls.

run.py [TARGET ...] [--configfile FILE ...] [-- OPTIONS OF SNAKEMAKE]
"""

import os
import re
import sys
from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.plan.launch import command

ROOT = Path(__file__).parents[2]


def arguments(given: list[str]) -> tuple[list[str], list[str] | None, list[str]]:
    """Tell targets, configuration files (None: not asked for) and Snakemake's own options apart."""
    ours, options = given, []
    if "--" in given:
        ours, options = given[: given.index("--")], given[given.index("--") + 1 :]
    if "--configfile" not in ours:
        return ours, None, options
    flag = ours.index("--configfile")
    return ours[:flag], ours[flag + 1 :], options


def rules() -> list[str]:
    """The names of all rules, which are targets too."""
    files = [ROOT / "Snakefile", *sorted((ROOT / "workflow/rules").glob("*.smk"))]
    return [
        name for file in files for name in re.findall(r"^rule (\w+):", file.read_text(encoding="utf-8"), re.M)
    ]


if __name__ == "__main__":
    try:
        asked = command(*arguments(sys.argv[1:]), rules())
    except InputError as problem:
        sys.exit(f"error: {problem}")
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *asked])
