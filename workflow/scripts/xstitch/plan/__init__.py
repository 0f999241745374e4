"""What a run is and needs: checked settings, addresses, cases, tables, figures, what is missing, provenance.

Only the Snakefile imports it: no result depends on the code here. All planning functions take the object made
by `run.load_run` as their first argument; those that rules call take a job's wildcards as their second.
"""
