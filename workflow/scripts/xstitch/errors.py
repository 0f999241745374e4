"""The one error a user is meant to read."""


class InputError(Exception):
    """Something outside the program is wrong: a file, a setting, a server.

    The message is one line that names the file or key, the place in it and the remedy; a job that
    ends with it prints that line and no traceback.
    """
