"""Settings of task models: checked when a run is planned, built by jobs. Nothing here loads torch."""
