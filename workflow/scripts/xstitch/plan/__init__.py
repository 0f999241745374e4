"""What a run is and needs: checked settings, addresses, cases, tables, figures, what is missing, provenance.

Only the Snakefile imports it: no result depends on the code here. `run.load_run` makes the object that all
planning functions take first; those that rules ask take a job's wildcards second.
"""
