"""Numbers and how they are shown: scores, metrics, intervals, tables, figures and reports.

Nothing here knows by which method a number came about.
"""
