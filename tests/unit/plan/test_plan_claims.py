"""Claims of papers: what a run judges them by, and how mistakes in them are refused."""

from dataclasses import replace

import pytest
from small_run import asked, default_run, paper_run

from xstitch.core.errors import InputError
from xstitch.plan.claim_checks import check_claims
from xstitch.plan.claims import (
    absent_sources,
    all_claims_heading,
    claim_entries,
    claim_languages,
    claims_heading,
    claims_input,
    claims_of,
    described_sources,
    figure_kinds,
    judged_alone,
    judged_figures,
    judged_tables,
    other_scales,
    papers_with_claims,
    recorded_files,
    reference_file,
    sources_of,
)

MINI = default_run()
TABLE2 = asked(about="mosecrot/table2")
COMPARISON = {"kind": "beats", "table": "2", "rows": ["LR"], "over": ["LS"]}


def with_claims(claims, groups=None, run=MINI):
    """Return a run whose lead paper has other claims."""
    paper = {**run.papers["mosecrot"], "claims": claims, "groups": groups or {}}
    return replace(run, papers={**run.papers, "mosecrot": paper})


def entry(*predicates, **keys):
    return {"says": "So.", "place": "Table 2", "predicates": list(predicates), **keys}


def refused(predicate, **keys):
    with pytest.raises(InputError) as caught:
        check_claims(with_claims({"so": entry({**COMPARISON, **predicate}, **keys)}))
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith("config/papers/mosecrot.yaml: claims.so")
    return line.removeprefix("config/papers/mosecrot.yaml: claims.so")


@pytest.mark.parametrize(
    ("predicate", "line"),
    [
        ({"kind": "beat"}, ".predicates.0.kind: 'beat' is not allowed; legal: beats, reaches, near, order,"),
        ({"within": 0.1}, ".predicates.0.within: not for beats; leave it out; legal: kind,"),
        ({"collumns": ["de"]}, ".predicates.0.collumns: unknown key with value ['de']; legal keys:"),
        ({"kind": "reaches"}, ".predicates.0: the key 'within' is missing for reaches; add it"),
        ({"by": -1.0}, ".predicates.0.by: -1.0 is not allowed; legal: at least 0"),
        ({"share": 0.0}, ".predicates.0.share: 0.0 is not allowed; legal: more than 0"),
        ({"rows": "LR"}, ".predicates.0.rows: 'LR' is not allowed; legal: a list"),
        ({"rows": []}, ".predicates.0.rows: at least one is needed"),
        ({"table": "12"}, ".predicates.0.table: '12' has no numbers; legal (tables): 1, 2, 3, 4, anchors"),
        ({"table": ""}, ".predicates.0: needs either a table or a figure; name one of them"),
        ({"figure": "1"}, ".predicates.0: needs either a table or a figure; name one of them"),
        ({"over_table": "7"}, ".predicates.0.over_table: '7' has no numbers; legal (tables): 1, 2, 3, 4,"),
        ({"rows": ["RR"]}, ".predicates.0.rows: 'RR' is no row of it; legal: LR, mBERT, LS,"),
        ({"over": ["RR"]}, ".predicates.0.over: 'RR' is no row of it; legal: LR, mBERT, LS,"),
        ({"columns": []}, ".predicates.0.columns: at least one is needed"),
        ({"columns": ["xx"]}, ".predicates.0.columns: 'xx' is no column of it; legal: de, es, zh,"),
        ({"columns": ["{lo}"]}, ".predicates.0.columns: {lo} is no group; legal: source, targets"),
        ({"columns": ["{source}"]}, ".predicates.0.columns: '{source}' is no column of it; legal: de,"),
    ],
)
def test_a_mistake_in_a_predicate_is_one_line(predicate, line):
    assert refused(predicate).startswith(line)


def test_a_mistake_in_a_claim_is_one_line():
    assert refused({}, place="") == ".place: is empty; fill it in"
    assert refused({}, page=3).startswith(".page: unknown key with value 3; legal keys: says, place,")
    with pytest.raises(InputError, match=r"claims\.so\.predicates: at least one is needed"):
        check_claims(with_claims({"so": entry()}))
    with pytest.raises(InputError, match=r"claims\.So: 'So' is not a legal name"):
        check_claims(with_claims({"So": entry(COMPARISON)}))


@pytest.mark.parametrize(
    ("predicate", "line"),
    [
        ({"kind": "extreme", "row": "RR", "of": ["LR"], "end": "best"}, ".row: 'RR' is no row"),
        ({"kind": "extreme", "row": "LR", "of": ["RR"], "end": "best"}, ".of: 'RR' is no row"),
        (
            {"kind": "extreme", "row": "LR", "of": ["LS"], "end": "top"},
            ".end: 'top' is not allowed; legal: best,",
        ),
        ({"kind": "order", "rows": ["LR", "RR"]}, ".rows: 'RR' is no row"),
        ({"kind": "beyond", "rows": ["RR"], "side": "above", "value": 0.0}, ".rows: 'RR' is no row"),
        ({"kind": "most-in", "row": "LR", "over": "RR", "column": "de"}, ".over: 'RR' is no row"),
        ({"kind": "most-in", "row": "LR", "over": "LS", "column": "xx"}, ".columns: 'xx' is no column"),
    ],
)
def test_other_kinds_name_rows_and_columns_that_exist(predicate, line):
    with pytest.raises(InputError) as caught:
        check_claims(with_claims({"so": entry({"table": "2", **predicate})}))
    assert str(caught.value).startswith(f"config/papers/mosecrot.yaml: claims.so.predicates.0{line}")


def test_figures_of_spaces_have_no_numbers():
    paper = {**MINI.papers["bootstrap"], "claims": {"so": entry({**COMPARISON, "table": "", "figure": "1"})}}
    with pytest.raises(InputError, match="figure: '1' has no numbers"):
        check_claims(replace(MINI, papers={"bootstrap": paper}))


def test_claims_can_be_judged_for_a_paper_or_for_a_table_alone():
    names = judged_alone(MINI)
    assert names[:5] == papers_with_claims(MINI) == ["bootstrap", "iwda", "mosecrot", "wordot", "x2s"]
    assert {"mosecrot/table2", "iwda/corrections", "wordot/table8"} <= set(names)
    # Nothing is claimed about these, nothing about Table 4 without Table 5, and figures are with their paper.
    assert not {"mosecrot/anchors", "bootstrap/table4", "iwda/figure1"} & set(names)


def test_the_claims_of_a_table_need_that_table_alone():
    assert claims_input(MINI, TABLE2) == {
        "tables": ["results/tables/mosecrot/table2.resamples.npz"],
        "figures": [],
    }
    assert judged_tables(MINI, TABLE2) == {"Table 2": "results/tables/mosecrot/table2.resamples.npz"}
    claims = {claim.name: sources_of(claim) for claim in claims_of(MINI.papers["mosecrot"])}
    alone = [name for name, sources in claims.items() if sources == ["Table 2"]]
    assert list(claim_entries(MINI, TABLE2)) == alone
    assert 0 < len(alone) < len(claims)


def test_the_claims_of_a_paper_need_its_tables_and_figures():
    iwda = asked(about="iwda")
    assert set(judged_tables(MINI, iwda)) == {
        *(f"Table {number}" for number in range(1, 8)),
        "Table decreases",
        "Table corrections",
    }
    figures = judged_figures(MINI, iwda)
    assert figures["Figure 3"] == "results/figures/iwda/figure3.tsv"
    assert figure_kinds(MINI, iwda)["Figure 3"] == "improvements"
    assert list(figure_kinds(MINI, iwda)) == list(figures)
    assert claim_entries(MINI, iwda) == MINI.papers["iwda"]["claims"]
    assert reference_file(MINI, iwda) == reference_file(MINI, asked(about="iwda/table1"))


def test_what_a_run_cannot_make_is_absent_with_the_reason():
    run = replace(MINI, config={**MINI.config, "tasks": {**MINI.tasks}})
    del run.config["tasks"]["marc3"]
    about = asked(about="mosecrot")
    lacking = "the configuration has no task marc3"
    assert absent_sources(run, about) == dict.fromkeys(("Table 1", "Table 3", "Table 4"), lacking)
    assert list(judged_tables(run, about)) == ["Table 2"]
    del run.config["tasks"]["conll"]
    assert (
        absent_sources(run, asked(about="iwda"))["Figure 7"]
        == "figure 7 of iwda: no task conll in the config"
    )


def test_tables_and_figures_are_described():
    described = described_sources(MINI, asked(about="bootstrap"))
    assert described["Table 2"] == {"decimals": 2, "averages": [], "lowest": ["MAE"], "exact": False}
    assert described["Table 3"]["exact"]  # settings
    described = described_sources(MINI, asked(about="wordot"))
    assert (described["Table 2"]["decimals"], described["Table 2"]["averages"]) == (1, ["seen", "all"])
    assert described["Table 4"]["averages"] == ["avg"]


def test_groups_are_the_papers_and_the_runs():
    languages = claim_languages(MINI, TABLE2)
    assert languages["published"] == {"source": "en", "groups": MINI.papers["mosecrot"]["groups"]}
    assert languages["run"]["source"] == "qaa"
    assert languages["run"]["groups"]["low-resource"] == ["mt", "sah", "fo", "nds", "tt", "qac"]
    assert claim_languages(paper_run(), TABLE2)["run"]["groups"]["high-resource"] == ["de", "es", "zh"]


def test_pages_say_what_they_are_about():
    assert claims_heading(MINI, TABLE2)["title"] == "Claims about Table 2"
    assert claims_heading(MINI, asked(about="x2s"))["title"] == "Claims"
    assert claims_heading(MINI, TABLE2)["paper"].startswith("MoSECroT")
    assert all_claims_heading(paper_run())["scale"] == "paper"


def test_pages_show_the_recorded_verdicts_of_other_scales():
    assert other_scales(MINI) == ["real", "paper"]
    assert recorded_files(MINI) == ["config/verdicts/real.tsv", "config/verdicts/paper.tsv"]
    assert recorded_files(paper_run()) == ["config/verdicts/mini.tsv", "config/verdicts/real.tsv"]
