"""What a rehearsal leaves out: nothing. Dry runs of the whole of scale paper and of the rehearsal."""

import pytest
from cases import CASES
from planning import dry_run, planned
from rehearse import copy_project

from xstitch.plan import overlays, tables
from xstitch.plan.run import load_run

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A copy of the project with empty files of the user's own."""
    copy = tmp_path_factory.mktemp("rehearsal")
    copy_project(copy)
    return copy


@pytest.fixture(scope="module")
def rehearsed(folder):
    return list(planned(dry_run(folder, [case.target for case in CASES])))


def every_target(folder):
    """Every table and figure of every paper that scale paper has the data for."""
    config = overlays.lay(
        folder / "config/config.yaml", [], {"scale": "paper", "mirror": "m"}, folder / "config"
    )
    run = load_run(config, folder)
    figures = [
        f"results/figures/{paper}/figure{number}.svg"
        for paper, content in run.papers.items()
        for number in content.get("figures", {})
    ]
    return [*tables.possible_tables(run), *figures, "results/tables/index.tsv"], run


def test_every_rule_of_scale_paper_is_rehearsed(folder, rehearsed, monkeypatch):
    monkeypatch.chdir(folder)
    targets, run = every_target(folder)
    assert not any(tables.missing_by_table(run).values())  # or rules would be missing on both sides
    whole = planned(dry_run(folder, targets, ["--config", "scale=paper", "mirror=mirror"]))
    assert {job.rule for job in whole} - {job.rule for job in rehearsed} == set()


def test_every_case_is_a_job_of_its_rule(rehearsed):
    makers = {file: job.rule for job in rehearsed for file in job.output}
    makes = {case.target: makers.get(case.target) for case in CASES}
    assert {target: rule for target, rule in makes.items() if rule is None} == {}
