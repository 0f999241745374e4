# ruff: noqa: E501
"""What all pages share: their style, tables in a paper's shape, and the script that sorts and searches.

Sorting and searching take a few lines of script: the libraries for that would add half a megabyte to every
page, and a report has forty.
"""

# Colours are readable by the colour-blind and in print; none of them says what no word says.
STYLE = """
.page { --ink: #1a1f26; --soft: #59636e; --line: #d8dee4; --paper: #fff; --panel: #f6f8fa; --best: #dcebfa;
  --accent: #0b5cad; --warn: #9a4a00; --warn-paper: #fff5e9;
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; color: var(--ink); }
body.page { background: var(--paper); margin: 1.75rem 2rem 3rem; }
.page h1 { font-size: 1.45rem; line-height: 1.25; font-weight: 650; margin: 0 0 .2rem; color: inherit; }
.page h2 { font-size: 1.08rem; font-weight: 650; margin: 2rem 0 .6rem; color: inherit; }
.page p, .page ul { margin: .4rem 0 .6rem; max-width: 62rem; }
.page a { color: var(--accent); }
.page .soft { color: var(--soft); font-size: .92em; }
.page .warnings { border-left: 4px solid var(--warn); background: var(--warn-paper); padding: .55rem .9rem;
  margin: .9rem 0; max-width: 60rem; list-style: none; }
.page .warnings li { margin: .15rem 0; padding: 0; }
.page .warnings li::before { content: "⚠ "; color: var(--warn); }
.page .wide { overflow-x: auto; max-width: 100%; }
.page table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .95em; margin: 0; width: auto; }
.page th, .page td { padding: .38rem .8rem; text-align: right; vertical-align: top; border: 0;
  border-bottom: 1px solid var(--line); color: inherit; }
.page th { font-weight: 600; }
.page th:first-child, .page td:first-child { text-align: left; padding-left: .2rem; }
.page tbody tr:hover { background: var(--panel); }
.page thead th { border-bottom: 2px solid var(--soft); white-space: nowrap; vertical-align: bottom; }
.page .words { text-align: left; }
.page th button { font: inherit; color: inherit; border: 0; background: none; padding: 0; cursor: pointer; text-align: inherit; }
.page th button:hover { text-decoration: underline; }
.page th button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.page th[aria-sort=ascending] button::after { content: " ▲"; }
.page th[aria-sort=descending] button::after { content: " ▼"; }
.page th small, .page td small { display: block; color: var(--soft); font-size: .8em; font-weight: 400; white-space: nowrap; }
.page td.best { font-weight: 700; background: var(--best); }
.page code { font: .86em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; color: inherit; background: none; }
.page code::before, .page code::after { content: none; }
.page td small.command { white-space: normal; min-width: 16rem; }
.page td small code { font-size: 1em; overflow-wrap: anywhere; }
.page pre { background: var(--panel); color: inherit; border: 1px solid var(--line); border-radius: 6px;
  padding: .7rem .9rem; overflow-x: auto; max-width: 60rem; }
.page th.group { text-align: center; border-bottom: 1px solid var(--line); }
.page thead td { border: 0; }
.page .next { border-left: 2px solid var(--line); }
.page .beside { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; align-items: flex-start; }
.page .beside h2 { margin-top: 1.2rem; }
.page input[type=search] { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: 6px; padding: .25rem .6rem; margin: .6rem 0 0; width: 18rem; max-width: 100%; }
@media (prefers-color-scheme: dark) {
  .alone body.page { --ink: #e6e9ed; --soft: #a3adb8; --line: #39424d; --paper: #14181d; --panel: #1e242b; --best: #1d3a57;
    --accent: #7ab7f5; --warn: #f0a35e; --warn-paper: #2b2118; }
}
@media print {
  body.page { margin: 0; font-size: 11px; }
  .page input, .page .screen { display: none; }
  .page .wide { overflow: visible; }
  .page tr { break-inside: avoid; }
  .page td.best { text-decoration: underline; }
}
"""

# Grids with the same rows, side by side in one table; `commands` make the rows, `names` explain columns.
GRID = """
{% macro show(grids, commands={}, names={}, sortable=true) %}
<div class="wide"><table class="scores{{ " sortable" if sortable }}">
<thead>
{% if grids | length > 1 %}
<tr><td></td>{% for grid in grids %}<th class="group{{ " next" if not loop.first }}" colspan="{{ grid.columns | length }}">{{ grid.title }}</th>{% endfor %}</tr>
{% endif %}
<tr><th>{{ head(grids[0].corner, {}, sortable) }}</th>
{% for grid in grids %}{% set later = not loop.first %}
{% for column in grid.columns %}<th{% if later and loop.first %} class="next"{% endif %}>{{ head(column, names, sortable) }}</th>{% endfor %}
{% endfor %}</tr></thead>
<tbody>
{% for row in rows_of(grids) %}
<tr><td>{{ row }}{% if commands.get(row) %}<small class="command"><code>{{ commands[row] }}</code></small>{% endif %}</td>
{% for grid in grids %}{% set later = not loop.first %}
{% for column in grid.columns %}
{% set cell = grid.rows[row][loop.index0] if row in grid.rows else {} %}
<td data-value="{{ cell.ours }}"{% if cell.best %} class="best"{% elif later and loop.first %} class="next"{% endif %}>{{ cell.ours }}
{%- if cell.interval %}<small>{{ cell.interval }}</small>{% endif %}
{%- if cell.published %}<small>paper {{ cell.published }}{% if cell.difference %} ({{ cell.difference }}){% endif %}</small>{% endif %}
{%- if cell.status %}<small>{{ cell.status }}</small>{% endif %}</td>
{% endfor %}
{% endfor %}</tr>
{% endfor %}
</tbody></table></div>
{% endmacro %}
{% macro head(column, names, sortable) %}
{% if sortable %}<button>{{ column }}</button>{% else %}{{ column }}{% endif %}
{%- if names.get(column) %}<small>{{ names[column] }}</small>{% endif %}
{% endmacro %}
"""

# Numbers are sorted as numbers, and what is empty comes last.
SCRIPT = """
if (self === top) document.documentElement.classList.add("alone");
const text = cell => cell.dataset.value ?? cell.textContent.trim();
function compare(first, second) {
  const numbers = [Number(first), Number(second)];
  return numbers.some(Number.isNaN) ? first.localeCompare(second) : numbers[0] - numbers[1];
}
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0], heads = [...[...table.tHead.rows].at(-1).cells];
  heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
    const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    const keyed = [...body.rows].map(row => [text(row.cells[place]), row]);
    keyed.sort(([a], [b]) => (a === "") - (b === "") || sign * compare(a, b));
    body.append(...keyed.map(([, row]) => row));
  }));
}
document.querySelector("input[type=search]")?.addEventListener("input", event => {
  const wanted = event.target.value.toLowerCase().split(/\\s+/);
  for (const row of document.querySelectorAll("table.sortable tbody tr"))
    row.hidden = !wanted.every(word => row.textContent.toLowerCase().includes(word));
});
"""

FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{% block title %}{% endblock %}</title>
<style>{{ style | safe }}</style>
</head>
<body class="page">
{% block content %}{% endblock %}
<script>{{ script | safe }}</script>
</body>
</html>
"""
