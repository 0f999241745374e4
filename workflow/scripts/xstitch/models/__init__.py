"""Task models: fine-tuning by kind of answer, stitching to other embeddings, logistic regression.

`heads` serves all kinds of answers alike; `transfer` adapts models to languages without labels.
"""
