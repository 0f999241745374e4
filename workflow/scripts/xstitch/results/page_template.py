# ruff: noqa: E501
"""The page that shows a table: its style, its shape and the script that sorts and searches."""

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{ heading.title }}</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; color: #1b1b1b; background: #fff; margin: 1.5rem; }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
.paper { color: #555; margin: .2rem 0 .8rem; }
.warning { border-left: 4px solid #b35900; background: #fff6ec; padding: .5rem .8rem; max-width: 60rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid #ddd; vertical-align: top; }
th:first-child, td:first-child, .listing td, .listing th, .command { text-align: left; }
thead th { border-bottom: 2px solid #444; white-space: nowrap; }
th button { font: inherit; font-weight: 600; border: 0; background: none; padding: 0; cursor: pointer; }
th button:focus-visible { outline: 2px solid #0057b8; }
th[aria-sort=ascending] button::after { content: " ▲"; }
th[aria-sort=descending] button::after { content: " ▼"; }
td small { display: block; color: #555; font-size: .78em; white-space: nowrap; }
td.best { font-weight: 700; background: #e6f0fa; }
td.best small { font-weight: 400; }
td.command code { font-size: .78em; color: #333; white-space: nowrap; }
input { font: inherit; padding: .2rem .5rem; margin-bottom: .4rem; }
@media print { input, .download { display: none; } .wide { overflow: visible; } }
</style>
<h1>{{ heading.title }}</h1>
<p class="paper">{{ heading.paper }}{% if heading.scale %} · scale {{ heading.scale }}{% endif %} ·
<a class="download" download="{{ file }}" href="data:text/tab-separated-values;base64,{{ data }}">{{ file }}</a></p>
{% if heading.warning %}
<p class="warning">{{ heading.warning }}</p>
{% endif %}
{% for grid in grids %}
<h2>{{ grid.title }}</h2>
<div class="wide"><table class="grid">
<thead><tr><th></th>{% for column in grid.columns %}<th>{{ column }}</th>{% endfor %}
{% if loop.first and heading.commands %}<th class="command">made by</th>{% endif %}</tr></thead>
<tbody>
{% set first = loop.first %}
{% for row, cells in grid.rows.items() %}
<tr><td>{{ row }}</td>
{% for cell in cells %}
<td{% if cell.best %} class="best"{% endif %}>{{ cell.ours }}
{%- if cell.interval %}<small>{{ cell.interval }}</small>{% endif %}
{%- if cell.published %}<small>paper {{ cell.published }}</small>{% endif %}</td>
{% endfor %}
{% if first and heading.commands %}<td class="command"><code>{{ heading.commands.get(row, "") }}</code></td>{% endif %}</tr>
{% endfor %}
</tbody></table></div>
{% endfor %}
{% if grids %}
<p class="paper">Bold: the best of a column. Below a number: its 95 % interval, and what the paper has.</p>
{% endif %}
{% if listing %}
{% if listed %}<h2>{{ listed }}</h2>{% endif %}
<input type="search" placeholder="search" aria-label="search the rows below">
<div class="wide"><table class="listing">
<thead><tr>{% for name in listing[0] %}<th><button>{{ name }}</button></th>{% endfor %}</tr></thead>
<tbody>
{% for row in listing[1:] %}
<tr>{% for field in row %}<td>{{ field }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div>
<script>
const table = document.querySelector(".listing"), body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
const field = (row, place) => row.cells[place].textContent;
function compare(first, second) {
  const numbers = [first, second].map(text => text === "" ? NaN : Number(text));
  return numbers.some(Number.isNaN) ? first.localeCompare(second) : numbers[0] - numbers[1];
}
heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
  const up = head.getAttribute("aria-sort") !== "ascending";
  heads.forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const rows = [...body.rows].sort((a, b) => compare(field(a, place), field(b, place)) * (up ? 1 : -1));
  body.append(...rows);
}));
document.querySelector("input[type=search]").addEventListener("input", event => {
  const wanted = event.target.value.toLowerCase().split(/\\s+/);
  for (const row of body.rows)
    row.hidden = !wanted.every(word => row.textContent.toLowerCase().includes(word));
});
</script>
{% endif %}
</html>
"""
