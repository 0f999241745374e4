"""Numbers in documents are those that a command wrote."""

import hashlib
import runpy
from pathlib import Path

import pyarrow as pa

from xstitch.core.parquet import write_table
from xstitch.core.tsv import write_records
from xstitch.results.scores import predictions_table

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


def test_cells_of_a_papers_table_are_shown_with_their_intervals(tmp_path):
    results = runpy.run_path(str(ROOT / "docs/recorded_results.py"))
    header = "row\tcolumn\tpublished\treproduced\tlow\thigh\n"
    (tmp_path / "t.tsv").write_text(
        f"{header}LR\tde\t.3\t0.5312\t0.41\t0.62\nLR\tmt\t.38\t\t\t\nLS\tde\t.14\t0.4\t0.3\t0.5\n",
        encoding="utf-8",
    )
    assert results["shown"](tmp_path / "t.tsv").splitlines() == [
        "| method | de |",
        "| --- | --- |",
        "| LR | 0.53 (0.41 to 0.62) |",
        "| LS | 0.40 (0.30 to 0.50) |",
    ]


def test_gradients_are_shown_at_four_points_over_all_layers(tmp_path):
    results = runpy.run_path(str(ROOT / "docs/recorded_results.py"))
    rows = [
        {"recipe": "mbert", "language": "qab", "loss": "dcca", "layer": layer, "update": update}
        | {"cosine": "0.1", "low": "0.0", "high": "0.2", "norm": f"{update}.5", "task_norm": "2"}
        for update in ("0", "8", "15", "22", "30")
        for layer in ("all", "0")
    ]
    write_records(rows, tmp_path / "gradients.tsv")
    assert results["shown"](tmp_path / "gradients.tsv").splitlines() == [
        "| loss | language | update | cosine | low | high | norm |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(f"| dcca | qab | {update} | 0.1 | 0.0 | 0.2 | {update}.5 |" for update in (0, 8, 15, 30)),
    ]


def test_tweets_are_written_as_a_task_of_ones_own(tmp_path):
    tweets = runpy.run_path(str(ROOT / "docs/results/tweets.py"))
    for language in tweets["LANGUAGES"]:
        (tmp_path / language).mkdir()
        for split in tweets["SPLITS"]:
            (tmp_path / language / f"{split}_text.txt").write_text(
                "i\\u2019m\there \n \nbad\n", encoding="utf-8"
            )
            (tmp_path / language / f"{split}_labels.txt").write_text("2\n1\n0\n", encoding="utf-8")
    tweets["write_tweets"](tmp_path, tmp_path / "made")
    # A text without words is left out; the others stay on one line.
    expected = "dev1\tpositive\ti’m here\ndev2\tnegative\tbad\n"
    assert (tmp_path / "made/de.dev.tsv").read_text(encoding="utf-8") == expected
    assert (tmp_path / "made/fr.txt").read_text(encoding="utf-8") == "i’m here\nbad\n"


def test_recipes_are_compared_on_a_task_that_no_paper_has(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    compared = runpy.run_path(str(ROOT / "docs/compared_task.py"))
    for recipe, answers in {"frozen-rr": ["a", "b"], "lr": ["a", "a"]}.items():
        file = tmp_path / recipe / "tweets/en.parquet"
        file.parent.mkdir(parents=True)
        truth = {"id": ["1", "2"], "label": ["a", "b"]}
        tables = [predictions_table("de", 0, truth, answers), predictions_table("fr", 0, truth, ["a", "a"])]
        write_table(pa.concat_tables(tables), file)
    rows = compared["compared"]("tweets", ["a", "b"], tmp_path)
    # Always "a": F1 of a is 2/3, of b 0.
    assert [(row["method"], row["target"], row["macro_f1"]) for row in rows] == [
        ("frozen, RRs softmax top50", "de", "1.0000"),
        ("LR, target labels", "de", "0.3333"),
        ("frozen, RRs softmax top50", "fr", "0.3333"),
        ("LR, target labels", "fr", "0.3333"),
        ("frozen, RRs softmax top50", "mean", "0.6667"),
        ("LR, target labels", "mean", "0.3333"),
    ]
    write_records(rows, tmp_path / "tweets.tsv")
    shown = runpy.run_path(str(ROOT / "docs/recorded_results.py"))["shown"](tmp_path / "tweets.tsv")
    assert shown.splitlines()[0] == "| method | de | fr | mean |"


def test_recipes_are_compared_on_tagged_sentences(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    compared = runpy.run_path(str(ROOT / "docs/compared_task.py"))
    file = tmp_path / "frozen-rr/names/en.parquet"
    file.parent.mkdir(parents=True)
    truth = {"id": ["1", "2"], "label": ["B-PER O", "B-LOC"]}
    write_table(predictions_table("de", 0, truth, ["B-PER O", "O"]), file)
    rows = compared["compared"]("names", None, tmp_path)
    assert [row["f1"] for row in rows] == ["0.6667"]
    write_records(rows, tmp_path / "names.tsv")
    shown = runpy.run_path(str(ROOT / "docs/recorded_results.py"))["shown"](tmp_path / "names.tsv")
    assert "| 0.67 (0." in shown


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


def test_choices_of_several_scales_have_a_mean_each():
    path = ROOT / "docs/recorded_recommendations.py"
    known = [
        {"language": lang, "scale": scale, "chain": "1", "recipe": recipe, "macro_f1": truth, "chosen": mark}
        | dict.fromkeys(("agreement", "dictionary", "coverage", "confidence", "information"), truth)
        for lang, scale in (("qab", "mini"), ("de", "real"), ("es", "real"))
        for recipe, truth, mark in (("x", "0.4", "yes"), ("y", "0.5", ""))
    ]
    rows = runpy.run_path(str(path))["summary"](known)
    assert [row["language"] for row in rows] == ["qab 1", "de", "es", "mean, mini", "mean, real"]
    assert [row["lost"] for row in rows] == ["0.100"] * 5
