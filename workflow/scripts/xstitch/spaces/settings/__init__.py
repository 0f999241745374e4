"""Settings of alignments, mappings and anchors, checked when a run is planned and built by jobs.

Nothing here loads torch.
"""
