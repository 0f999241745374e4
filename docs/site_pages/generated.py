"""Directives that put generated Markdown into a page.

`{keys} Relative` lists the keys of a model, `{sections}` those of the whole configuration; see TEXTS.
"""

import re
from collections.abc import Callable
from typing import ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from site_pages import keys, papers, rules

TEXTS: dict[str, Callable[..., str]] = {
    "keys": keys.keys_of,
    "sections": keys.all_sections,
    "rules": rules.all_rules,
    "targets": rules.all_addresses,
    "papers": papers.all_papers,
    "paper-scales": papers.scales_of,
    "paper-tables": papers.tables_of,
    "paper-figures": papers.figures_of,
    "paper-claims": papers.claims_of,
    "paper-settings": papers.settings_of,
}


class Generated(SphinxDirective):
    """A directive whose text is generated from its arguments."""

    optional_arguments = 9
    texts: ClassVar = TEXTS

    def run(self) -> list[nodes.Node]:
        """Parse the text as if it stood in the page: with headings only if it begins with one.

        What stands before the first heading would be lost.
        """
        text = self.texts[self.name](*self.arguments)
        if re.search(r"^(\(.*\)=\n\n)?#", text, re.M) and not text.startswith("#"):
            raise self.error(f"{self.name}: text before the first heading")
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the directives."""
    for name in TEXTS:
        app.add_directive(name, Generated)
    return {"parallel_read_safe": True}
