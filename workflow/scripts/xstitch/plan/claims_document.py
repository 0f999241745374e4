"""The document of all claims and of what the published numbers say to them: what `make claims` writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from xstitch.plan.claims import claims_of, definition, described, sources_of
from xstitch.plan.run import Entry, load_papers
from xstitch.plan.tables import PUBLISHED_SOURCE
from xstitch.results.claims.logic import CANNOT_BE_TOLD, FAILS, HOLDS, NOT_SUPPORTED, OPEN, SUPPORTED
from xstitch.results.claims.numbers import Languages, published_numbers
from xstitch.results.claims.recorded import SCALES, Name, Verdicts, read_verdicts
from xstitch.results.claims.records import Claim, Judged, judged_by_published

FILE = "docs/claims.md"
VERDICTS = (SUPPORTED, NOT_SUPPORTED, CANNOT_BE_TOLD)
INTRODUCTION = """\
# Claims

What the papers say, as predicates over the numbers of their tables (`claims` in
`config/papers/PAPER.yaml`), and whether the published numbers support it by themselves. `make claims`
writes this file. A run judges the same claims by its own numbers: `snakemake claims` makes every table and
figure that a claim is about, and `results/claims.tsv` and `results/claims.html` with the verdicts;
`snakemake results/claims/PAPER/TABLE.tsv` needs one table alone.

Verdicts of a run are *holds*, *fails*, *open* and *not run*. The differences behind a claim are tested
together, by the resamples of their tables and with Holm's correction; a claim is open if it depends on one
whose interval includes zero, or on one of which nothing was repeated. A run of the mini world decides what
holds in the mini world, and says so. `python docs/recorded_claims.py results/claims/PAPER.tsv` keeps a
run's verdicts; the tables below have the latest of each scale, and so has the page of the next run.

Published numbers are taken at their word: they are rounded, most are means of few runs, and a difference of
.01 counts as one. *Not supported* means that the numbers contradict the sentence as it is read here, not
that it is false; where a sentence can be read in two ways, both are listed. What a paper only draws *cannot
be told* from its numbers.
"""


def document(folder: Path) -> str:
    """The whole file, from the papers' files and published numbers in `folder`."""
    papers = load_papers(folder / "papers")
    judged = {
        name: _judged(paper, folder / f"reference/{name}.tsv")
        for name, paper in papers.items()
        if paper.get("claims")
    }
    recorded = {scale: read_verdicts(folder / f"verdicts/{scale}.tsv") for scale in SCALES}
    recorded = {scale: verdicts for scale, verdicts in recorded.items() if verdicts}
    lines = [INTRODUCTION, *_counts(judged), "", *_recorded_counts(recorded)]
    lines += ["## Not supported by the published numbers alone", "", *_not_supported(judged)]
    for name, claims in judged.items():
        scales = "".join(f" {scale} |" for scale in recorded)
        lines += ["", f"## {name}", "", f"| claim | where | published numbers |{scales}"]
        lines += [f"|---|---|---|{'---|' * len(recorded)}"]
        for claim, by in claims:
            cells = [
                verdicts.get((name, claim.name), {}).get("verdict", "") for verdicts in recorded.values()
            ]
            runs = "".join(f" {cell} |" for cell in cells)
            lines.append(f"| {claim.says} | {claim.place} | {by.verdict} |{runs}")
    return "\n".join(lines) + "\n"


def claim_names(folder: Path) -> list[Name]:
    """All claims by paper and name, in the order of the papers' files."""
    papers = load_papers(folder / "papers")
    return [(name, claim.name) for name, paper in papers.items() for claim in claims_of(paper)]


Claims = Sequence[tuple[Claim, Judged]]


def _judged(paper: Entry, reference: Path) -> Claims:
    """The claims of a paper, judged by its published numbers."""
    claims = claims_of(paper)
    sources = dict.fromkeys(source for claim in claims for source in sources_of(claim))
    about = {source: described(definition(paper, source)) for source in sources}
    languages = Languages(PUBLISHED_SOURCE, paper.get("groups", {}))
    numbers = published_numbers(reference, about, languages)
    return [(claim, judged_by_published(claim, numbers)) for claim in claims]


def _counts(judged: dict[str, Claims]) -> Iterator[str]:
    """How many claims of each paper have which verdict."""
    yield f"| paper | claims | {' | '.join(VERDICTS)} |"
    yield f"|---|{'---|' * (len(VERDICTS) + 1)}"
    counts = {name: Counter(by.verdict for _, by in claims) for name, claims in judged.items()}
    for name, count in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        yield f"| {name} | {count.total()} | {' | '.join(str(count[verdict]) for verdict in VERDICTS)} |"


def _recorded_counts(recorded: Mapping[str, Verdicts]) -> Iterator[str]:
    """How many claims have which verdict in recorded runs, by scale."""
    for scale, verdicts in recorded.items():
        count = Counter(row["verdict"] for row in verdicts.values())
        judged = ", ".join(
            f"{count[verdict]} {verdict}" for verdict in (HOLDS, FAILS, OPEN) if count[verdict]
        )
        yield f"Recorded at scale {scale} (`config/verdicts/{scale}.tsv` has the numbers): {judged}."
        yield ""


def _not_supported(judged: dict[str, Claims]) -> Iterator[str]:
    """The claims that published numbers contradict, with the numbers."""
    for name, claims in judged.items():
        for claim, by in claims:
            if by.verdict == NOT_SUPPORTED:
                yield f"- **{claim.says}** {name}, {claim.place}. {by.numbers}."


if __name__ == "__main__":
    Path(FILE).write_text(document(Path("config")), encoding="utf-8")
