"""The workflow as a module of another one in another folder: as snakedeploy writes it, as the page does."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from conftest import ROOT, TABLE, planned_jobs

pytestmark = pytest.mark.workflow
LEXICON = "results/lexica/panlex/qaa-qab.parquet"
# What snakedeploy 0.17 writes, with a place for the source of the module.
DEPLOYED = """
from snakemake.utils import min_version


min_version("6.10.0")


configfile: "config/config.yaml"


# declare https://github.com/owner/xstitch as a module
module xstitch:
    snakefile:
        {source}
    config:
        config


# use all rules from https://github.com/owner/xstitch
use rule * from xstitch
"""


def deploy(folder, snakefile):
    """A folder with a copy of the configuration and a Snakefile, on the tiny world."""
    shutil.copytree(ROOT / "config", folder / "config")
    shutil.copyfile(ROOT / "tests/workflow/tiny.yaml", folder / "tiny.yaml")
    (folder / "workflow").mkdir()
    (folder / "workflow/Snakefile").write_text(snakefile, encoding="utf-8")
    return folder


def snakemake(folder, *arguments, **variables):
    result = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", *arguments, "--configfile", "tiny.yaml"],
        cwd=folder,
        env={**os.environ, "HF_HUB_OFFLINE": "1", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-5000:]
    return result.stdout


def test_a_deployed_workflow_plans_the_lead_table_and_runs(tmp_path):
    folder = deploy(tmp_path / "mine", DEPLOYED.format(source=f'"{ROOT / "workflow/Snakefile"}"'))
    planned = planned_jobs(snakemake(folder, "-n", TABLE))
    assert {"generate_world", "stitch_model", "make_lead_table"} <= planned.keys()
    printed = snakemake(folder, LEXICON)
    assert (folder / LEXICON).is_file()
    assert "Finished jobid" in printed  # Snakemake's own lines: the other workflow's output is left alone


def test_the_pages_snakefile_asks_for_what_happens_around_a_run(tmp_path):
    page = (ROOT / "docs/module.md").read_text(encoding="utf-8")
    snakefile = re.search(r"^```python\n(.*?)^```", page, re.M | re.S)[1]
    snakefile = snakefile.replace("path/to/xstitch", str(ROOT))
    printed = snakemake(deploy(tmp_path / "mine", snakefile), "results/world/lock.tsv")
    assert re.search(r"^estimate: 1 jobs", printed, re.M)


def test_a_module_on_a_hosting_site_is_unpacked_once(tmp_path):
    hosted = tmp_path / "host/owner/xstitch"
    shutil.copytree(ROOT / "workflow", hosted / "workflow", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "config", hosted / "config")
    shutil.copytree(ROOT / "envs", hosted / "envs")
    shutil.copyfile(ROOT / "Snakefile", hosted / "Snakefile")
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.org"]
    for command in (["init", "--quiet"], ["add", "."], [*identity, "commit", "--quiet", "-m", "all"]):
        subprocess.run(["git", *command], cwd=hosted, check=True)
    shown = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=hosted, check=True, capture_output=True, text=True
    )
    commit = shown.stdout.strip()
    source = f'github("owner/xstitch", path="workflow/Snakefile", commit="{commit}")'
    folder = deploy(tmp_path / "mine", DEPLOYED.format(source=source))
    variables = {  # git finds the hosting site in a folder
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{tmp_path}/host/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
    }
    snakemake(folder, "results/world/lock.tsv", **variables)
    assert (folder / "results/world/lock.tsv").is_file()
    unpacked = list((tmp_path / "cache").rglob(f"unpacked/*/*/*/{commit}/Snakefile"))
    assert len(unpacked) == 1
    before = unpacked[0].stat().st_mtime_ns
    assert "Nothing to be done" in snakemake(folder, "-n", "results/world/lock.tsv", **variables)
    assert unpacked[0].stat().st_mtime_ns == before


def test_the_configuration_of_a_deployed_workflow_is_its_own(tmp_path):
    folder = deploy(tmp_path / "mine", DEPLOYED.format(source=f'"{ROOT / "workflow/Snakefile"}"'))
    file = folder / "config/config.yaml"
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    file.write_text(yaml.safe_dump({**settings, "without": ["mbert", "ls", "rr-softmax"]}), encoding="utf-8")
    planned = planned_jobs(snakemake(folder, "-n", TABLE))
    # The rows of standard and sparsemax weights are left, and that of what is not fine-tuned.
    assert planned["evaluate_models"] == 3
