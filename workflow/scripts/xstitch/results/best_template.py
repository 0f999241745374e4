# ruff: noqa: E501
"""The page that recommends a model for a language."""

BEST = """{% extends "frame" %}
{% macro number(value) %}{{ "%.2f" | format(value) }}{% endmacro %}
{% block title %}{{ report.title }}{% endblock %}
{% block content %}
<style>
.cards { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.2rem 0 .4rem; }
.card { border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1.1rem; min-width: 11rem; }
.card b { display: block; font-size: 1.9rem; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums; }
.card span { display: block; color: var(--soft); font-size: .9em; }
.expected b::before { content: "≈ "; color: var(--soft); }
.candidates tr.chosen td { background: var(--best); font-weight: 650; }
</style>
<h1>{{ report.title }}</h1>
<p class="soft">{{ report.summary }}</p>
{% if report.warnings %}
<ul class="warnings">{% for line in report.warnings %}<li>{{ line }}</li>{% endfor %}</ul>
{% else %}
<p>No warnings.</p>
{% endif %}
<div class="cards">
<div class="card recipe"><b>{{ report.chosen.recipe }}</b><span>the recommended recipe, of {{ report.candidates | length }} that were tried</span></div>
{% if report.measured %}
<div class="card measured"><b>{{ number(report.measured.value) }}</b><span>{{ report.measured.name }} in {{ report.language }}, measured on {{ report.texts }} labelled texts</span>{% if report.measured.interval %}<span>95 % interval {{ number(report.measured.interval.low) }} to {{ number(report.measured.interval.high) }}</span>{% endif %}</div>
{% endif %}
{% if report.expected %}
<div class="card expected"><b>{{ number(report.expected.value) }}</b><span>expected macro-F1: an expectation, not a measurement</span><span>90 % interval {{ number(report.expected.low) }} to {{ number(report.expected.high) }}</span></div>
{% endif %}
</div>
{% if report.expected %}
<p class="soft">Expected from {{ report.expected.choices }} choices in {{ report.expected.languages }} other languages where the truth is known, verses of the Bible and generated ones: your texts may be easier or harder. With labelled test texts it is measured instead.</p>
{% else %}
<p class="soft">There are too few languages on record where the truth is known to say what to expect.</p>
{% endif %}
<h2>Why this one</h2>
<p>{{ report.why }}</p>
{% if report.record %}<p>{{ report.record }}</p>{% endif %}
<h2>All candidates</h2>
<div class="wide"><table class="candidates sortable"><thead><tr><th><button>recipe</button></th>{% for name in report.columns %}<th><button>{{ name }}</button></th>{% endfor %}</tr></thead><tbody>
{% for row in report.candidates %}
<tr{% if row.chosen %} class="chosen"{% endif %}><td>{{ row.recipe }}</td>{% for name in report.columns %}<td>{{ row[name] if name == "minutes" else "%.3f" | format(row[name] | float) }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div>
<p class="soft">No label in {{ report.language }} was used. <b>information</b>: what answers tell of a text, out of all that labels could; the recipe was chosen by it. Not part of the choice: <b>agreement</b>, texts that the other candidates together answer in the same way; <b>dictionary</b>, macro-F1 on {{ report.source_language }} texts written word by word with the dictionary; <b>coverage</b>, the tokens that the model knows; <b>confidence</b>, the mean probability of answers. <b>minutes</b>: estimated, on one core.</p>
{% if report.left_out %}
<h2>Not tried</h2>
<ul class="left-out">{% for name, reason in report.left_out.items() %}<li><code>{{ name }}</code>: {{ reason }}</li>{% endfor %}</ul>
{% endif %}
{% if report.gains %}
<h2>What would raise it most</h2>
<table class="gains"><thead><tr><th>more of</th><th>from</th><th>to</th><th>macro-F1</th><th>least to most</th></tr></thead><tbody>
{% for gain in report.gains %}<tr><td>{{ gain.unit }}</td><td>{{ "{:,.0f}".format(gain.before) }}</td><td>{{ "{:,.0f}".format(gain.after) }}</td><td>{{ "%+.2f" | format(gain.mean) }}</td><td>{{ "%+.2f" | format(gain.least) }} to {{ "%+.2f" | format(gain.most) }}</td></tr>
{% endfor %}
</tbody></table>
<p class="soft">What it brought in other languages, on curves that reach that far: an expectation, too.</p>
{% endif %}
<h2>Coverage</h2>
<table class="coverage"><thead><tr><th>measure</th><th>value</th></tr></thead><tbody>
{% for row in report.coverage %}<tr><td>{{ row.measure }}{% if row.warning %} ⚠{% endif %}</td><td>{{ row.value }}</td></tr>
{% endfor %}
</tbody></table>
<h2>How to use the model</h2>
<p>The folder <code>{{ report.folder }}</code> is an ordinary transformers model with a card (README.md):</p>
<pre><code>xstitch classify {{ report.folder }} texts.txt</code></pre>
<p>labels a file with one text a line; in Python:</p>
<pre><code>from transformers import pipeline

classify = pipeline("text-classification", model="{{ report.folder }}")
classify("…")</code></pre>
{% endblock %}
"""
