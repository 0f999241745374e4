"""The pages of docs/adding are followed as written: files are written and commands run, on the tiny world."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT, copy_project, planned_jobs
from page_steps import steps

pytestmark = pytest.mark.workflow
TINY = "tests/workflow/tiny.yaml"
# What the last command of each page has to plan.
PLANNED = {
    "language": {"sample_corpus", "train_vectors", "build_anchors", "stitch_model"},
    "task": {"map_embeddings", "finetune_model", "stitch_model"},
    "encoder": {"build_anchors", "map_embeddings", "finetune_model", "evaluate_models"},
    "method": {"map_embeddings", "finetune_model", "stitch_model", "evaluate_models"},
    "table": {"compare_recipes", "evaluate_models"},
}
MADE = {
    "language": "results/lexica/own/qaa-qae.parquet",
    "task": "results/tasks/feedback/qaa/train.parquet",
    "encoder": "results/encoders/mine/model.safetensors",
}


class Reader:
    """Somebody who does what a page says, in a copy of the project."""

    def __init__(self, project):
        self.project = project
        self.printed = []

    def follow(self, page):
        for step in steps(page):
            if step.name:
                file = self.project.folder / step.name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(step.text, encoding="utf-8")
            else:
                for command in step.commands:
                    self.printed.append(self.run(command))

    def run(self, command):
        if command[0] == "snakemake":
            arguments = command[1:] if "--configfile" in command else [*command[1:], "--configfile"]
            place = arguments.index("--configfile") + 1
            return self.project.snakemake(*arguments[:place], TINY, *arguments[place:])
        if command == ["make", "schema"]:
            command = ["python", "-m", "xstitch.plan.schema.file"]
        command = [sys.executable, *command[1:]] if command[0] == "python" else command
        library = {**os.environ, "PYTHONPATH": str(self.project.folder / "workflow/scripts")}
        result = subprocess.run(
            command, cwd=self.project.folder, env=library, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout


@pytest.mark.parametrize("name", PLANNED)
def test_a_page_is_followed_as_written(name, request, tmp_path):
    # One page wants an encoder to be there, which the other tests have made.
    copy = request.getfixturevalue("seeded") if name == "encoder" else copy_project
    project = copy(tmp_path / "project")
    own = project.folder / "docs/own-language"
    own.mkdir(parents=True)
    for file in ("text.txt", "qaa-qae.tsv"):
        (own / file).write_bytes((ROOT / "docs/own-language" / file).read_bytes())
    reader = Reader(project)
    reader.follow(ROOT / f"docs/adding/{name}.md")
    assert PLANNED[name] <= planned_jobs(reader.printed[-1]).keys()
    if name in MADE:
        assert (project.folder / MADE[name]).is_file()
    if name == "method":
        schema = project.folder / "workflow/schemas/config.schema.yaml"
        assert "squared" in schema.read_text(encoding="utf-8")
        assert "1 passed" in "".join(reader.printed)


def test_every_page_that_adds_something_is_followed():
    pages = {file.stem for file in (ROOT / "docs/adding").glob("*.md")}
    assert pages == {"index", *PLANNED}
