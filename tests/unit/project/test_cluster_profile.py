"""The cluster profile lists every rule that needs a GPU, and no other."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]


def test_rules_that_need_a_gpu_go_to_the_gpu_partition():
    text = "\n".join(file.read_text() for file in sorted((ROOT / "workflow/rules").glob("*.smk")))
    rules = re.findall(r"^rule (\w+):\n((?:[ \n].*\n|\n)+)", text, flags=re.M)
    profile = yaml.safe_load((ROOT / "profiles/slurm/config.v9+.yaml").read_text())
    gpu_rules = {name for name, body in rules if re.search(r"^ +gpu=", body, flags=re.M)}
    partitions = {name: resources["slurm_partition"] for name, resources in profile["set-resources"].items()}
    assert partitions == dict.fromkeys(gpu_rules, "gpu")
