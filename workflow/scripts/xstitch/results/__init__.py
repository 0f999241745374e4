"""Numbers and how they are shown: scores, metrics, intervals, tables, figures and reports.

Nothing here knows which method produced a number.
"""
