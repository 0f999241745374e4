"""Print what a run ends with, a table with intervals and what to do next: show_table.py COMPARISON REPORT."""

import sys

from xstitch.results.closing_table import closing_table

comparison, report = sys.argv[1:]
print(f"\n{closing_table(comparison)}\n")
print(f"next: open {report} in a browser: all tables, how they were made, what differs from the papers")
print("      xstitch new-language CODE --name NAME      a classifier for your own language")
print("      xstitch reproduce mosecrot 1 --dry-run     another table, and what it would run")
