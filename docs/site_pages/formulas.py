"""Formulas as MathML, which browsers draw themselves: no script from elsewhere, no TeX."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def formula_in_text(translator, node):
    """Write a formula within a line."""
    translator.body.append(tex2mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def formula_on_its_own(translator, node):
    """Write a formula between paragraphs."""
    translator.body.append(tex2mathml(node.astext(), as_block=True))
    raise nodes.SkipNode


def setup(app):
    """Offer the renderer that conf.py chooses."""
    app.add_html_math_renderer("mathml", (formula_in_text, None), (formula_on_its_own, None))
    return {"parallel_read_safe": True}
