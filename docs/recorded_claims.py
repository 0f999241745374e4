"""Record the verdicts of a run on the papers' claims: recorded_claims.py CLAIMS...

CLAIMS is a table of a run, such as results/claims/mosecrot.tsv or results/claims/mosecrot/table2.tsv. Its
verdicts are kept in config/verdicts/SCALE.tsv and shown in docs/claims.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow/scripts"))

from xstitch.plan.claims_document import FILE, claim_names, document  # noqa: E402
from xstitch.results.claims.recorded import FOLDER, record_verdicts  # noqa: E402

if __name__ == "__main__":
    order = claim_names(ROOT / "config")
    for claims in sys.argv[1:]:
        record_verdicts(claims, order, ROOT / FOLDER)
    (ROOT / FILE).write_text(document(ROOT / "config"), encoding="utf-8")
