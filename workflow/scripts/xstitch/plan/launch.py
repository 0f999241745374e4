"""What is asked of a run, checked before Snakemake sees it: slips that it answers with a traceback."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.plan.overlays import read_settings

SETTINGS = (".yaml", ".yml", ".json")


def command(
    targets: Sequence[str], files: Sequence[str] | None, options: Sequence[str], made: Sequence[str] = ()
) -> list[str]:
    """Snakemake's arguments, targets first; `made` are the names of rules that may be asked for.

    `files` is None where no configuration was asked for, and empty where one was but none is named.
    """
    if files is not None and not files:
        raise InputError("no configuration file is named: give CONFIG a file, or leave CONFIG out")
    for target in targets:
        if target.endswith(SETTINGS):
            raise InputError(f"{target}: is a configuration file, not a target; give it as CONFIG={target}")
    for file in files or []:
        if not file.endswith(SETTINGS) and (file.startswith("results/") or file in made):
            raise InputError(f"{file}: is a target, not a configuration file; give it as TARGET={file}")
        read_settings(Path(file))
    return [*targets, *(["--configfile", *files] if files else []), *options]
