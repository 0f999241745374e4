"""Settings of task models, checked when a run is planned and built by jobs. Nothing here loads torch."""
