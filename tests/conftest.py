"""One thread in every process of the tests, and threads that sleep while they wait.

Their matrices are small, and they run side by side: more threads would only wait for each other, for many
times as long as they compute. The libraries read the variables when they are loaded, which is before
`xstitch` is where a test imports torch first.
"""

import os

import pytest

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"


@pytest.fixture(autouse=True)
def progress_bars_stay_on():
    """The command xstitch switches them off for its process; tests that measure by them may follow."""
    yield
    os.environ.pop("TQDM_DISABLE", None)
