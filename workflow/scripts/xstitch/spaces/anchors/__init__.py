"""Anchors: word pairs shared by two spaces, from a lexicon or found from a few seeds.

`search` names the ways to find them; `retrieval` measures how good they are.
"""
