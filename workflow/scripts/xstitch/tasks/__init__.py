"""Labelled data sets, read from their original files."""
