"""Copies of the project in which the workflow runs on a world smaller than mini."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Browser, open_browser
from filelock import FileLock
from project_copy import ROOT as ROOT
from project_copy import TABLE as TABLE
from project_copy import Project, copy_project
from project_copy import edited as edited
from project_copy import planned_jobs as planned_jobs

RELATED = ["tests/workflow/tiny.yaml", str(ROOT / "tests/workflow/related.yaml")]
# What several tests need of the tiny world before they do anything of their own.
SEED = [
    *(f"results/encoders/{encoder}" for encoder in ("mini-mono", "mini-multi")),
    *(f"results/vectors/fasttext/{lang}.npz" for lang in ("qaa", "qab", "qac", "qad")),
    *(f"results/tasks/taxi1500/{lang}/test.parquet" for lang in ("qaa", "qab", "qac", "qad")),
    *(f"results/anchors/full/mini-mono/qaa-{lang}.parquet" for lang in ("qab", "qac", "qad")),
]


def pytest_collection_modifyitems(config, items):
    """Begin with the longest where files are tested side by side (pytest-xdist)."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("workflow") is None)


@pytest.fixture(scope="session")
def clone(tmp_path_factory) -> Project:
    """The project as a newcomer has it: nothing run yet."""
    return copy_project(tmp_path_factory.mktemp("clone"))


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """A folder of all processes that test side by side."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def seed(tmp_path_factory) -> Path:
    """A project that was run on the tiny world as far as several tests need it; once for all processes."""
    shared = shared_folder(tmp_path_factory)
    folder, finished = shared / "seed", shared / "seed.finished"
    with FileLock(shared / "seed.lock"):
        if not finished.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a process that failed
            copy_project(folder).snakemake(*SEED, "--configfile", "tests/workflow/tiny.yaml")
            finished.touch()
    return folder


@pytest.fixture(scope="session")
def seeded(seed) -> Callable[[Path], Project]:
    """Copies of the project, to be run on the tiny world, in which the seed's results are there already."""

    def copy(folder: Path) -> Project:
        project = copy_project(folder)
        for name in ("results", "resources", ".snakemake/metadata"):
            shutil.copytree(seed / name, folder / name, symlinks=True)
        return project

    return copy


@pytest.fixture(scope="session")
def related(tmp_path_factory, seeded) -> Project:
    """The project, to be run on one related language of the tiny world; tests share what was run.

    Those of other processes, too: they take turns.
    """
    shared = shared_folder(tmp_path_factory)
    turn = FileLock(shared / "related.lock")
    with turn:
        folder = shared / "related"
        return Project(folder, turn) if folder.exists() else replace(seeded(folder), turn=turn)


@pytest.fixture(scope="session")
def finished(tmp_path_factory, seeded) -> Project:
    """The project after a whole run on the tiny world."""
    project = seeded(tmp_path_factory.mktemp("finished"))
    project.tiny(target="all")
    return project


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser; tests that need it are skipped where there is none."""
    with open_browser() as opened:
        yield opened
