"""Run targets with configuration files; `make run` calls this.

run.py [TARGET ...] [--configfile FILE ...] [-- SNAKEMAKE OPTIONS]
"""

import os
import re
import sys
from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.plan.launch import command

ROOT = Path(__file__).parents[2]


def arguments(given: list[str]) -> tuple[list[str], list[str] | None, list[str]]:
    """Split the command line into targets, configuration files (None: no option) and Snakemake's options."""
    ours, options = given, []
    if "--" in given:
        ours, options = given[: given.index("--")], given[given.index("--") + 1 :]
    if "--configfile" not in ours:
        return ours, None, options
    flag = ours.index("--configfile")
    return ours[:flag], ours[flag + 1 :], options


def rules() -> list[str]:
    """Return the names of all rules, which are targets too."""
    files = [ROOT / "Snakefile", *sorted((ROOT / "workflow/rules").glob("*.smk"))]
    return [
        name for file in files for name in re.findall(r"^rule (\w+):", file.read_text(encoding="utf-8"), re.M)
    ]


if __name__ == "__main__":
    try:
        snakemake_arguments = command(*arguments(sys.argv[1:]), rules())
    except InputError as problem:
        sys.exit(f"error: {problem}")
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *snakemake_arguments])
