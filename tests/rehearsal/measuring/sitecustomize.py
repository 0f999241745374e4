"""Loaded by Python processes whose PYTHONPATH names this folder: jobs note their memory and their loops.

The peak is the kernel's own: Snakemake's benchmark only looks from time to time. The peak before the first
update is what a job needs beside a GPU: weights and data, without gradients and activations. Beside the time
on the clock, which other processes stretch, there is that of the processor, of all threads. Some loops, which
no setting shortens, end early: REHEARSAL_STOPS has after how many units, by label. Where nothing can be made
of half a loop, the whole job ends there and leaves empty files: REHEARSAL_ENDS has label and units by output.
"""

import atexit
import gc
import json
import os
import sys
import time
from pathlib import Path

LOOPS = []
STOPS = json.loads(os.environ.get("REHEARSAL_STOPS", "{}"))
ENDS = json.loads(os.environ.get("REHEARSAL_ENDS", "{}"))
STARTED = time.time()
UPDATE = "step"  # the unit of bars over updates (xstitch.training.loop)


def _peak_mb():
    """The highest resident size so far; not ru_maxrss, which begins with that of the process that forked."""
    (line,) = [
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    ]
    return int(line.split()[1]) / 1024


def _weights_mb():
    """The megabytes of all weights, and of those that are trained.

    Files of weights are mapped and come into memory as they are used: they are read here once.
    """
    import torch

    found = {weight.data_ptr(): weight for weight in gc.get_objects() if type(weight) is torch.nn.Parameter}
    for weight in found.values():
        weight.detach().flatten()[::1024].sum()
    sizes = [(weight.nbytes / 2**20, weight.requires_grad) for weight in found.values()]
    return round(sum(size for size, _ in sizes)), round(sum(size for size, trained in sizes if trained))


def _watch_loops():
    """Note how long every progress bar ran, how often it moved, and the peak before it began."""
    import tqdm.std

    begin, each, end = tqdm.std.tqdm.__init__, tqdm.std.tqdm.__iter__, tqdm.std.tqdm.close

    def noted(self, *arguments, **options):
        trains = options.get("unit") == UPDATE and "torch" in sys.modules
        self.weights_mb = _weights_mb() if trains else (0, 0)
        self.before_mb, self.before_cpu = _peak_mb(), time.process_time()
        self.fastest = self.fastest_cpu = None
        begin(self, *arguments, **options)

    def timed(self):
        """Pass items on; the fastest one was not disturbed by evaluations, checkpoints or other processes."""
        label, items = self.desc.rstrip(": "), each(self)
        for number, item in enumerate(items):
            if number == STOPS.get(label, -1):
                return
            if [label, number] == _end():
                items.close()
                _end_job()
            started, started_cpu = time.time(), time.process_time()
            yield item
            self.fastest = min(time.time() - started, self.fastest or float("inf"))
            self.fastest_cpu = min(time.process_time() - started_cpu, self.fastest_cpu or float("inf"))

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
                    "cpu_seconds": round(time.process_time() - self.before_cpu, 2),
                    "fastest": self.fastest and round(self.fastest, 3),
                    "fastest_cpu": self.fastest_cpu and round(self.fastest_cpu, 3),
                    "before_mb": round(self.before_mb),
                    "peak_mb": round(_peak_mb()),
                    "weights_mb": self.weights_mb[0],
                    "trained_mb": self.weights_mb[1],
                }
            )
        end(self)

    tqdm.std.tqdm.__init__, tqdm.std.tqdm.__iter__, tqdm.std.tqdm.close = noted, timed, closed


def _job():
    return getattr(sys.modules["__main__"], "snakemake", None)


def _end():
    """Where this job ends early: the label of a loop and a number of units, or None."""
    return next((ENDS[file] for file in map(str, _job().output) if file in ENDS), None) if _job() else None


def _end_job():
    _note()
    for file in _job().output:
        Path(file).touch()
    os._exit(0)


def _note():
    job = _job()
    if job is None:
        return
    record = {
        "rule": job.rule,
        "output": list(map(str, job.output)),
        "date": time.strftime("%Y-%m-%d"),
        "seconds": round(time.time() - STARTED, 1),
        "cpu_seconds": round(time.process_time(), 1),
        "threads": job.threads,
        "peak_mb": round(_peak_mb()),
        "loops": LOOPS,
    }
    with Path(os.environ["REHEARSAL_NOTES"]).open("a", encoding="utf-8") as stream:
        print(json.dumps(record), file=stream)


if any("/.snakemake/scripts/" in argument for argument in sys.orig_argv):
    atexit.register(_note)
    _watch_loops()
