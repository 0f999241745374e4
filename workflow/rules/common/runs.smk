"""What a run does beyond its rules: one main process at a time, growing requests, scheduling. No rules here."""


def claim_working_folder():
    """Refuse to run next to another main process, and clean up after a killed one; jobs are exempt."""
    if not workflow.is_main_process or workflow.output_settings.dryrun or only_looks(sys.argv[1:]):
        return None
    claim, lines = checked(claim_folder, Path(".snakemake"))
    checked(require_writable, [Path(folder) for folder in ("results", "resources", "chains", "logs")])
    for line in lines:
        print(line, file=sys.stderr)
    return claim


def grow_requests():
    """Ask for more memory and time with every attempt: the first may have run out of them."""
    for stage in workflow.rules:
        for request in ("mem_mb", "runtime"):
            if request in stage.resources and not stage.resources[request].is_evaluable():
                stage.resources[request] = growing(stage.resources[request].value)


def growing(amount):
    """Return a request that is `amount` in the first attempt, twice that in the second, and so on."""
    return lambda wildcards, attempt: amount * attempt


def requested(resource):
    """Ask for what a job of its size needs of a resource; its rule says whether on a GPU, or on several."""
    return lambda wildcards, attempt, rulename: asked(
        resource, wildcards, attempt, workflow.get_rule(rulename)
    )


def asked(resource, wildcards, attempt, stage):
    """Return a job's request, more with every attempt; the disk does not fill up because of a failure."""
    amount = checked(requests, RUN, stage.name, wildcards, gpus_at_hand(stage))[resource]
    if resource == "disk_mb":
        return amount
    return limited(amount * attempt, config["longest_job"]) if resource == "runtime" else amount * attempt


def gpus_at_hand(stage):
    """Return the number of GPUs a rule's jobs get: those they ask for, if this machine or its cluster has any."""
    known = {name: stage.resources[name].value for name in ("gpu", "gres") if name in stage.resources}
    elsewhere = not workflow.local_exec or not CLUSTERS.isdisjoint(stage.resources)
    return gpus_of(known) if elsewhere or has_gpu() else 0


def schedule_on_events():
    """Look for jobs to start when one ends and, if the user limits submissions, once per timespan of that limit.

    With a limit, Snakemake looks again one timespan after every look, forever, in a thread each: every ended job
    adds another such chain. Its default (100 per second) then keeps a core busy after a few hundred jobs, and is
    removed; a user's limit stays, with one chain.
    """
    scheduler = workflow.scheduler
    limit = scheduler.job_rate_limiter
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        scheduler.job_rate_limiter = None
    elif limit:
        scheduler._schedule_reevalutation = one_at_a_time(scheduler._schedule_reevalutation)


def starts_warm():
    """Tell whether jobs with neural networks start as forks: on this machine, in this very environment.

    With --sdm, they have environments of their own.
    """
    is_local = workflow.is_main_process and workflow.local_exec
    return is_local and not workflow.deployment_settings.deployment_method and is_possible(os.environ)


def start_jobs_warm():
    """Start jobs with neural networks as forks of a Python that has loaded torch, if that can be."""
    if starts_warm():
        neural = {stage.name for stage in workflow.rules if Path(str(stage.conda_env)).stem == "neural"}
        start_warm(sys.modules["snakemake.shell"], neural)


CLUSTERS = {"slurm_partition", "gpu_manufacturer"}  # resources that only profiles of clusters name
MAIN_PROCESS = claim_working_folder()  # the claim lasts until this process ends
