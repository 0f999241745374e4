"""Dead links: in built pages, and in the Markdown that is read as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note links, images, scripts, styles and anchors."""
        for name, value in attributes:
            if (
                name in ("href", "src")
                and value is not None
                and not (tag == "use" or value.startswith("#svg-"))
            ):
                self.targets.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


def dead_site_links(site: Path) -> list[str]:
    """Links within a built site that lead nowhere, as page and target; other sites are not asked."""
    pages = {file.resolve(): Page(file) for file in site.rglob("*.html")}
    dead = []
    for file, page in pages.items():
        for target in page.targets:
            place = urlsplit(target)
            if place.scheme or place.netloc:
                continue
            goal = (file.parent / unquote(place.path)).resolve() if place.path else file
            missing_anchor = (
                place.fragment and goal in pages and unquote(place.fragment) not in pages[goal].anchors
            )
            if not goal.exists() or missing_anchor:
                dead.append(f"{file.relative_to(site.resolve())}: {target}")
    return dead


def dead_markdown_links(files: Iterable[Path]) -> list[str]:
    """Links of Markdown files to files or headings that do not exist, as file and target."""
    dead = []
    for file in files:
        for target in re.findall(r"\]\(([^)\s]+)\)", _without_code(file.read_text(encoding="utf-8"))):
            place = urlsplit(target)
            if place.scheme or place.netloc:
                continue
            goal = file.parent / unquote(place.path) if place.path else file
            missing_heading = (
                place.fragment and goal.suffix == ".md" and place.fragment not in _headings(goal)
            )
            if not goal.exists() or missing_heading:
                dead.append(f"{file.name}: {target}")
    return dead


def _headings(file: Path) -> set[str]:
    """The anchors of a file's headings, as GitHub makes them."""
    if not file.exists():
        return set()
    titles = re.findall(r"^#+ (.*)$", _without_code(file.read_text(encoding="utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
