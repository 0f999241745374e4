"""Heads: what models learn from the rows of a task, and how their answers are scored.

`registry` says which module handles which kind of rows; all modules have the same functions.
"""
