"""The papers' claims: enough of them, about what exists, and what the published numbers say to them."""

from pathlib import Path

import pytest
from small_run import default_run

from xstitch.plan.claim_checks import check_claims
from xstitch.plan.claims import claims_of, definition, described, sources_of
from xstitch.plan.claims_document import FILE, claim_names, document
from xstitch.plan.papers import shown_rows
from xstitch.plan.tables import PUBLISHED_SOURCE
from xstitch.results.claims.logic import FAILS, HOLDS, OPEN, leaves
from xstitch.results.claims.numbers import Languages, published_numbers
from xstitch.results.claims.recorded import SCALES, read_verdicts, verdicts_file
from xstitch.results.claims.records import judged_by_published
from xstitch.results.claims.trees import tree_of
from xstitch.results.settings.claims import KINDS

ROOT = Path(__file__).parents[3]
RUN = default_run()
CLAIMS = [(name, claim) for name, paper in RUN.papers.items() for claim in claims_of(paper)]
# Where a paper has no numbers: only a drawing, or a remark.
UNPUBLISHED = {"Table preliminary", "Table states"}
# What the published numbers contradict, as the papers' tables were read by eye.
CONTRADICTED = {
    "bootstrap": {"ao-beats-seeds-vision"},  # Table 7: cosine .97 for both
    "iwda": {
        "iwda-beats-zero-shot-wikiann",  # Table 4: 12 of 39 languages in bold in the row of zero-shot
        "better-critic-helps",  # Tables 2 and 5: nl 78.63 and 78.62
        "iwda-costs-xlmr",  # Table 7: ja 54.87 against 54.32
    },
    "mosecrot": {
        "every-rr-beats-mbert",  # Table 2: fo .16 against .18
        "mbert-effective-verses",  # Table 2: de .24 against .30
        "top50-best",  # Table 3: zh .40 against .41
        "all-anchors-worst",  # Table 3: de .44 for all and for one
    },
    "wordot": {"five-languages-suffice"},  # Table 2: XNLI 67.7 against 69.7
    "x2s": {
        "x2s-m-beats-fasttext",  # Table 1: 52.11 against 54.71
        "alignment-costs-four",  # Table 5: en-vi 41.76 before, 43.77 after
    },
}


def published(paper, claim):
    content = RUN.papers[paper]
    about = {source: described(definition(content, source)) for source in sources_of(claim)}
    languages = Languages(PUBLISHED_SOURCE, content.get("groups", {}))
    return published_numbers(ROOT / f"config/reference/{paper}.tsv", about, languages)


def test_there_are_at_least_36_claims_of_five_papers_with_their_places():
    assert len(CLAIMS) >= 36
    assert {paper for paper, _ in CLAIMS} == set(RUN.papers)
    assert len({claim.says for _, claim in CLAIMS}) == len(CLAIMS)
    named = ("section", "sections", "Table", "Figure", "appendix", "abstract", "footnote")
    assert all(claim.place.split()[0] in named for _, claim in CLAIMS)
    assert all(claim.says.endswith(".") and len(claim.says) > 20 for _, claim in CLAIMS)


def test_they_are_well_formed():
    check_claims(RUN)


def test_every_kind_of_predicate_is_used():
    used = {type(predicate) for _, claim in CLAIMS for predicate in claim.predicates}
    assert used == set(KINDS.values())


@pytest.mark.parametrize(("paper", "claim"), CLAIMS, ids=lambda each: getattr(each, "name", each))
def test_rows_and_columns_are_in_the_papers_tables_and_have_published_numbers(paper, claim):
    numbers = published(paper, claim)
    for predicate in claim.predicates:
        if predicate.figure or predicate.source in UNPUBLISHED:
            rows = {row["row"] for row in shown_rows(definition(RUN.papers[paper], predicate.source))}
            named = [*getattr(predicate, "rows", []), *getattr(predicate, "over", [])]
            assert rows >= {getattr(predicate, "row", named[0] if named else ""), *named}
            continue
        found = list(leaves(tree_of(predicate, numbers)))
        assert found and not any(leaf.absent for leaf in found)


@pytest.mark.parametrize("paper", RUN.papers)
def test_what_published_numbers_contradict(paper):
    verdicts = {
        claim.name: judged_by_published(claim, published(paper, claim)).verdict
        for name, claim in CLAIMS
        if name == paper
    }
    assert {name for name, verdict in verdicts.items() if verdict == "not supported"} == CONTRADICTED[paper]
    drawn = {
        claim.name
        for name, claim in CLAIMS
        if name == paper and any(p.figure or p.source in UNPUBLISHED for p in claim.predicates)
    }
    assert {name for name, verdict in verdicts.items() if verdict == "cannot be told"} == drawn


def test_the_document_is_what_the_claims_give():
    assert (ROOT / FILE).read_text(encoding="utf-8") == document(ROOT / "config"), "run make claims"


def test_the_document_has_a_column_for_each_scale_with_recorded_verdicts(tmp_path):
    for part in ("papers", "reference"):
        (tmp_path / part).symlink_to(ROOT / "config" / part)
    (tmp_path / "verdicts").mkdir()
    header = "paper\tclaim\tverdict\tnumbers\n"
    (tmp_path / "verdicts/mini.tsv").write_text(f"{header}mosecrot\trr-beat-ls-verses\topen\t+0.1\n")
    (tmp_path / "verdicts/real.tsv").write_text(header)
    (tmp_path / "verdicts/paper.tsv").write_text(header)
    text = document(tmp_path)
    assert "Recorded at scale mini (`config/verdicts/mini.tsv` has the numbers): 1 open." in text
    assert "| claim | where | published numbers | mini |" in text
    says = RUN.papers["mosecrot"]["claims"]["rr-beat-ls-verses"]["says"]
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {says} ")]
    assert row.endswith("| supported | open |")


def test_recorded_verdicts_are_about_claims_that_papers_have():
    known = set(claim_names(ROOT / "config"))
    for scale in SCALES:
        verdicts = read_verdicts(ROOT / verdicts_file(scale))
        assert verdicts.keys() <= known
        assert {row["verdict"] for row in verdicts.values()} <= {HOLDS, FAILS, OPEN}
