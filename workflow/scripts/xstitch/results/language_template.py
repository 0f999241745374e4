# ruff: noqa: E501
"""The page that reports on one language."""

LANGUAGE = """{% extends "frame" %}
{% macro number(value) %}{{ "%.2f" | format(value) }}{% endmacro %}
{% macro interval(part) %}{% if part.interval %}{{ number(part.interval.low) }} to {{ number(part.interval.high) }}{% endif %}{% endmacro %}
{% block title %}{{ report.title }}{% endblock %}
{% block content %}
<style>
.cards { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.2rem 0 .4rem; }
.card { border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1.1rem; min-width: 11rem; }
.card b { display: block; font-size: 1.9rem; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums; }
.card span { display: block; color: var(--soft); font-size: .9em; }
.confusion td, .confusion th { padding: .3rem .7rem; }
.confusion td.right { outline: 2px solid var(--accent); outline-offset: -2px; font-weight: 700; }
.confusion tbody tr:hover { background: none; }
.examples td { text-align: left; }
.examples td:nth-child(3) { min-width: 22rem; max-width: 48rem; }
.examples td:nth-child(-n+2) { white-space: nowrap; }
.examples td small { white-space: normal; }
.unknown { text-decoration: underline wavy var(--warn); text-underline-offset: 3px; }
.composed { text-decoration: underline dotted var(--soft); text-underline-offset: 3px; }
</style>
<h1>{{ report.title }}</h1>
<p class="soft">{{ report.summary }}</p>
{% if report.warnings %}
<ul class="warnings">{% for line in report.warnings %}<li>{{ line }}</li>{% endfor %}</ul>
{% else %}
<p>No warnings.</p>
{% endif %}
{% set main = report.evaluation.measured[0] if report.evaluation %}
{% set source = report.source.measured[0] if report.source %}
<div class="cards">
{% if main %}
<div class="card target"><b>{{ number(main.value) }}</b><span>{{ main.name }} in {{ report.language }}</span>{% if main.interval %}<span>95 % interval {{ interval(main) }}</span>{% endif %}</div>
{% endif %}
{% if source %}
<div class="card source"><b>{{ number(source.value) }}</b><span>{{ source.name }} in {{ report.source_language }}, before stitching</span>{% if source.interval %}<span>95 % interval {{ interval(source) }}</span>{% endif %}</div>
{% endif %}
{% if main %}
<div class="card"><b>{{ number(main.baseline) }}</b><span>{{ main.name }} of always answering</span><span>{{ report.evaluation.frequent }}</span></div>
{% endif %}
</div>
<h2>Coverage</h2>
<table class="coverage"><thead><tr><th>measure</th><th>value</th></tr></thead><tbody>
{% for row in report.coverage %}<tr><td>{{ row.measure }}{% if row.warning %} ⚠{% endif %}</td><td>{{ row.value }}</td></tr>
{% endfor %}
</tbody></table>
<h2>Evaluation</h2>
{% if report.evaluation %}
<div class="wide"><table class="evaluation"><thead><tr><th>metric</th><th>{{ report.language }}</th><th>95 % interval</th><th>by seed</th><th>always {{ report.evaluation.frequent }}</th>{% if source %}<th>{{ report.source_language }}</th><th>95 % interval</th>{% endif %}</tr></thead><tbody>
{% for part in report.evaluation.measured %}
<tr><td>{{ part.name }}</td><td>{{ "%.3f" | format(part.value) }}</td><td>{{ interval(part) }}</td><td>{% for value in part.by_seed %}{{ "%.3f" | format(value) }} {% endfor %}</td><td>{{ "%.3f" | format(part.baseline) }}</td>
{%- if source %}{% set there = report.source.measured[loop.index0] %}<td>{{ "%.3f" | format(there.value) }}</td><td>{{ interval(there) }}</td>{% endif %}</tr>
{% endfor %}
</tbody></table></div>
<p class="soft">{{ report.evaluation.texts }} labelled texts{% if source %}; {{ report.source.texts }} of {{ report.source_language }}, read by the same models before their words were exchanged{% endif %}.</p>
<h2>Confusion matrix</h2>
<div class="wide"><table class="confusion"><thead><tr><th>true label ↓ answer →</th>{% for label in report.confusion.labels %}<th>{{ label }}</th>{% endfor %}</tr></thead><tbody>
{% for label in report.confusion.labels %}
{% set row = loop.index0 %}
<tr><th>{{ label }}</th>{% for count in report.confusion.counts[row] %}<td style="background: rgb(11 92 173 / {{ "%.2f" | format(report.confusion.share(row, loop.index0) * 0.45) }})"{% if loop.index0 == row %} class="right"{% endif %}>{{ count }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div>
<p class="soft">Framed: right answers. The darker, the larger the part of a label's texts.{% if report.confusion.seeds > 1 %} Answers of {{ report.confusion.seeds }} seeds together.{% endif %}</p>
{% for name, found in report.examples.items() %}
<h2>{{ found | length }} {{ name }} answer{{ "s" if found | length != 1 }}</h2>
{% if found %}
<div class="wide"><table class="examples {{ name }}"><thead><tr><th>true label</th><th class="words">answer</th><th class="words">text</th></tr></thead><tbody>
{% for example in found %}
<tr><td>{{ example.label }}</td><td>{{ example.predicted }}</td><td>{% for piece in example.pieces %}{% if piece.state %}<span class="{{ piece.state }}">{{ piece.text }}</span>{% else %}{{ piece.text }}{% endif %}{% endfor %}
{% for state, said in (("unknown", "unknown"), ("composed", "composed of shorter words")) if example.words(state) %}<small>{{ said }}: {{ example.words(state) | join(", ") }}</small>{% endfor %}</td></tr>
{% endfor %}
</tbody></table></div>
{% endif %}
{% endfor %}
{% else %}
<p>There is no labelled test data for this language.</p>
{% if source %}<p class="soft">{{ report.source.texts }} texts of {{ report.source_language }}, read by the same models before their words were exchanged: {{ source.name }} {{ "%.3f" | format(source.value) }}.</p>{% endif %}
{% endif %}
<h2>How to use the model</h2>
<p>Complete transformers folders, tokenizers included, one for each seed:</p>
{% set folder = report.models | first %}
<ul class="models">{% for model, weights in report.models.items() %}<li><code>{{ model }}</code>: {{ weights }}</li>{% endfor %}</ul>
<pre><code>xstitch classify {{ folder }} texts.txt</code></pre>
<p>labels a file with one text a line; in Python:</p>
<pre><code>from transformers import pipeline

classify = pipeline("text-classification", model="{{ folder }}")
classify("…")</code></pre>
{% if report.segmenter %}<p>Give it words separated by spaces, as {{ report.segmenter }} splits them: it was trained on such text.</p>{% endif %}
{% endblock %}
"""
