"""Check a command line before Snakemake sees it: it would answer these mistakes with a traceback."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.plan.overlays import read_settings

SETTINGS = (".yaml", ".yml", ".json")


def command(
    targets: Sequence[str], files: Sequence[str] | None, options: Sequence[str], made: Sequence[str] = ()
) -> list[str]:
    """Snakemake's arguments, targets first; `made` are the names of rules that can be targets.

    `files` is None without a --configfile option, and empty if the option names no file.
    """
    if files is not None and not files:
        raise InputError("no configuration file is named: set CONFIG to a file, or leave CONFIG out")
    for target in targets:
        if target.endswith(SETTINGS):
            raise InputError(f"{target}: is a configuration file, not a target; pass it as CONFIG={target}")
    for file in files or []:
        if not file.endswith(SETTINGS) and (file.startswith("results/") or file in made):
            raise InputError(f"{file}: is a target, not a configuration file; pass it as TARGET={file}")
        read_settings(Path(file))
    return [*targets, *(["--configfile", *files] if files else []), *options]
