"""Processes that tests may kill, forked from one server that has already imported torch."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["gensim.models", "torch._dynamo", "transformers.models.bert.modeling_bert"])


def run_child(target: Callable, *arguments: Any) -> int:
    """Run a module-level function in a new process and return its exit code, -9 if it was killed."""
    process = CONTEXT.Process(target=target, args=arguments)
    process.start()
    process.join()
    return process.exitcode
