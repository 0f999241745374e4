# ruff: noqa: E501
"""Claims as a page of the report: a matrix of claims and of scales, published numbers first.

A verdict is a word, a sign and a colour: it can be read on paper and by those who do not see the colour.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from jinja2 import Environment

from xstitch.core.files import whole_file
from xstitch.core.tsv import read_records
from xstitch.results.claims.logic import (
    CANNOT_BE_TOLD,
    FAILS,
    HOLDS,
    NOT_RUN,
    NOT_SUPPORTED,
    OPEN,
    SUPPORTED,
)
from xstitch.results.claims.recorded import Verdicts, read_verdicts
from xstitch.results.pages import PAPER_SCALE, Heading

# The sign of a verdict, and the class of its colour.
SIGNS = {
    SUPPORTED: ("✓", "yes"),
    HOLDS: ("✓", "yes"),
    NOT_SUPPORTED: ("✗", "no"),
    FAILS: ("✗", "no"),
    OPEN: ("?", "open"),
    CANNOT_BE_TOLD: ("–", "none"),
    NOT_RUN: ("–", "none"),
}
MINI_SCALE = "mini"

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{ heading.title }}</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; color: #1b1b1b; background: #fff; margin: 1.5rem; }
h1 { font-size: 1.25rem; margin: 0; }
.paper { color: #555; margin: .2rem 0 .8rem; }
.warning { border-left: 4px solid #b35900; background: #fff6ec; padding: .5rem .8rem; max-width: 60rem; }
table { border-collapse: collapse; }
th, td { padding: .4rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid #ddd; }
thead th { border-bottom: 2px solid #444; }
tbody th { background: #f4f4f4; }
td.claim { width: 34%; }
td small { display: block; color: #444; font-size: .8em; }
.yes { background: #d6e8fa; border-left: 6px solid #0057b8; }
.no { background: #fde3c8; border-left: 6px double #b35900; }
.open { background: #fff; border-left: 6px dotted #555; }
.none { background: #fff; color: #555; border-left: 6px solid #fff; }
.word { font-weight: 600; white-space: nowrap; }
@media print { .download { display: none; } td, th { print-color-adjust: exact; } tr { break-inside: avoid; } }
</style>
<h1>{{ heading.title }}</h1>
<p class="paper">{{ heading.paper }} · scale {{ heading.scale }} ·
<a class="download" download="{{ file }}" href="data:text/tab-separated-values;base64,{{ data }}">{{ file }}</a></p>
{% if warning %}
<p class="warning">{{ warning }}</p>
{% endif %}
<p>{{ counts }}</p>
<table>
<thead><tr><th>claim</th>{% for title in titles %}<th>{{ title }}</th>{% endfor %}</tr></thead>
<tbody>
{% for paper, claims in papers %}
<tr><th colspan="{{ titles | length + 1 }}">{{ paper }}</th></tr>
{% for claim, cells in claims %}
<tr><td class="claim">{{ claim.says }}<small>{{ claim.claim }} · {{ claim.place }}</small></td>
{% for verdict, numbers in cells %}
<td class="{{ signs[verdict][1] }}"><span class="word">{{ signs[verdict][0] }} {{ verdict }}</span><small>{{ numbers }}</small></td>
{% endfor %}</tr>
{% endfor %}
{% endfor %}
</tbody></table>
<p class="paper">✓ the numbers are as claimed. ✗ they are not. ? the interval of a difference that decides the claim includes
zero, after Holm's correction for all differences of the claim, or nothing was repeated. – a number is absent. Published
numbers have no intervals here and are taken at their word. Behind a number of a run: its 95 % interval. Runs at other
scales were recorded earlier.</p>
</html>
"""


def write_claims_page(
    heading: Heading, claims: str | Path, path: str | Path, recorded: Mapping[str, str | Path] | None = None
) -> None:
    """Write the page of a table of claims; `recorded` has files of verdicts of runs at other scales."""
    records = read_records(claims)
    others = {scale: read_verdicts(file) for scale, file in (recorded or {}).items()}
    papers = [
        (paper, [(record, _cells(record, others.values())) for record in part])
        for paper, part in groupby(records, key=lambda record: record["paper"])
    ]
    titles = ["published numbers", f"this run, scale {heading.scale}", *(f"scale {name}" for name in others)]
    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(PAGE)
    text = page.render(
        heading=heading,
        warning=scale_warning(heading.scale),
        counts=_counted(records),
        papers=papers,
        titles=titles,
        signs=SIGNS,
        data=base64.b64encode(Path(claims).read_bytes()).decode(),
        file=Path(claims).name,
    )
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")


def _cells(record: Mapping[str, str], others: Iterable[Verdicts]) -> list[tuple[str, str]]:
    """Return the verdicts on a claim and the numbers behind them: published, of the run, of other scales."""
    cells = [
        (record["published"], record["published_numbers"]),
        (record["verdict"], record["numbers"]),
    ]
    found = (verdicts.get((record["paper"], record["claim"]), {}) for verdicts in others)
    return [*cells, *((one.get("verdict", NOT_RUN), one.get("numbers", "")) for one in found)]


def scale_warning(scale: str) -> str:
    """Say what the verdicts of a run are about, if not about what the papers ran."""
    if scale == PAPER_SCALE:
        return ""
    about = "the generated mini world" if scale == MINI_SCALE else "its own data and models"
    return f"Scale {scale}: the verdicts of this run are about {about}, not about the papers' languages."


def _counted(records: list[dict[str, str]]) -> str:
    """Count the verdicts by published numbers and by the run."""
    parts = []
    for name, column in (("By published numbers", "published"), ("In this run", "verdict")):
        counts = Counter(record[column] for record in records)
        parts.append(f"{name}: {', '.join(f'{counts[word]} {word}' for word in SIGNS if counts[word])}.")
    return f"{len(records)} claims. {' '.join(parts)}"
