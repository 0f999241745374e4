"""Task models: fine-tuning by kind of answer, stitching to other embeddings, logistic regression.

`heads` gives all kinds of answers one interface; `transfer` adapts models to languages without labels.
"""
