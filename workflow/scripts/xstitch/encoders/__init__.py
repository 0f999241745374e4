"""Contextual encoders: pre-trained, continued, aligned by parallel text, distilled into vectors, applied.

They are folders in transformers' layout; what is learned from labels is in `models`.
"""
