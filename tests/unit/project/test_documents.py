"""Numbers in documents are those that a command wrote."""

import hashlib
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[3]


def recorded():
    """The checksums of the demo's files."""
    lines = (ROOT / "docs/demo.sha256").read_text(encoding="utf-8").splitlines()
    return {file: checksum for checksum, file in (line.split("  ") for line in lines)}


def test_the_readmes_table_is_that_of_the_recorded_demo():
    refresh = runpy.run_path(str(ROOT / "docs/refresh.py"))
    for file in refresh["TABLES"]:
        copy = refresh["QUOTED"] / Path(file).name
        assert hashlib.sha256(copy.read_bytes()).hexdigest() == recorded()[file]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    quoted = readme.split(refresh["BEGIN"])[1].split(refresh["END"])[0]
    assert quoted == f"\n{refresh['quoted_table']()}\n"


def test_the_demos_scores_of_all_chains_are_on_record():
    refresh = runpy.run_path(str(ROOT / "docs/refresh.py"))
    demo = {*refresh["table_scores"](refresh["default_run"](), refresh["LEAD"]), *refresh["TABLES"]}
    assert set(recorded()) == demo
    assert {"results/scores/lr/taxi1500/qaa.tsv", "chains/3/results/scores/lr/taxi1500/qaa.tsv"} < demo


def test_pages_of_results_show_what_is_on_record():
    results = runpy.run_path(str(ROOT / "docs/recorded_results.py"))
    recorded_tables = sorted((ROOT / "docs/results").glob("*.tsv"))
    assert recorded_tables
    for table in recorded_tables:
        page = table.with_suffix(".md").read_text(encoding="utf-8")
        assert results["page_with"](table, page) == page
