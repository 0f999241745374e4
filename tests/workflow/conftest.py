"""Copies of the project in which the workflow runs on a world smaller than mini."""

import os
from dataclasses import replace

import pytest
from filelock import FileLock
from project_copy import ROOT as ROOT
from project_copy import TABLE as TABLE
from project_copy import Project, copy_project
from project_copy import planned_jobs as planned_jobs

RELATED = ["tests/workflow/tiny.yaml", str(ROOT / "tests/workflow/related.yaml")]


def pytest_collection_modifyitems(config, items):
    """Begin with the longest where files are tested side by side (pytest-xdist)."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("workflow") is None)


@pytest.fixture(scope="session")
def clone(tmp_path_factory) -> Project:
    """The project as a newcomer has it: nothing run yet."""
    return copy_project(tmp_path_factory.mktemp("clone"))


@pytest.fixture(scope="session")
def related(tmp_path_factory) -> Project:
    """The project, to be run on one related language of the tiny world; tests share what was run.

    Those of other processes, too: they take turns.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    turn = FileLock(shared / "related.lock")
    with turn:
        folder = shared / "related"
        return Project(folder, turn) if folder.exists() else replace(copy_project(folder), turn=turn)


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Project:
    """The project after a whole run on the tiny world."""
    project = copy_project(tmp_path_factory.mktemp("finished"))
    project.tiny(target="all")
    return project
