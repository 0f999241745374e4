"""Real data beside the project: ../shared, or the folder that XSTITCH_SHARED names."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("XSTITCH_SHARED", Path(__file__).parents[3] / "shared"))


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Real files at `<host>/<path>`."""
    if not (SHARED / "mirror").is_dir():
        pytest.skip(f"no real data at {SHARED}: set XSTITCH_SHARED to a folder that has them")
    return SHARED / "mirror"


@pytest.fixture(scope="session")
def data() -> Path:
    """Samples of real data sets in their original layout."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"no real data at {SHARED}: set XSTITCH_SHARED to a folder that has them")
    return SHARED / "data"
