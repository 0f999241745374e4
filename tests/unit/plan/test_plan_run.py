"""A run: the checked configuration combined with the project's tables, without Snakemake."""

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError

import pytest
from small_run import ROOT, asked, default_run, small_run

from xstitch.core.errors import InputError
from xstitch.plan.overlays import lay
from xstitch.plan.run import load_run


def test_the_default_run_is_resolved_and_described():
    run = default_run()
    assert (run.source, run.seeds, run.chains) == ("qaa", [1], 3)
    assert run.recipes["rr-softmax"]["method"] == "stitch"  # inherited
    assert "extends" not in run.recipes["rr-softmax"]
    assert run.languages["de"]["name"] == "German"
    assert list(run.papers) == ["bootstrap", "iwda", "mosecrot", "wordot", "x2s"]
    assert "data.statmt.org/cc-100/qab.txt.xz" in run.world_files


def test_a_mistake_is_refused():
    config = lay(ROOT / "config/config.yaml", [], {}, ROOT / "config")
    with pytest.raises(InputError, match=r"^config: sedes: unknown key with value 1"):
        load_run({**config, "sedes": 1}, ROOT)
    with pytest.raises(InputError, match=r"^config: source: 'xx' is not defined"):
        load_run({**config, "source": "xx"}, ROOT)


def test_a_run_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        small_run().recipes = {}


def test_wildcards_name_entries():
    run = small_run()
    job = asked(task="verses", recipe="rr", lang="de", src="en", tgt="sw", corpus="web")
    assert run.entry("task", job)["max_length"] == 64
    assert run.entry("recipe", job)["mapping"] == {"k": 50}
    assert run.entry("lang", job)["name"] == "German"
    assert run.entry("tgt", job)["cc100"] == "swh"
    assert run.entry("corpus", job) == {"sentences": 10}


def test_the_planner_needs_no_snakemake():
    code = (
        "import sys, xstitch.plan.tables, xstitch.plan.figures, xstitch.plan.reports, xstitch.plan.wildcards;"
        "sys.exit(bool({'snakemake', 'torch'} & set(sys.modules)))"
    )
    scripts = {"PYTHONPATH": str(ROOT / "workflow/scripts")}
    subprocess.run([sys.executable, "-c", code], env=scripts, check=True)


def test_no_script_of_a_rule_imports_the_planner():
    # The digest of a script's code would include the planner's, and an edit there would rerun jobs.
    rules = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "workflow/rules").glob("*.smk"))
    scripts = [ROOT / "workflow/scripts" / name for name in re.findall(r'scripts/(\w+\.py)"', rules)]
    assert len(scripts) > 50
    for script in scripts:
        assert "xstitch.plan" not in script.read_text(encoding="utf-8"), script
