"""What the landing page says about a run: stages and costs, warnings, provenance, the first table."""

import json
from types import SimpleNamespace

import pytest
from configured import ROOT
from small_run import default_run, small_run

from xstitch.core.tsv import write_records, write_tsv
from xstitch.plan.costs.stages import rule_stages
from xstitch.plan.landing import (
    ReportedJob,
    ReportedResult,
    grouped,
    judged_claims,
    landing,
    lead_table,
    run_warnings,
    table_origin,
    what_was_run,
)
from xstitch.plan.stages import STAGES, stage_costs
from xstitch.results.landing import render_landing

RUN = small_run()
BENCHMARK = "s\th:m:s\tmax_rss\n{}\t0:00:01\t{}\n"
FILES = {"train_vectors": "vectors", "finetune_model": "finetune", "make_table": "tables", "all": "targets"}
ENVIRONMENT = {
    "code": {"commit": "c0ffee" * 7, "dirty": True},
    "config": "5e771465" * 8,
    "python": "3.11.7",
    "platform": "Linux x86_64",
    "packages": {"numpy": "2.4.6"},
}


def job(rule, *output, **wildcards):
    return ReportedJob(rule, SimpleNamespace(**wildcards), output)


def test_every_rule_belongs_to_one_of_seven_stages():
    files = set(rule_stages(ROOT).values()) - {"targets"}
    listed = [file for stage in STAGES for file in stage.files]
    assert len(STAGES) == 7
    assert sorted(listed) == sorted(files)


def test_the_costs_of_a_stage_are_those_of_its_benchmarks(tmp_path):
    for name, seconds, memory in (("a", 90, 200.5), ("b", 30, 700), ("c", 5, "-")):
        (tmp_path / name).write_text(BENCHMARK.format(seconds, memory), encoding="utf-8")
    jobs = [("finetune_model", str(tmp_path / name)) for name in ("a", "b")]
    jobs += [("train_vectors", str(tmp_path / "c")), ("make_table", ""), ("all", "")]
    costs = {stage.title: stage for stage in stage_costs(jobs, FILES)}
    training, vectors, shown = (costs[name] for name in ("Train", "Represent", "Show"))
    assert (training.jobs, training.seconds, training.longest, training.memory_mb) == (2, 120, 90, 700)
    assert (vectors.seconds, vectors.memory_mb) == (5, 0)
    assert (shown.jobs, shown.seconds) == (1, 0)
    assert sum(stage.jobs for stage in costs.values()) == 4  # targets are no work


def test_what_was_run_is_what_the_jobs_name():
    jobs = [
        job("finetune_model", recipe="rr", task="verses", space="en-de", seed="10"),
        job("finetune_model", recipe="ls", task="verses", space="en-de", seed="9"),
        job("map_embeddings", recipe="rr", src="en", tgt="de"),
    ]
    facts = {fact.name: fact.values for fact in what_was_run(RUN, jobs)}
    assert facts["source language"] == ["English (en)"]
    assert facts["target languages"] == ["German (de)"]
    assert facts["recipes"] == ["ls", "rr"]
    assert (facts["chains"], facts["seeds"]) == (["1"], ["9", "10"])
    assert "encoders" not in facts  # no job names one


def test_seeds_of_frozen_models_do_not_count_since_nothing_is_drawn_with_them():
    mini = default_run()
    jobs = [job("finetune_model", recipe="rr-softmax", seed="1")]
    jobs += [
        job("standardise_head", recipe=name, seed="0") for name in ("frozen", "frozen-rr", "frozen-rr-own")
    ]
    assert {fact.name: fact.values for fact in what_was_run(mini, jobs)}["seeds"] == ["1"]


@pytest.mark.parametrize(("seeds", "said"), [((), None), ("1", "one seed"), ("12", "2 seeds"), ("123", None)])
def test_few_seeds_are_a_warning(seeds, said):
    warnings = run_warnings(RUN, [job("finetune_model", seed=seed) for seed in seeds], None)
    assert [line for line in warnings if "hardly known" in line] == [
        line for line in warnings if "seed" in line
    ]
    assert (said in " ".join(warnings)) if said else not any("seed" in line for line in warnings)


def test_chains_tell_how_much_training_varies():
    warnings = run_warnings(small_run(chains=3), [job("finetune_model", seed="1")], None)
    assert not any("seed" in line for line in warnings)


def test_what_a_language_lacks_is_a_warning(tmp_path):
    file = tmp_path / "en-de.coverage.tsv"
    write_records(
        [
            {"measure": "anchors", "value": "3", "warning": "Only 3 anchors."},
            {"measure": "words", "value": "9", "warning": ""},
        ],
        file,
    )
    warnings = run_warnings(RUN, [job("report_coverage", str(file), tgt="de")], None)
    assert warnings[-1] == "de: Only 3 anchors."


def recorded(folder):
    tables = {"results/t.tsv": {"sha256": "1", "environment": "e", "data": {"verses.txt": "2"}}}
    file = folder / "provenance.json"
    file.write_text(json.dumps({"environments": {"e": ENVIRONMENT}, "tables": tables}), encoding="utf-8")
    return file


def test_where_tables_come_from_is_what_runs_recorded(tmp_path):
    origin = table_origin(["results/t.tsv", "results/other.tsv"], recorded(tmp_path))
    assert origin.facts == {
        "code": "c0ffeec0ffee",
        "settings": "5e7714655e77",
        "Python": "3.11.7",
        "platform": "Linux x86_64",
    }
    assert origin.data == {"verses.txt": "2"}
    assert "The code differs from its commit." in run_warnings(RUN, [], origin)


def test_without_a_record_nothing_is_claimed(tmp_path):
    assert table_origin(["results/t.tsv"], tmp_path / "provenance.json") is None
    assert table_origin(["results/other.tsv"], recorded(tmp_path)) is None


def table_job(folder, paper, table):
    path = f"results/tables/{paper}/{table}.tsv"
    write_tsv(folder / path, ["method", "de"], [["LS", "0.25"]])
    cell = {"row": "LS", "column": "de", "published": "", "status": "scale"}
    write_records([cell], folder / path.replace(".tsv", ".compare.tsv"))
    outputs = [path, path.replace(".tsv", ".html"), path.replace(".tsv", ".compare.tsv")]
    return job("make_table", *outputs, paper=paper, table=table)


def test_a_report_begins_with_the_lead_papers_second_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = default_run()
    first, second = (table_job(tmp_path, "mosecrot", table) for table in ("table1", "table2"))
    lead = lead_table(run, [first, second])
    assert (lead.number, lead.page) == ("2", "results/tables/mosecrot/table2.html")
    assert lead.heading.title == "Macro-F1 on Taxi1500"
    assert lead.grids[0].rows["LS"][0].ours == "0.25"
    assert lead_table(run, [first]).number == "1"
    assert lead_table(run, []) is None


def claims_page(folder, name, papers):
    columns = ("paper", "says", "place", "published", "verdict")
    verdicts = [(paper, f"{paper} is good", "section 5", "supported", "open") for paper in papers]
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    write_records([dict(zip(columns, row, strict=True)) for row in verdicts], folder / f"{name}.tsv")
    return ReportedResult(f"{name}.html", "Claims")


def test_few_claims_are_listed_and_many_are_counted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few = claims_page(tmp_path, "results/claims/p/table2", ["p"])
    many = claims_page(tmp_path, "results/claims", ["p"] * 12 + ["q"] * 7)
    assert judged_claims([]) is None
    assert [claim["says"] for claim in judged_claims([few]).listed] == ["p is good"]
    whole = judged_claims([few, many])
    assert whole.page == "results/claims.html"
    assert not whole.listed
    assert whole.counted == {"p": ("12 supported", "12 open"), "q": ("7 supported", "7 open")}
    page = render_landing(landing(RUN, [], [few, many], FILES, []))
    assert "<td>q</td><td>7 supported</td><td>7 open</td>" in page


def test_results_are_grouped_by_category_and_paper():
    results = [
        ReportedResult("results/tables/p/table2.html", "Tables", "p", "table2", "Macro-F1"),
        ReportedResult("results/tables/index.html", "Tables"),
        ReportedResult("results/claims.html", "Claims", title="What holds"),
    ]
    groups = grouped(results)
    assert list(groups) == ["Claims", "Tables", "Tables: p"]
    assert [(one.name, one.title) for one in groups["Claims"]] == [("claims", "What holds")]
    assert groups["Tables"][0].name == "index"


def test_the_page_has_figures_with_captions_in_lines_that_markup_accepts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.svg").write_text("<svg>" + "x" * 30_000 + "</svg>", encoding="utf-8")
    figure = ReportedResult("f.svg", "Figures", "p", "1", "Shift", "<p>Look at <em>this</em>.</p>")
    page = render_landing(landing(RUN, [], [figure], FILES, ["qab: split by Unicode's rules"]))
    assert '<img alt="Shift" src="data:image/svg+xml;base64,' in page
    assert "<p>Look at <em>this</em>.</p>" in page
    assert "qab: split by Unicode&#39;s rules" in page
    assert max(map(len, page.splitlines())) < 10_000  # docutils' limit
