"""Record how good choices without labels were: recorded_recommendations.py JUDGED [JUDGED ...].

JUDGED are tables of runs, results/recommended/TASK/SOURCE.tsv. All their rows become config/recommended.tsv,
which expectations are computed from; docs/results/recommend.tsv and its page show what was lost.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

ROOT = Path(__file__).parents[1]
for folder in ("docs", "workflow/scripts"):
    sys.path.insert(0, str(ROOT / folder))

from recorded_results import RESULTS, record  # noqa: E402

from xstitch.core.tsv import read_records, write_records  # noqa: E402
from xstitch.results.recommendation import Judged, Records, expect, judge  # noqa: E402

KNOWN = ROOT / "config/recommended.tsv"
ALONE = ("agreement", "dictionary", "confidence")


def summary(known: Records) -> list[dict[str, str]]:
    """A row for every choice, and the means of each scale."""
    choices = judge(known)
    rows, means = [_row(choice, known) for choice in choices], []
    for scale in dict.fromkeys(choice.case.scale for choice in choices):
        part = [row for row, choice in zip(rows, choices, strict=True) if choice.case.scale == scale]
        means.append({key: _mean(key, [row[key] for row in part], scale) for key in rows[0]})
    return rows + means


def _row(choice: Judged, known: Records) -> dict[str, str]:
    information = next(
        row["information"]
        for row in known
        if (row["language"], row["chain"], row["chosen"]) == (choice.case.language, choice.case.chain, "yes")
    )
    expected = expect(float(information), known, choice.case.language)
    name = (
        choice.case.language if choice.case.scale != "mini" else f"{choice.case.language} {choice.case.chain}"
    )
    return {
        "language": name,
        "chosen": choice.chosen,
        "its macro-F1": f"{choice.value:.3f}",
        "expected": f"{expected.value:.2f} ({expected.low:.2f} to {expected.high:.2f})" if expected else "",
        "best": choice.best,
        "its macro-F1 ": f"{choice.best_value:.3f}",
        "lost": f"{choice.regret:.3f}",
        "median lost": f"{choice.best_value - choice.median:.3f}",
        **{f"by {name} alone": f"{choice.best_value - choice.alone[name]:.3f}" for name in ALONE},
        **{
            f"rank correlation, {name}": f"{choice.correlations[name]:.2f}"
            for name in ("information", *ALONE)
        },
    }


def _mean(key: str, values: Iterable[str], scale: str) -> str:
    if key == "language":
        return f"mean, {scale}"
    try:
        return f"{fmean(map(float, values)):.3f}"
    except ValueError:
        return ""


def main(judged: list[str]) -> None:
    """Keep all rows, and show the choices."""
    known = [row for file in judged for row in read_records(file)]
    if KNOWN.resolve() not in {Path(file).resolve() for file in judged}:
        write_records(known, KNOWN)
    write_records(summary(known), RESULTS / "recommend.tsv")
    record(RESULTS / "recommend.tsv", "recommend")


if __name__ == "__main__":
    main(sys.argv[1:])
