"""Scripts that need a GPU reach no code that only formats, prints or draws: editing that reruns none."""

import ast
import re
import shutil
from pathlib import Path

import pytest

from xstitch.models.heads.registry import HEADS, head_module
from xstitch.plan.digest import Summaries, library_digest, reached_modules

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / "workflow/scripts"
RULES = sorted((ROOT / "workflow/rules").rglob("*.smk"))
# The modules of results about numbers and their files, not about how they are compared, laid out or drawn.
MEASURES = {"__init__", "scores", "metrics", "answer_metrics", "tag_metrics"}
UNEDITED = Summaries()  # parsed once for all tests
DRAWING = {"matplotlib", "seaborn", "altair", "plotly", "rich", "tabulate"}


def gpu_rules():
    """Yield the names of the rules that request a GPU; their scripts have the same names."""
    for file in RULES:
        text = file.read_text(encoding="utf-8")
        for rule, body in re.findall(r"^rule (\w+):\n(.*?)(?=^rule |\Z)", text, re.M | re.S):
            if re.search(r"\bgpu=", body):
                yield rule


GPU = sorted(gpu_rules())


def modules_of(rule):
    """Return the modules that a script imports by name at run time: the heads."""
    script = (SCRIPTS / f"{rule}.py").read_text(encoding="utf-8")
    return sorted(set(map(head_module, HEADS))) if "load_head" in script else []


def reached(rule):
    """Return the modules behind a script and their paths in the library."""
    files = reached_modules(SCRIPTS / f"{rule}.py", *modules_of(rule))
    return {file: file.relative_to(SCRIPTS / "xstitch").with_suffix("").parts for file in files}


def imported(path):
    """Yield the packages that a module imports at any depth."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_the_rules_that_need_a_gpu_are_found():
    assert {"finetune_model", "adapt_model", "align_encoder", "pretrain_encoder", "distill_vectors"} <= {*GPU}
    assert all((SCRIPTS / f"{rule}.py").is_file() for rule in GPU)


@pytest.mark.parametrize("rule", GPU)
def test_only_scores_and_metrics_of_results_are_reached(rule):
    names = {parts[1] for parts in reached(rule).values() if parts[0] == "results"}
    assert names <= MEASURES


@pytest.mark.parametrize("rule", GPU)
def test_neither_the_plan_nor_a_drawing_library_is_reached(rule):
    files = reached(rule)
    assert not [parts for parts in files.values() if parts[0] == "plan"]
    assert not {package for file in files for package in imported(file)} & DRAWING


def edited(folder, module):
    """Copy the scripts and the library and add a function to one module."""
    copy = folder / "scripts"
    shutil.copytree(SCRIPTS, copy, ignore=shutil.ignore_patterns("__pycache__"))
    with (copy / "xstitch" / module).open("a", encoding="utf-8") as stream:
        stream.write("\n\ndef another():\n    return 1\n")
    return copy


def changed(folder, module, rules):
    """Return the rules whose digest changes when a module is edited."""
    copy, summaries = edited(folder, module), Summaries()
    return {
        rule
        for rule in rules
        if library_digest(copy / f"{rule}.py", *modules_of(rule), summaries=summaries)
        != library_digest(SCRIPTS / f"{rule}.py", *modules_of(rule), summaries=UNEDITED)
    }


@pytest.mark.parametrize(
    "module",
    [
        *("tables", "figures", "comparisons", "coverage", "language_report", "model_card", "shift_data"),
        *("pages", "examples"),
    ],
)
def test_editing_how_results_are_shown_reruns_no_script_that_needs_a_gpu(tmp_path, module):
    tables = {"make_table", "make_shift_table", "compare_recipes"}
    showing = {*tables, "make_figure", "report_coverage", "report_language", "export_model"}
    rerun = changed(tmp_path, f"results/{module}.py", {*GPU, *showing})
    assert rerun and rerun <= showing


def test_editing_an_evaluation_reruns_only_that_evaluation(tmp_path):
    rules = {*GPU, "build_anchors", "measure_similarity"}
    assert changed(tmp_path / "a", "spaces/bli.py", rules) == {"measure_translation"}
    assert changed(tmp_path / "b", "spaces/similarity.py", rules) == {"measure_similarity"}


def test_editing_the_word_aligner_reruns_the_links_and_editing_a_loss_does_not(tmp_path):
    rules = {*GPU, "link_words", "import_parallel"}
    # What follows from new links runs again because its input is newer.
    assert changed(tmp_path / "a", "encoders/word_links.py", rules) == {"link_words"}
    assert changed(tmp_path / "b", "encoders/wordot.py", rules) == {"align_encoder", "measure_gradients"}
    assert "link_words" not in GPU
