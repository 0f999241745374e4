"""Contextual encoders: pre-trained, continued, aligned by parallel text, distilled into vectors, applied.

They are folders of transformers' layout; what is learnt from labels is in `models`.
"""
