"""Settings of results: their keys in the configuration."""
