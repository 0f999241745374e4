"""Print a table next to the published numbers: show_table.py TABLE COMPARISON."""

import sys

from xstitch.results.side_by_side import side_by_side

print(side_by_side(sys.argv[1], sys.argv[2]))
