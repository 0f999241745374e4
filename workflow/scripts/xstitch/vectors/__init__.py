"""Static word vectors: a table of words and numbers, and training with fastText and word2vec.

`formats` reads and writes files of other programs.
"""
