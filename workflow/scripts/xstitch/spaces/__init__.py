"""Two vector spaces: neighbours, alignment, relative representations, and measures of both.

Word pairs that tie two spaces together come from `anchors`.
"""
