"""`python -m xstitch`, and `python workflow/scripts/xstitch` where the library is not installed."""

import sys
from pathlib import Path

if not __package__:  # run as a folder: Python looks for modules in it, not beside it
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from xstitch.command.main import main

if __name__ == "__main__":
    main()
