"""Where data comes from: downloads, and readers of corpora, lexica, parallel text and images.

Labelled data sets are read by `tasks`; `world` generates a small universe in the same formats.
"""
