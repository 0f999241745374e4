"""Static word vectors: a table of words and numbers, and the training of fastText and word2vec.

Files of other programs are read and written by `formats`.
"""
