"""Settings for training encoders and distilling from them, checked when a run is planned and built by jobs.

Nothing here loads torch, and each method has its own module, so an edited setting reruns only its method.
"""
