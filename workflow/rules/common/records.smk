"""What a run is about to download, costs and does without, and what it records about its tables. No rules here."""


def job_downloads(job):
    """Return what a job downloads, and where to."""
    return downloads.downloads_of(RUN, job.rule.name, job.wildcards, job.output)


def announce_downloads():
    """List the downloads to come; end the run if the disk lacks room for them or a file has no address."""
    jobs = [job for job in workflow.dag.needrun_jobs() if not mini_world(job)]
    for job in jobs:
        checked(downloads.require_address, RUN, job.rule.name, job.wildcards, job.output)
    if wanted := sorted(download for job in jobs for download in job_downloads(job)):
        checked(announce, wanted, config["mirror"], Path(config["lock"]))


def announce_weaknesses():
    """Say what the jobs to come do without; end the run if that is impossible."""
    jobs = [*workflow.dag.needrun_jobs()]
    for job in jobs:
        checked(segmentation.require_tools, RUN, job.rule.name, job.wildcards)
    for warning in weaknesses(jobs):
        print(f"warning: {warning}", file=sys.stderr)


def weaknesses(jobs):
    """Return what jobs do without, in words: tools that split text, updates."""
    warnings = set()
    for job in jobs:
        warnings.update(segmentation.replaced_tools(RUN, job.rule.name, job.wildcards))
        warnings.add(checked(few_updates, RUN, job.rule.name, job.wildcards))
    return sorted(filter(None, warnings))


def announce_costs():
    """Say in one line what the jobs to come cost."""
    jobs = [PlannedJob(job.rule.name, dict(job.wildcards.items())) for job in workflow.dag.needrun_jobs()]
    costs = checked(estimate, RUN, jobs, rule_stages(ROOT), usual_gpu(), {}, starts_warm())
    print(checked(one_line, costs), file=sys.stderr)


def mini_world(job):
    """Tell whether a job only copies what the run itself generates."""
    return chains.is_generated(job.input)


def record_provenance():
    """Record what the tables of this run were made from; a run without tables records nothing."""
    data_by_table = {}
    for job in workflow.dag.jobs:
        if tables_made := [
            str(file) for file in job.output if re.fullmatch(r"results/tables/.*\.tsv", str(file))
        ]:
            data_by_table.update(dict.fromkeys(tables_made, data_of(job)))
    if data_by_table:
        checked(update_provenance, Path("results/provenance.json"), data_by_table, environment(config, ROOT))


def data_of(job):
    """Return the checksums of all data behind a job: downloads of all chains, and files that no job makes."""
    ancestors = [*workflow.dag.bfs(workflow.dag.dependencies, job)]
    outputs = {str(file) for other in ancestors for file in other.output}
    inputs = {str(file) for other in ancestors for file in other.input}
    given = sorted(file for file in inputs - outputs if Path(file).is_file())
    downloaded = [download for other in ancestors for download in job_downloads(other)]
    return chain_checksums(downloaded, given, config["lock"])
