"""Labelled data sets, read from their original files.

One module per reader, imported by name, so that an edit of one does not rerun the others.
"""
