"""What the cluster profile says about the SLURM executor is true of the pinned version."""

import logging
from types import SimpleNamespace

import pytest
from snakemake_executor_plugin_slurm import Executor
from snakemake_executor_plugin_slurm.submit_string import get_submit_command
from snakemake_executor_plugin_slurm.utils import set_gres_string

PARAMS = {
    "run_uuid": "run",
    "slurm_logfile": "log",
    "comment_str": "rule",
    "account": "",
    "partition": "-p gpu",
    "workdir": "/work",
}


class Resources(dict):
    """Resources of a job: the executor reads them as keys and as attributes."""

    __getattr__ = dict.__getitem__


def sbatch(**resources):
    job = SimpleNamespace(resources=Resources(resources), threads=2)
    return (get_submit_command(job, PARAMS) + set_gres_string(job)).split()


def gpu_options(**resources):
    return [option for option in sbatch(**resources) if option.startswith(("--gres", "--gpus"))]


@pytest.mark.parametrize(
    ("resources", "options"),
    [
        ({"gpu": 1}, ["--gpus=1"]),
        ({"gpu": 1, "gpu_model": "a100"}, ["--gpus=a100:1"]),
        ({"gpu": 0}, []),
        ({"gpu": 0, "gres": "gpu:1"}, ["--gres=gpu:1"]),
        ({"gpu": 0, "gres": "gpu:a100:1"}, ["--gres=gpu:a100:1"]),
        ({"gpu": 1, "gres": "gpu:1"}, ["--gres=gpu:1", "--gpus=1"]),
    ],
)
def test_gpus_are_requested_as_the_profile_says(resources, options):
    assert gpu_options(**resources) == options


def test_cores_are_requested_per_task_with_and_without_gres():
    assert "--cpus-per-task=2" in sbatch(gpu=1)
    assert "--cpus-per-task=2" in sbatch(gpu=0, gres="gpu:1")


def submitted(given, ready, limit):
    """Return how many jobs of a rule in array mode reach SLURM when others of the rule stay ready."""
    jobs = [
        SimpleNamespace(rule=SimpleNamespace(name="tiny"), is_group=lambda: False)
        for _ in range(given + ready)
    ]
    sent = []
    executor = SimpleNamespace(
        _main_event_loop=None,
        array_jobs={"tiny"},
        max_array_size=limit,
        logger=logging.getLogger("test"),
        workflow=SimpleNamespace(dag=SimpleNamespace(ready_jobs=jobs[given:])),
        _submit_job=sent.append,
        _submit_array_jobs=sent.extend,
    )
    Executor.run_jobs(executor, jobs[:given])
    return len(sent)


@pytest.mark.parametrize(("given", "ready", "limit"), [(100, 101, 500), (1, 2, 500), (1, 2, 2)])
def test_array_mode_still_drops_jobs_without_a_word(given, ready, limit):
    """No array limit is safe: places become free one by one. If this fails, it was mended upstream."""
    assert submitted(given, ready, limit) == 0


def test_array_mode_submits_when_nothing_stays_behind():
    assert submitted(100, 0, 500) == 100
