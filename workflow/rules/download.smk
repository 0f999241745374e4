"""Downloads: the only rules that touch the network, run on the submitting host.

INPUTS   config/datasets.tsv; the mirror's files if the key `mirror` is a folder
OUTPUTS  files    = resources/{dataset}/{version}/{file}
         given    = resources/given/{address}, for addresses in the configuration
         unpacked = resources/unpacked/{dataset}/{version}/{member}; {archive}.members/{member} if the archive is one of
                    several files or inside another
         encoders = results/encoders/{encoder}/

Of a text, no more is fetched than a corpus uses, its head: {file} then begins with first-BYTES/, and the address ends
in #bytes=0-LAST.

No code digests here: downloads are verified by checksum, and better code would fetch the same bytes. Mirror and
lock file are not parameters: a different source is no reason to fetch again. Scripts read them from the
configuration.
"""


localrules:
    download_dataset,
    download_given,
    extract_archive,
    download_encoder,


rule download_dataset:
    """Download one file of a data set, or copy it from the user's folder if it cannot be downloaded."""
    input:
        planned(downloads.mirrored_input),
    output:
        file="{chain}resources/{dataset}/{version}/{file}",
    log:
        "{chain}logs/download_dataset/{dataset}/{version}/{file}.log",
    wildcard_constraints:
        file=r"[\w-][\w./-]*",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=720,
    params:
        url=planned(downloads.download_address),
        note=planned(downloads.local_note),
        sha256=planned(downloads.known_checksum),
        local=planned(downloads.local_folder),
    script:
        "../scripts/download_dataset.py"


rule download_given:
    """Download a file whose address is in the configuration."""
    output:
        file=f"{DOWNLOADS}/{{address}}",
    log:
        "logs/download_given/{address}.log",
    wildcard_constraints:
        address="|".join(re.escape(file.removeprefix(f"{DOWNLOADS}/")) for file in RUN.given) or "none",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=720,
    params:
        url=planned(downloads.given_address),
    script:
        "../scripts/download_given.py"


rule extract_archive:
    """Unpack one member of a downloaded archive."""
    input:
        archive=planned(downloads.archive_file),
    output:
        file="{chain}resources/unpacked/{dataset}/{version}/{member}",
    log:
        "{chain}logs/extract_archive/{dataset}/{version}/{member}.log",
    wildcard_constraints:
        member=r"[\w-][\w./-]*",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=60,
    params:
        member=planned(downloads.archive_member),
    script:
        "../scripts/extract_archive.py"


rule download_encoder:
    """Download a model from the hub: a pinned revision, safetensors only, as a complete folder."""
    output:
        folder=directory("results/encoders/{encoder}"),
    log:
        "logs/download_encoder/{encoder}.log",
    wildcard_constraints:
        encoder=names("encoders", origin=["download"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=240,
    params:
        repo=entry("encoder", "repo"),
        revision=entry("encoder", "revision"),
        files=entry("encoder", "files"),
    script:
        "../scripts/download_encoder.py"
