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
    tables = sorted((ROOT / "docs/results").glob("*.tsv"))
    recorded_tables = [table for table in tables if not table.name.startswith("curves.")]
    assert recorded_tables
    for table in recorded_tables:
        page = table.with_suffix(".md").read_text(encoding="utf-8")
        assert results["page_with"](table, page) == page


def test_the_page_of_curves_shows_what_is_on_record():
    curves = runpy.run_path(str(ROOT / "docs/recorded_curves.py"))
    folder = curves["RESULTS"]
    points, crossings = (curves["read"](folder / name) for name in ("curves.tsv", "curves.crossings.tsv"))
    page = (folder / "curves.md").read_text(encoding="utf-8")
    assert points and curves["page_with"](points, crossings, page) == page
    assert {f"curves-{row['curve']}-{row['scale']}.svg" for row in points} == {
        file.name for file in folder.glob("curves-*.svg")
    }


def test_recorded_curves_replace_their_own_rows_alone():
    curves = runpy.run_path(str(ROOT / "docs/recorded_curves.py"))

    def row(curve, scale, x, language="de", value="0.5000"):
        return {"curve": curve, "language": language, "scale": scale, "x": x, "macro_f1": value}

    kept = [row("labels", "mini", "10"), row("pairs", "real", "50"), row("pairs", "real", "50", "es")]
    new = [row("pairs", "real", "50", value="0.7000"), row("pairs", "mini", "9")]
    assert curves["updated"](kept, new) == [new[1], kept[0], kept[2], new[0]]


def test_curves_as_tables():
    curves = runpy.run_path(str(ROOT / "docs/recorded_curves.py"))
    ends = {"low": "0.2", "high": "0.61", "curve": "labels", "scale": "mini", "language": "qab"}
    points = [
        {**ends, "method": "S", "x": "0", "macro_f1": "0.5"},
        {**ends, "method": "S", "x": "1000", "macro_f1": "0.25"},
        {**ends, "method": "LR", "x": "1000", "macro_f1": "0.6"},
        {**ends, "method": "level", "x": "", "macro_f1": "0.4"},
    ]
    crossing = {**ends, "method": "LR", "over": "S", "from": "10", "to": "1000", "ahead": "0.987"}
    crossings = [{**crossing, "x": "30", "low": "10", "high": "inf"}]
    text = curves["shown"](points, crossings)
    assert text.startswith(
        "## Labelled target texts\n\n![Labelled target texts, mini world](curves-labels-mini.svg)\n"
    )
    assert "| qab | 0 | 0.50 (0.20 to 0.61) |  | 0.40 (0.20 to 0.61) |\n" in text
    assert "| qab | 1,000 | 0.25 (0.20 to 0.61) | 0.60 (0.20 to 0.61) |  |\n" in text
    assert "| qab, mini world | LR | S | 30 (10 or before to never) | 99 % of resamples at 1,000 |\n" in text
