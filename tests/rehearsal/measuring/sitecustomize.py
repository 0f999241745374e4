"""Loaded by Python processes whose PYTHONPATH names this folder: jobs note their memory and their loops.

The peak is the kernel's own: Snakemake's benchmark only looks from time to time. The peak before the first
update is what a job needs beside a GPU: weights and data, without gradients and activations.
"""

import atexit
import json
import os
import sys
import time
from pathlib import Path

LOOPS = []


def _peak_mb():
    """The highest resident size so far; not ru_maxrss, which begins with that of the process that forked."""
    (line,) = [
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    ]
    return int(line.split()[1]) / 1024


def _watch_loops():
    """Note how long every progress bar ran, how often it moved, and the peak before it began."""
    import tqdm.std

    begin, each, end = tqdm.std.tqdm.__init__, tqdm.std.tqdm.__iter__, tqdm.std.tqdm.close

    def noted(self, *arguments, **options):
        self.before_mb, self.fastest = _peak_mb(), None
        begin(self, *arguments, **options)

    def timed(self):
        """Pass items on; the fastest one was not disturbed by evaluations, checkpoints or other processes."""
        for item in each(self):
            started = time.time()
            yield item
            self.fastest = min(time.time() - started, self.fastest or float("inf"))

    def closed(self):
        if not hasattr(self, "noted_end"):
            self.noted_end = True
            state = self.format_dict
            LOOPS.append(
                {
                    "label": state["prefix"].rstrip(": "),
                    "unit": state["unit"],
                    "count": state["n"] - state["initial"],
                    "seconds": round(time.time() - self.start_t, 2),
                    "fastest": self.fastest and round(self.fastest, 3),
                    "before_mb": round(self.before_mb),
                }
            )
        end(self)

    tqdm.std.tqdm.__init__, tqdm.std.tqdm.__iter__, tqdm.std.tqdm.close = noted, timed, closed


def _note(started):
    job = getattr(sys.modules["__main__"], "snakemake", None)
    if job is None:
        return
    record = {
        "rule": job.rule,
        "output": list(map(str, job.output)),
        "seconds": round(time.time() - started, 1),
        "peak_mb": round(_peak_mb()),
        "loops": LOOPS,
    }
    with Path(os.environ["REHEARSAL_NOTES"]).open("a", encoding="utf-8") as stream:
        print(json.dumps(record), file=stream)


if any("/.snakemake/scripts/" in argument for argument in sys.orig_argv):
    atexit.register(_note, time.time())
    _watch_loops()
