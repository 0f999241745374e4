"""xstitch: static and contextual embeddings, stitched across languages."""

import os

# Waiting OpenMP threads must sleep, not spin: with two busy processes on two cores, spinning made
# small torch operations twenty times slower. This must be set before torch is loaded, hence here.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# Compute nodes have no network: separate rules have downloaded what a job needs.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
