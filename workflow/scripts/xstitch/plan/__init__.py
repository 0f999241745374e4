"""What a run is: checked settings, references between them, given files, digests, provenance.

Only the Snakefile imports it: no result depends on the code here.
"""
