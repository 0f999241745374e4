# ruff: noqa: E501
"""The landing page: its shape, and the style that gives it the room of the whole window."""

# The report puts this text into a narrow column next to the graph of rules, centred from top to bottom.
LANDING = """{% import "grid" as parts %}
{% macro open(path) %}href="#" onclick="app.setView({resultPath: '{{ path }}', content: results['{{ path }}'].mime_type.startsWith('image') ? 'img' : 'html', contentPath: results['{{ path }}'].data_uri}); return false"{% endmacro %}
<style>
{{ style | safe }}
.prose:has(.landing) { max-width: none; }
.h-screen:has(.landing) { align-items: flex-start; }
.flex:has(> div > .prose .landing) { flex-direction: column; min-width: 0; }
.flex > div:has(> .prose .landing) { width: 100%; min-width: 0; padding: .4rem 1rem; }
.landing .stages { display: block; width: 100%; max-width: 76rem; height: auto; min-width: 44rem; margin: .4rem 0; }
.landing .stages text { fill: var(--ink); font-size: 13px; }
.landing .stages .small { fill: var(--soft); font-size: 11.5px; }
.landing .facts td, .landing .claims td, .landing .claims th { text-align: left; }
.landing .claims td:first-child { max-width: 40rem; }
.landing .facts td:last-child { max-width: 22rem; }
.landing details { margin: .5rem 0; }
.landing summary { cursor: pointer; color: var(--accent); }
.landing h3 { font-size: .95rem; font-weight: 600; margin: .8rem 0 .2rem; color: var(--soft); }
.landing .first th, .landing .first td { padding: .3rem .6rem; }
.landing .first th:first-child, .landing .first td:first-child { padding-left: .2rem; }
.landing .links { columns: 2 22rem; column-gap: 3rem; list-style: none; padding: 0; }
.landing .links li { margin: .15rem 0; padding: 0; break-inside: avoid; }
.landing figure { margin: 1rem 0 2rem; max-width: 66rem; }
.landing figure img { max-width: 100%; background: #fff; margin: 0; }
.landing figcaption { color: var(--soft); font-size: .92em; }
</style>
<article class="page landing">
<h1>{% if landing.lead %}{{ landing.lead.heading.title }}{% else %}xstitch{% endif %}</h1>
{% if landing.lead %}
<p class="soft">Table {{ landing.lead.number }} of {{ landing.lead.heading.paper }} ·
<a class="screen" {{ open(landing.lead.page) }}>every cell, with commands</a></p>
{% endif %}
{% if landing.warnings %}
<ul class="warnings">{% for line in landing.warnings %}<li>{{ line }}</li>{% endfor %}</ul>
{% endif %}
{% if landing.lead %}
<div class="first">{{ parts.show(landing.lead.grids, {}, landing.lead.heading.names, false) }}</div>
<p class="soft">Bold: the best of a column. Below a number: its 95 % interval{% if landing.lead.grids | length == 1 %}; the paper's number and ours minus it{% endif %}.</p>
{% endif %}
{% if landing.claims %}
<h2>What the papers claim</h2>
<div class="wide"><table class="claims"><thead><tr><th>claim</th><th>published numbers</th><th>this run</th></tr></thead><tbody>
{% for claim in landing.claims.listed %}
<tr><td>{{ claim.says }}<small>{{ claim.place }}</small></td><td>{{ claim.published }}</td><td>{{ claim.verdict }}</td></tr>
{% else %}
{% for paper, counts in landing.claims.counted.items() %}
<tr><td>{{ paper }}</td>{% for count in counts %}<td>{{ count }}</td>{% endfor %}</tr>
{% endfor %}
{% endfor %}
</tbody></table></div>
<p class="soft"><a class="screen" {{ open(landing.claims.page) }}>every claim, with its numbers</a></p>
{% endif %}
{% if landing.shown %}<h2>In this report</h2>{% endif %}
{% for group, results in landing.shown.items() %}
<h3>{{ group }}</h3>
<ul class="links">
{% for result in results %}<li><a {{ open(result.path) }}>{{ result.name }}</a> <span class="soft">{{ result.title }}</span></li>
{% endfor %}
</ul>
{% endfor %}
{% if landing.figures %}
<h2>Figures</h2>
{% for figure in landing.figures %}
<figure><a {{ open(figure.path) }}><img alt="{{ figure.title or figure.name }}" src="{{ figure.picture }}"></a>
<figcaption>{{ figure.caption | safe }}</figcaption></figure>
{% endfor %}
{% endif %}
<h2>What was run, in seven stages</h2>
<div class="wide"><svg class="stages" viewBox="0 0 1106 104" role="img" aria-label="The seven stages, from data to tables">
{% for stage in landing.stages %}
{% set left = loop.index0 * 160 %}
<g transform="translate({{ left }} 0)">
<rect x="1" y="8" width="144" height="88" rx="8" fill="{{ "var(--best)" if stage.jobs else "var(--panel)" }}" stroke="var(--line)"/>
<text x="13" y="32" font-weight="650">{{ loop.index }} {{ stage.title }}</text>
<text x="13" y="52" class="small">{{ stage.made }}</text>
<text x="13" y="82" class="small">{% if stage.jobs %}{{ stage.jobs }} job{{ "s" if stage.jobs > 1 }}{% if stage.seconds %}, {{ time(stage.seconds) }}{% endif %}{% else %}not in this run{% endif %}</text>
{% if not loop.last %}<path d="M147 52 h9 m-4 -4 l4 4 l-4 4" fill="none" stroke="var(--soft)" stroke-width="1.6"/>{% endif %}
</g>
{% endfor %}
</svg></div>
<div class="beside">
<section><div class="wide"><table class="facts"><tbody>
{% for fact in landing.facts %}<tr><td>{{ fact.name }}</td><td>{{ fact.values | join(", ") }}</td></tr>
{% endfor %}
</tbody></table></div></section>
<section><div class="wide"><table class="costs"><thead><tr><th>stage</th><th>jobs</th><th>time</th><th>longest job</th><th>memory</th></tr></thead><tbody>
{% for stage in landing.stages if stage.jobs %}<tr><td>{{ stage.title }}</td><td>{{ stage.jobs }}</td><td>{{ time(stage.seconds) if stage.seconds else "–" }}</td><td>{{ time(stage.longest) if stage.seconds else "–" }}</td><td>{{ memory(stage.memory_mb) or "–" }}</td></tr>
{% endfor %}
<tr><th>all</th><th>{{ landing.total.jobs }}</th><th>{{ time(landing.total.seconds) }}</th><th>{{ time(landing.total.longest) }}</th><th>{{ memory(landing.total.memory_mb) }}</th></tr>
</tbody></table></div>
<p class="soft">By the jobs' benchmark files; jobs that are over in a moment have none.</p></section>
</div>
<h2>Provenance</h2>
{% if landing.origin %}
<table class="facts"><tbody>
{% for name, value in landing.origin.facts.items() %}<tr><td>{{ name }}</td><td><code>{{ value }}</code></td></tr>
{% endfor %}
</tbody></table>
<details><summary>{{ landing.origin.described.packages | length }} packages</summary>
<p>{% for name, version in landing.origin.described.packages.items() %}<code>{{ name }} {{ version or "not installed" }}</code>{{ ", " if not loop.last }}{% endfor %}</p></details>
<details><summary>{{ landing.origin.data | length }} files of data, with checksums</summary>
<div class="wide"><table class="facts"><tbody>
{% for name, digest in landing.origin.data.items() %}<tr><td><code>{{ name }}</code></td><td><code>{{ digest }}</code></td></tr>
{% endfor %}
</tbody></table></div></details>
<p class="screen"><a download="provenance.json" href="data:application/json;base64,{{ landing.origin.encoded }}">provenance.json</a>: all of it, for every table</p>
{% else %}
<p>This run has not recorded where its tables come from: make one and write the report again.</p>
{% endif %}
<h2 class="screen">All rules</h2>
<p class="soft screen">Click on a rule to see its code. Arcs lead from a rule to those that use its results.</p>
</article>
"""
