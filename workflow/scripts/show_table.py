"""Print what a run ends with, a table and what to do next: show_table.py TABLE COMPARISON REPORT."""

import shutil
import sys

from xstitch.results.side_by_side import side_by_side, what_it_is

table, comparison, report = sys.argv[1:]
lines = side_by_side(table, comparison).splitlines()
if sys.stdout.isatty() and max(map(len, lines)) > shutil.get_terminal_size().columns:
    lines = [line.partition("|")[0].rstrip() for line in lines]  # the report has the published numbers, too
print("", what_it_is(comparison), "", *lines, "", sep="\n")
print(f"next: open {report} in a browser: all tables, how they were made, what differs from the papers")
print("      xstitch new-language CODE --name NAME      a classifier for your own language")
print("      xstitch reproduce mosecrot 1 --dry-run     another table, and what it would run")
