"""xstitch: static and contextual embeddings, stitched across languages."""

import os

# A waiting OpenMP thread must sleep, not spin: with two busy processes on two cores, spinning made
# small torch operations twenty times slower. It has to be set before torch is loaded, hence here.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# Compute nodes have no network: what a job needs was downloaded by a rule of its own.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
