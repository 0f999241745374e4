"""The command switches progress bars off, for its own process."""

import pytest


@pytest.fixture(autouse=True)
def progress_bars_of_other_tests(monkeypatch):
    monkeypatch.setenv("TQDM_DISABLE", "1")  # set here, it is unset again after each test
