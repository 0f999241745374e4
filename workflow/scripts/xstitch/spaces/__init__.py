"""Work on two vector spaces: neighbours, alignment, relative representations, and measures of them.

Word pairs that tie two spaces together come from `anchors`.
"""
