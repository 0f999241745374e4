"""Word vectors in the files of other programs: text, binary, fastText's and gensim's.

All are streamed, and what is no vector is refused or left out with a line that says so.
"""
