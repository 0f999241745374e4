"""Heads: what models learn from the rows of a task, and how their answers are scored.

`registry` says which module serves which kind of rows; all have the same functions.
"""
