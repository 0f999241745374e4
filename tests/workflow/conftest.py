"""Copies of the project in which the workflow runs on a world smaller than mini."""

import pytest
from project_copy import ROOT as ROOT
from project_copy import TABLE as TABLE
from project_copy import Project, copy_project
from project_copy import planned_jobs as planned_jobs


def pytest_collection_modifyitems(config, items):
    """Side by side, the longest begin; tests of a file stay in one process, and those that share a run."""
    if config.getoption("dist", "no") == "no":
        return
    items.sort(
        key=lambda item: (item.get_closest_marker("workflow") is None, "related" not in item.fixturenames)
    )
    for item in items:
        group = "related" if "related" in item.fixturenames else item.path.name
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def clone(tmp_path_factory) -> Project:
    """The project as a newcomer has it: nothing run yet."""
    return copy_project(tmp_path_factory.mktemp("clone"))


@pytest.fixture(scope="session")
def related(tmp_path_factory) -> Project:
    """The project, to be run on the default world's related language alone; tests share what was run."""
    return copy_project(tmp_path_factory.mktemp("related"))


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Project:
    """The project after a whole run on the tiny world."""
    project = copy_project(tmp_path_factory.mktemp("finished"))
    project.tiny(target="all")
    return project
