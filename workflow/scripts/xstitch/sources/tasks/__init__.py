"""Labelled data sets, read from their original files.

One module for each reader, imported by its name, so that an edit of one runs the others not again.
"""
