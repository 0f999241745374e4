"""What a run is going to download, and what it notes of where its tables come from. No rules here."""


def job_downloads(job):
    """What a job brings, and the places it gets."""
    return downloads.downloads_of(RUN, job.rule.name, job.wildcards, job.output)


def announce_downloads():
    """List what is to be downloaded; end a run that the disk has no room for, or a file no address."""
    jobs = [job for job in workflow.dag.needrun_jobs() if not mini_world(job)]
    for job in jobs:
        checked(downloads.require_address, RUN, job.rule.name, job.wildcards, job.output)
    if wanted := sorted(download for job in jobs for download in job_downloads(job)):
        checked(announce, wanted, config["mirror"], Path(config["lock"]))


def mini_world(job):
    """Whether a job only copies what the run itself generates."""
    return any(str(file).startswith(WORLD) for file in job.input)


def record_provenance():
    """Note what the tables of this run were made of; a run without tables notes nothing."""
    made = {}
    for job in workflow.dag.jobs:
        if written := [
            str(file) for file in job.output if re.fullmatch(r"results/tables/.*\.tsv", str(file))
        ]:
            made.update(dict.fromkeys(written, data_of(job)))
    if made:
        checked(update_provenance, Path("results/provenance.json"), made, environment(config, ROOT))


def data_of(job):
    """Checksums of all data behind a job: downloads, and files that no job makes."""
    behind = [*workflow.dag.bfs(workflow.dag.dependencies, job)]
    outputs = {str(file) for other in behind for file in other.output}
    inputs = {str(file) for other in behind for file in other.input}
    given = sorted(file for file in inputs - outputs if Path(file).is_file())
    brought = [download for other in behind for download in job_downloads(other)]
    return data_checksums(brought, given, Path(config["lock"]))
