"""Sphinx: the site of docs/, built by `make site` without a network."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "workflow/scripts")]

project = "xstitch"
project_copyright = "the xstitch contributors"
extensions = ["myst_parser", "site_pages.generated", "site_pages.formulas"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4  # links to headings, as GitHub writes them; dead ones are warnings
highlight_language = "none"
nitpicky = True
exclude_patterns = ["own-language/*"]
html_theme = "furo"
html_title = "xstitch"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
