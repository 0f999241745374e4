"""Fixtures of downloads: a server on loopback, and a bench that fetches from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from download_bench import Bench
from flaky_server import FlakyServer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FlakyServer]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = FlakyServer()
    yield server
    server.close()


@pytest.fixture
def bench(tmp_path: Path, server: FlakyServer) -> Bench:
    return Bench(tmp_path, server.address)
