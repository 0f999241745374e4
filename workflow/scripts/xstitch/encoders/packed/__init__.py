"""Encoders on packed sequences: no padding, fewer copies, on processors."""
