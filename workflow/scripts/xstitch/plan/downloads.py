"""Files that are downloaded or copied: their paths, where they come from, and which are unavailable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xstitch.core.errors import InputError
from xstitch.plan.given import DOWNLOADS, given_path
from xstitch.plan.run import WORLD, Run, Wildcards
from xstitch.sources.fetch import local
from xstitch.sources.fetch.addresses import head_address, mirrored, split_head
from xstitch.sources.fetch.datasets import head_path, split_path
from xstitch.sources.fetch.download import model_addresses
from xstitch.sources.fetch.forecast import Download

MEMBERS = ".members/"  # between an archive and the name of a file in it


def unobtainable(run: Run, dataset: str, file: str) -> str:
    """Say why a file of a data set is unavailable; empty if it is available."""
    entry, folder = run.datasets[dataset], run.config["local"].get(dataset, "")
    if entry.url and not folder:
        mirror_file = mirrored(entry.address(file), run.config["mirror"])
        if mirror_file.startswith(WORLD) and mirror_file.removeprefix(WORLD) not in run.world_files:
            return f"{dataset}: the mini world has no {file}; name your own file, or another `mirror`"
    return local.unobtainable(entry, file, folder, run.config["mirror"])


def resource(run: Run, dataset: str, file: str, head: int | None = None) -> str:
    """The path of a downloaded file, or of its head; refuse an unavailable one before anything starts."""
    if problem := unobtainable(run, dataset, file):
        raise InputError(problem)
    return f"resources/{dataset}/{run.datasets[dataset].version}/{head_path(file, head)}"


def unpacked(run: Run, dataset: str, member: str, archive: str = "") -> str:
    """The path of a file from a downloaded archive; `archive` is one of several, or inside another."""
    file = f"{archive}{MEMBERS}{member}" if archive else member
    return f"resources/unpacked/{dataset}/{run.datasets[dataset].version}/{file}"


def archive_file(run: Run, wildcards: Wildcards) -> str:
    """The archive that a file is unpacked from."""
    dataset, url = wildcards.dataset, run.datasets[wildcards.dataset].url
    outer = wildcards.member.rpartition(MEMBERS)[0]
    if not outer:
        return resource(run, dataset, url.rpartition("/")[2])
    return resource(run, dataset, outer) if "{file}" in url else unpacked(run, dataset, outer)


def archive_member(_: Run, wildcards: Wildcards) -> str:
    """The name of an unpacked file inside its archive."""
    return wildcards.member.rpartition(MEMBERS)[2]


def download_address(run: Run, wildcards: Wildcards) -> str:
    """The address of a file or its head; empty if the data set is in a local folder or has no address."""
    dataset, (file, head) = run.datasets[wildcards.dataset], split_path(wildcards.file)
    fetched = dataset.url and not local_folder(run, wildcards)
    return head_address(dataset.address(file), head) if fetched else ""


def local_folder(run: Run, wildcards: Wildcards) -> str:
    """The folder of the user's copy of a data set; empty if there is none."""
    return run.config["local"].get(wildcards.dataset, "")


def known_checksum(run: Run, wildcards: Wildcards) -> str:
    """The SHA-256 that config/datasets.tsv expects of a data set's file; empty if it gives none."""
    return run.datasets[wildcards.dataset].sha256


def given_address(run: Run, wildcards: Wildcards) -> str:
    """The address that the configuration gives for a file."""
    return run.given[f"{DOWNLOADS}/{wildcards.address}"]


def local_note(run: Run, wildcards: Wildcards) -> str:
    """What to tell a user who must provide a data set; empty if its files have addresses."""
    return "" if download_address(run, wildcards) else run.datasets[wildcards.dataset].note


def mirrored_input(run: Run, wildcards: Wildcards) -> str | list[str]:
    """The mini world's file that replaces a download; files of other mirrors are not outputs of rules."""
    url, _ = split_head(download_address(run, wildcards))
    file = mirrored(url, run.config["mirror"]) if url else ""
    return file if file.startswith(WORLD) else []


def given(key: str, files: Mapping[str, str], lang: str) -> str | None:
    """The path of the file that the configuration gives for a language; None if it gives none."""
    return given_path(files[lang], f"{key}.files.{lang}") if lang in files else None


def downloads_of(run: Run, rule: str, wildcards: Wildcards, output: Sequence[str]) -> list[Download]:
    """What a job downloads or copies: addresses, or files of a local folder, with their target paths."""
    if rule == "download_dataset":
        folder, (file, _) = local_folder(run, wildcards), split_path(wildcards.file)
        source = local.find_local(folder, file) if folder else download_address(run, wildcards)
        return [Download(str(source), output[0])] if source else []
    if rule == "download_given":
        return [Download(run.given[output[0]], output[0])]
    if rule == "download_encoder":
        encoder = run.encoders[wildcards.encoder]
        addresses = model_addresses(encoder["repo"], encoder["revision"], encoder["files"])
        return [Download(url, f"{output[0]}/{file}") for file, url in addresses.items()]
    return []


def require_address(run: Run, rule: str, wildcards: Wildcards, output: Sequence[str]) -> None:
    """Refuse to start while a file is missing that only the user can provide; plans do not need it."""
    if rule == "download_dataset" and not downloads_of(run, rule, wildcards, output):
        dataset = run.datasets[wildcards.dataset]
        raise InputError(local.only_local(dataset.dataset, wildcards.file, dataset.note))


@dataclass(frozen=True)
class RunPlaces:
    """The paths of a run's data sets, for readers of tasks (xstitch.sources.tasks.places)."""

    run: Run

    @property
    def source(self) -> str:
        """The language that has a model and labels."""
        return self.run.source

    @property
    def languages(self) -> Mapping[str, Mapping[str, str]]:
        """What is known of every language."""
        return self.run.languages

    def version(self, dataset: str) -> str:
        """The version of a data set."""
        return self.run.datasets[dataset].version

    def copied(self, dataset: str, file: str) -> bool:
        """Whether the folder that the user named for a data set has a file."""
        folder = self.run.config["local"].get(dataset, "")
        return bool(folder and local.find_local(folder, file))

    def resource(self, dataset: str, file: str) -> str:
        """The path of a downloaded file."""
        return resource(self.run, dataset, file)

    def unpacked(self, dataset: str, member: str, archive: str = "") -> str:
        """The path of a file from an archive."""
        return unpacked(self.run, dataset, member, archive)
