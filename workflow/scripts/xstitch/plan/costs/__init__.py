"""What jobs cost: units of work from the configuration, seconds, memory and disk from what was measured."""
