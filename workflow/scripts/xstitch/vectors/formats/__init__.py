"""Word vectors in the files of other programs: text, binary, fastText's and gensim's.

All are streamed; unusable files are refused, and unusable rows left out, with a line that says so.
"""
