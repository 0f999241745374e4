"""One thread in every process of the tests.

Their matrices are small, and they run side by side: more threads would only wait for each other, for many
times as long as they compute. The libraries read the variable when they are loaded.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"
