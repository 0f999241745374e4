"""What a run does beyond its rules: one main process at a time, requests that grow. No rules here."""


def claim_working_folder():
    """Refuse to work beside another main process, and clear away what a killed one left; jobs are no such."""
    if not workflow.is_main_process or workflow.output_settings.dryrun or only_looks(sys.argv[1:]):
        return None
    held, lines = checked(claim_folder, Path(".snakemake"))
    for line in lines:
        print(line, file=sys.stderr)
    return held


def grow_requests():
    """Ask for more memory and time with every attempt: the first may have failed for want of them."""
    for made in workflow.rules:
        for request in ("mem_mb", "runtime"):
            if request in made.resources and not made.resources[request].is_evaluable():
                made.resources[request] = growing(made.resources[request].value)


def growing(amount):
    """A request of so much in the first attempt, twice that in the second, and so on."""
    return lambda wildcards, attempt: amount * attempt


MAIN_PROCESS = claim_working_folder()  # held until this process ends
