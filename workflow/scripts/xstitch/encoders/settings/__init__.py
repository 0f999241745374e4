"""Settings of what trains encoders and distils from them: checked when a run is planned, built by jobs.

Nothing here loads torch, and each method has a module of its own: an edited setting reruns its method alone.
"""
