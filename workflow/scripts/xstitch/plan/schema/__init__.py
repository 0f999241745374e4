"""Typed models of the configuration, section by section: the one place that defines which keys are legal.

Settings of methods are not repeated here: their keys come from the dataclasses that jobs use (`derived`).
"""
