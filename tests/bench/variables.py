"""Variables that numerical libraries read when they are loaded; a benchmark's process starts with them."""

import os
from collections.abc import Mapping

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def bench_variables(threads: int, variables: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return an environment with a number of threads; threads that wait sleep.

    A thread that spins while it waits takes the processor from the one that it waits for. Set after torch or
    numpy is loaded, these variables do nothing: that once made a kernel look ten times slower.
    """
    settled = {**dict.fromkeys(THREADS, str(threads)), "OMP_WAIT_POLICY": "PASSIVE"}
    quiet = {"TQDM_DISABLE": "1", "TOKENIZERS_PARALLELISM": "false", "TRANSFORMERS_VERBOSITY": "error"}
    return {**variables, **settled, **quiet, "HF_HUB_OFFLINE": "1"}
