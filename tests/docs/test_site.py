"""The site is built without a warning, every link in it leads somewhere, and pages say what there is."""

import ast
import re
import subprocess
import sys
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pytest
from links import dead_markdown_links, dead_site_links

from xstitch.plan.overlays import lay
from xstitch.plan.run import load_run

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
METHODS = sorted(file for file in (DOCS / "methods").glob("*.md") if file.stem != "index")
PAPERS = sorted(file.stem for file in (ROOT / "config/papers").glob("*.yaml"))
PARTS = [
    "What it does",
    "Formula",
    "Keys",
    "Code",
    "What we chose, and why",
    "What differs from the original",
]
MISSING = [name for name in ("sphinx", "furo", "myst_parser") if find_spec(name) is None]
needs_sphinx = pytest.mark.skipif(
    bool(MISSING), reason=f"{', '.join(MISSING)} not installed (requirements/docs.txt)"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as `make site` builds it, from outside of the project: nothing depends on where that is."""
    folder = tmp_path_factory.mktemp("site")
    options = ["--fail-on-warning", "--keep-going", "--fresh-env", "--quiet", "-b", "html"]
    doctrees = ["-d", str(folder / "doctrees")]
    result = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, *doctrees, str(DOCS), str(folder / "html")],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return folder / "html"


def page(site, name):
    return (site / f"{name}.html").read_text(encoding="utf-8")


@needs_sphinx
def test_no_link_within_the_site_is_dead(site):
    assert dead_site_links(site) == []


@needs_sphinx
def test_pages_load_nothing_from_elsewhere(site):
    for file in site.rglob("*.html"):
        loaded = re.findall(
            r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(https?:[^"]+)"', file.read_text()
        )
        assert loaded == [], file.name


@needs_sphinx
def test_every_rule_has_an_entry(site):
    rules = page(site, "reference/rules")
    names = [
        name
        for file in [ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
        for name in re.findall(r"^rule (\w+):", file.read_text(encoding="utf-8"), re.M)
    ]
    assert len(names) > 50
    assert [name for name in names if f'id="{name}"' not in rules] == []


@needs_sphinx
def test_every_key_of_the_schema_is_listed(site):
    text = (ROOT / "workflow/schemas/config.schema.yaml").read_text(encoding="utf-8")
    models = re.findall(r"^  (\w+):$", text.partition("$defs:")[2].partition("\nproperties:")[0], re.M)
    keys = page(site, "reference/keys")
    assert len(models) > 50
    assert [name for name in models if f">{name}<a" not in keys] == []
    for key in ("longest_job", "weights_decay", "task_adapter", "panlex_coverage"):
        assert f'<span class="pre">{key}</span>' in keys


@needs_sphinx
@pytest.mark.parametrize("paper", PAPERS)
def test_a_papers_page_has_its_numbers_and_settings(site, paper):
    text = unescape(re.sub(r"<[^>]+>", "", page(site, f"papers/{paper}")))
    for kind, name in {"tsv": "value", "settings.tsv": "key"}.items():
        header, *rows = (ROOT / f"config/reference/{paper}.{kind}").read_text(encoding="utf-8").splitlines()
        column = header.split("\t").index(name)
        cells = {row.split("\t")[column] for row in rows}
        assert len(cells) > 40
        assert [cell for cell in sorted(cells) if cell not in text] == []
    assert "not set up" in text or "with files of your own" in text  # at scale real


@needs_sphinx
def test_formulas_are_drawn_by_the_browser(site):
    text = page(site, "methods/relative-representations")
    assert text.count("<math") >= 5
    assert not re.search(r"<script[^>]*mathjax", text, re.I)


def test_no_link_of_the_other_documents_is_dead():
    files = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "config/README.md")]
    assert dead_markdown_links(files) == []


def test_a_dead_link_is_found(tmp_path):
    (tmp_path / "a.html").write_text('<p id="here"></p><a href="b.html#there">b</a><a href="#here">here</a>')
    (tmp_path / "b.html").write_text('<a href="a.html#nowhere">a</a><img src="c.png">')
    assert sorted(dead_site_links(tmp_path)) == [
        "a.html: b.html#there",
        "b.html: a.html#nowhere",
        "b.html: c.png",
    ]
    (tmp_path / "a.md").write_text(
        "# One thing\n[x](#one-thing) [y](#two) [z](b.md)\n```\n[n](none.md)\n```\n"
    )
    assert dead_markdown_links([tmp_path / "a.md"]) == ["a.md: #two", "a.md: b.md"]


@pytest.mark.parametrize("file", METHODS, ids=lambda file: file.stem)
def test_a_methods_page_has_all_parts_and_names_code_that_exists(file):
    text = file.read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.M) == PARTS
    code = text.partition("## Code\n")[2].partition("\n## ")[0]
    folder = None
    for name in re.findall(r"`([\w/]+(?:\.py|/))`", code):
        path = ROOT / "workflow/scripts" / name if "/" in name else folder / name
        assert path.exists(), name
        folder = path.parent
    assert folder is not None


OVERLAYS = [
    (file, text)
    for file in (
        "README.md",
        "config/README.md",
        "docs/start.md",
        "docs/adding/encoder.md",
        "docs/adding/method.md",
    )
    for text in re.findall(r"^```yaml.*?\n(.*?)^```", (ROOT / file).read_text(encoding="utf-8"), re.M | re.S)
]


@pytest.mark.parametrize(("file", "text"), OVERLAYS, ids=lambda value: value if value.endswith(".md") else "")
def test_settings_that_documents_show_are_legal(file, text, tmp_path):
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(text.replace("weighting: squared", "weighting: softmax"), encoding="utf-8")
    scale = "real" if text.startswith("on: real") else "mini"
    config = lay(ROOT / "config/config.yaml", [overlay], {"scale": scale}, ROOT / "config")
    assert load_run(config, ROOT).config["scale"] == scale, file


def test_every_papers_page_says_what_was_run():
    for paper in PAPERS:
        text = (DOCS / f"papers/{paper}.md").read_text(encoding="utf-8")
        assert re.search(r"^## What was run\n\n- \*\*mini\*\*: ", text, re.M), paper


def test_the_stages_page_has_every_file_of_rules_in_one_stage():
    table = re.findall(r"^\| \d .*\| ([^|]*) \|$", (DOCS / "stages.md").read_text(encoding="utf-8"), re.M)
    assert len(table) == 7
    listed = re.findall(r"`(\w+)`", " ".join(table))
    stages = {file.stem for file in (ROOT / "workflow/rules").glob("*.smk")} - {"common"}
    assert sorted(listed) == sorted(stages)


def test_the_readme_names_the_commands_that_are_tested():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ("make demo", "make test", "snakemake --profile slurm results/tables/table2.tsv"):
        assert command in readme
    source = ast.parse((ROOT / "docs/refresh.py").read_text(encoding="utf-8"))
    marks = [node.value for node in ast.walk(source) if isinstance(node, ast.Constant)]
    assert all(mark in readme for mark in marks if isinstance(mark, str) and mark.startswith("<!-- "))
