"""The one error a user is meant to read."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable

NAMES_SHOWN = 12  # nobody reads a line that lists more
# What a user can fix: a full disk, a quota, a folder without write permission.
USER_FIXABLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}


class InputError(Exception):
    """Something outside the program is wrong: a file, a setting, a server.

    The message is one line that names the file or key, the place in it and the remedy; a job that
    fails with it prints that line and no traceback.
    """


def legal_names(names: Iterable[str], written: str) -> str:
    """List names for a message; if there are many, those closest to what was written."""
    names = list(names)
    if len(names) <= NAMES_SHOWN:
        return ", ".join(names)
    closest = difflib.get_close_matches(written, names, n=NAMES_SHOWN, cutoff=0)
    return f"{', '.join(closest)} and {len(names) - NAMES_SHOWN} more"
