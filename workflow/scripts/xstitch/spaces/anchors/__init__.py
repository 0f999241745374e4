"""Anchors: pairs of words that two spaces share, from a lexicon or found from a few seeds.

`search` names the ways to find them; `retrieval` measures how good they are.
"""
