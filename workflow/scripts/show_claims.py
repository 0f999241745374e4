"""Print claims with their verdicts: show_claims.py CLAIMS."""

import sys

from xstitch.results.claims.records import listed_verdicts

print(listed_verdicts(sys.argv[1]))
