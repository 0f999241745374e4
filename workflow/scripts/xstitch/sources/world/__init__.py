"""The mini world: a generated multilingual universe in the formats and at the addresses of real data.

`settings` has its sizes and languages, `mirror` writes it, and the other modules make its parts.
"""
