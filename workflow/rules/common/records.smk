"""What a run is going to download, and what it notes of where its tables come from. No rules here."""


def downloads_of(job):
    """What a download job brings: addresses, or files of a local folder, and the places they get."""
    if job.rule.name == "download_dataset":
        dataset, file = job.wildcards.dataset, job.wildcards.file
        folder = config["local"].get(dataset, "")
        source = local.find_local(folder, file) if folder else address(job.wildcards)
        return [Download(str(source), job.output[0])] if source else []
    if job.rule.name == "download_given":
        return [Download(GIVEN[job.output[0]], job.output[0])]
    if job.rule.name == "download_encoder":
        encoder = config["encoders"][job.wildcards.encoder]
        addresses = model_addresses(encoder["repo"], encoder["revision"], encoder["files"])
        return [Download(url, f"{job.output[0]}/{file}") for file, url in addresses.items()]
    return []


def announce_downloads():
    """List what is to be downloaded; end a run that the disk has no room for, or a file no address."""
    jobs = [job for job in workflow.dag.needrun_jobs() if not mini_world(job)]
    for job in jobs:
        refuse_without_address(job)
    if downloads := sorted(download for job in jobs for download in downloads_of(job)):
        checked(announce, downloads, config["mirror"], Path(config["lock"]))


def refuse_without_address(job):
    """End a run that waits for a file which only the user can bring: a plan may be looked at without it."""
    if job.rule.name == "download_dataset" and not downloads_of(job):
        dataset = DATASETS[job.wildcards.dataset]
        refuse(local.only_local(dataset.dataset, job.wildcards.file, dataset.note))


def mini_world(job):
    """Whether a job only copies what the run itself generates."""
    return any(str(file).startswith(WORLD) for file in job.input)


def record_provenance():
    """Note what the tables of this run were made of; a run without tables notes nothing."""
    made = {}
    for job in workflow.dag.jobs:
        if tables := [str(file) for file in job.output if re.fullmatch(r"results/tables/.*\.tsv", str(file))]:
            made.update(dict.fromkeys(tables, data_of(job)))
    if made:
        checked(update_provenance, Path("results/provenance.json"), made, environment(config, ROOT))


def data_of(job):
    """Checksums of all data behind a job: downloads, and files that no job makes."""
    behind = [*workflow.dag.bfs(workflow.dag.dependencies, job)]
    outputs = {str(file) for other in behind for file in other.output}
    inputs = {str(file) for other in behind for file in other.input}
    own = sorted(file for file in inputs - outputs if Path(file).is_file())
    downloads = [download for other in behind for download in downloads_of(other)]
    return data_checksums(downloads, own, Path(config["lock"]))
