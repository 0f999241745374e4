"""What a run does beyond its rules: one main process at a time, requests that grow. No rules here."""


def claim_working_folder():
    """Refuse to work beside another main process, and clear away what a killed one left; jobs are no such."""
    if not workflow.is_main_process or workflow.output_settings.dryrun or only_looks(sys.argv[1:]):
        return None
    claim, lines = checked(claim_folder, Path(".snakemake"))
    checked(require_writable, [Path(folder) for folder in ("results", "resources", "logs")])
    for line in lines:
        print(line, file=sys.stderr)
    return claim


def grow_requests():
    """Ask for more memory and time with every attempt: the first may have failed for want of them."""
    for made in workflow.rules:
        for request in ("mem_mb", "runtime"):
            if request in made.resources and not made.resources[request].is_evaluable():
                made.resources[request] = growing(made.resources[request].value)


def growing(amount):
    """A request of so much in the first attempt, twice that in the second, and so on."""
    return lambda wildcards, attempt: amount * attempt


def schedule_on_events():
    """Look for jobs to start when one ends, and only then.

    Snakemake's own limit on submissions (100 a second) looks again a second after every look, for ever: after
    a few hundred jobs that keeps a core busy. A limit that the user sets stays.
    """
    limit = workflow.scheduler.job_rate_limiter
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


MAIN_PROCESS = claim_working_folder()  # held until this process ends
