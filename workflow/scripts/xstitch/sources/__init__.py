"""Where data comes from: downloads, and readers of corpora, lexica, parallel text and images.

`tasks` reads labelled data sets; `world` generates a small universe in the same formats.
"""
