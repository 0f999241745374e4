# ruff: noqa: E501
"""The page that shows a table."""

PAGE = """{% extends "frame" %}
{% import "grid" as parts %}
{% block title %}{{ heading.title }}{% endblock %}
{% block content %}
<h1>{{ heading.title }}</h1>
<p class="soft">{{ heading.paper }}{% if heading.scale %} · scale {{ heading.scale }}{% endif %} ·
<a class="screen" download="{{ file }}" href="data:text/tab-separated-values;base64,{{ data }}">{{ file }}</a></p>
{% if heading.warning %}<ul class="warnings"><li>{{ heading.warning }}</li></ul>{% endif %}
<input type="search" placeholder="Search rows" aria-label="Search rows">
{% if grids %}
<p></p>
{{ parts.show(grids, heading.commands, heading.names) }}
<p class="soft">Bold: the best of a column. Below a number: its 95 % interval; the paper's number and ours minus it.
Below a row's name: the command that makes its scores.</p>
{% endif %}
{% if listing %}
{% if listed %}<h2>{{ listed }}</h2>{% endif %}
<div class="wide"><table class="listing sortable">
<thead><tr>{% for name in listing[0] %}<th{% if name not in numeric %} class="words"{% endif %}><button>{{ name }}</button></th>{% endfor %}</tr></thead>
<tbody>
{% for row in listing[1:] %}
<tr>{% for field in row %}<td{% if listing[0][loop.index0] not in numeric %} class="words"{% endif %}>{{ field }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div>
{% endif %}
{% endblock %}
"""
