"""Typed models of the configuration, section by section: the one place that says which keys are legal.

Settings of methods are not said again here: their keys come from the dataclasses that jobs build (`derived`).
"""
