"""The one error a user is meant to read."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable

NAMES_SHOWN = 12  # a line that lists more is not read
# What a user can mend: a full disk, a quota, a folder that must not be written.
MENDABLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}


class InputError(Exception):
    """Something outside the program is wrong: a file, a setting, a server.

    The message is one line that names the file or key, the place in it and the remedy; a job that
    ends with it prints that line and no traceback.
    """


def legal_names(names: Iterable[str], written: str) -> str:
    """List names for a message; of many, those most like what was written."""
    names = list(names)
    if len(names) <= NAMES_SHOWN:
        return ", ".join(names)
    near = difflib.get_close_matches(written, names, n=NAMES_SHOWN, cutoff=0)
    return f"{', '.join(near)} and {len(names) - NAMES_SHOWN} more"
