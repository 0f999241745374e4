"""Claims of papers, judged by published numbers and by those of a run.

A claim is a list of predicates (`xstitch.results.settings.claims`). `numbers` and `figures` have what they
are about, `trees` turns a predicate into differences that must be above 0, `logic` decides from these,
`records` and `page` say so.
"""
