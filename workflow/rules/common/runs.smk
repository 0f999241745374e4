"""What a run does beyond its rules: one main process at a time, growing requests, scheduling. No rules here."""


def claim_working_folder():
    """Refuse to run next to another main process, and clean up after a killed one; jobs are exempt."""
    if not workflow.is_main_process or workflow.output_settings.dryrun or only_looks(sys.argv[1:]):
        return None
    claim, lines = checked(claim_folder, Path(".snakemake"))
    checked(require_writable, [Path(folder) for folder in ("results", "resources", "logs")])
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


def schedule_on_events():
    """Look for jobs to start only when one ends.

    Snakemake's default limit on submissions (100 per second) makes it look again one second after every look,
    forever: after a few hundred jobs that keeps a core busy. A limit set by the user stays.
    """
    limit = workflow.scheduler.job_rate_limiter
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


MAIN_PROCESS = claim_working_folder()  # the claim lasts until this process ends
