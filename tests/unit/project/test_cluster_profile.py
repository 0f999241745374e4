"""The cluster profiles fit the rules and keep what protects a site."""

import re
from pathlib import Path

import pytest
import yaml
from snakemake.settings.types import MaxJobsPerTimespan

ROOT = Path(__file__).parents[3]
PROFILES = ["slurm", "kubernetes"]


def profile(name):
    return yaml.safe_load((ROOT / f"profiles/{name}/config.v9+.yaml").read_text(encoding="utf-8"))


def test_rules_that_need_a_gpu_go_to_the_gpu_partition():
    text = "\n".join(file.read_text() for file in sorted((ROOT / "workflow/rules").glob("*.smk")))
    rules = re.findall(r"^rule (\w+):\n((?:[ \n].*\n|\n)+)", text, flags=re.M)
    gpu_rules = {name for name, body in rules if re.search(r"^ +gpu=", body, flags=re.M)}
    requests = profile("slurm")["set-resources"].items()
    partitions = {name: resources["slurm_partition"] for name, resources in requests}
    assert partitions == dict.fromkeys(gpu_rules, "gpu")


def test_no_rule_is_submitted_as_an_array():
    """Arrays lose jobs where `jobs` holds some back: test_slurm_executor.py."""
    assert "slurm-array-jobs" not in profile("slurm")


@pytest.mark.parametrize("name", PROFILES)
def test_submissions_are_limited_and_the_limit_is_not_taken_for_snakemakes_default(name):
    limit = MaxJobsPerTimespan.parse_choice(profile(name)["max-jobs-per-timespan"])
    assert limit.max_jobs / limit.timespan <= 1
    rules = (ROOT / "workflow/rules/common/runs.smk").read_text(encoding="utf-8")
    default = re.search(r"\(limit\.max_jobs, limit\.timespan\) == \((\d+), (\d+)\)", rules)
    assert (limit.max_jobs, limit.timespan) != (int(default[1]), int(default[2]))


def test_kubernetes_pods_with_a_gpu_get_a_limit_and_a_manufacturer():
    """The executor asks for a manufacturer; Kubernetes asks for limits, which are set at scale 0 only."""
    resources = profile("kubernetes")["default-resources"]
    assert resources["scale"] == 0
    assert resources["gpu_manufacturer"] == "'nvidia'"
    assert resources["disk_mb"] >= 10_000


def test_kubernetes_jobs_share_files_through_the_store_alone():
    settings = profile("kubernetes")
    assert (settings["executor"], settings["default-storage-provider"]) == ("kubernetes", "s3")
    assert settings["shared-fs-usage"] == "none"
    assert not [key for key in settings if "key" in key or "token" in key]


def test_files_of_the_project_are_never_looked_for_in_the_store():
    """An input below config/ comes with the sources; without `local` the store would be asked for it."""
    text = "\n".join(file.read_text() for file in sorted((ROOT / "workflow/rules").glob("*.smk")))
    inputs = re.findall(r'^ +\w+=.*(?:"config/|written_ledgers).*$', text, flags=re.M)
    assert len(inputs) == 6
    assert all(re.match(r" +\w+=local\(", line) for line in inputs)
