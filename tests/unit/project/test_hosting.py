"""What a hosting site and the workflow catalogue read agrees with the project."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


def load(file):
    return yaml.load(file.read_text(encoding="utf-8"), yaml.BaseLoader)


def steps(file):
    return [step for job in load(file)["jobs"].values() for step in job["steps"]]


def test_there_are_workflows_for_lint_tests_and_the_report():
    assert [file.stem for file in WORKFLOWS] == ["lint", "report", "tests"]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_runs_targets_that_exist_and_nothing_secret(file):
    content = load(file)
    assert content["permissions"] == {"contents": "read"}
    assert "secrets" not in file.read_text(encoding="utf-8")
    made = [target for step in steps(file) for target in re.findall(r"^make ([a-z-]+)", step.get("run", ""))]
    assert made
    assert set(made) <= set(TARGETS)
    for step in steps(file):
        assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/checkout@v4"))


def test_the_gate_and_the_hosts_tests_install_the_same_extras():
    tests = " ".join(step.get("run", "") for step in steps(ROOT / ".github/workflows/tests.yml"))
    assert "requirements/docs.txt" in tests
    assert "requirements/docs.txt" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_the_catalogue_finds_what_it_looks_for():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))["usage"]
    assert usage["report"] is True
    assert usage["software-stack-deployment"]["conda"] is True
    for file in ("workflow/Snakefile", "config/README.md", "config/config.yaml", "README.md", "LICENSE"):
        assert (ROOT / file).is_file()
