"""The mirror: for every address that a plan downloads a generated file in the real format.

The generators of the mini world are not used for texts: its sentences have five to fifteen words, and what is
measured here depends on texts that are as long as models read.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from data_sets import DATA_SETS
from model_folders import ENCODERS, write_encoder
from planning import Job
from vector_files import write_fasttext, write_text, write_word2vec

from xstitch.plan.downloads import downloads_of
from xstitch.plan.run import Run
from xstitch.sources.fetch.addresses import mirrored, split_head
from xstitch.sources.fetch.datasets import split_path

FOLDERS = {
    "models/roberta-base-bne": "roberta-base-bne",
    "models/vit-small-patch16-224": "vit-small-patch16-224",
}
BINARIES = {  # files that the configuration names: language, dimensions, words
    "models/GoogleNews-vectors-negative300.bin": ("en", 300, 3_000_000),
    "local/x2s.en.bin": ("en", 768, 200_000),
    "local/x2s.de.bin": ("de", 768, 200_000),
}
VERSES = [
    f"local/taxi1500/{lang}_{split}.tsv" for lang in ("de", "nds") for split in ("train", "dev", "test")
]


def name_own_files(folder: Path) -> None:
    """Make empty files where a plan looks for files that the user provides."""
    own = [*BINARIES, *VERSES]
    own += [f"{path}/{name}" for path in FOLDERS for name in ("config.json", "model.safetensors")]
    own += ["models/roberta-base-bne/tokenizer.json", "models/vit-small-patch16-224/preprocessor_config.json"]
    for name in own:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if not (folder / name).exists():  # what is newer than what was made of it is used again
            (folder / name).touch()


def write_mirror(folder: Path, run: Run, jobs: Iterable[Job]) -> None:
    """Write what the jobs download, and the user's own files, unless they are there already."""
    jobs = list(jobs)
    read = {name for job in jobs for name in job.input}
    for name, shape in BINARIES.items():
        if name in read and not (folder / name).stat().st_size:
            write_word2vec(folder / name, *shape)
    for name in VERSES:
        if not (folder / name).stat().st_size:
            (folder / name).write_bytes(DATA_SETS["taxi1500-corpus"](Path(name).name))
    for name, encoder in FOLDERS.items():
        if f"{name}/config.json" in read:
            _fill(folder / name, encoder)
    for place, job in places(run, jobs).items():
        if job.rule == "download_encoder":
            _fill((folder / place).parent, run.encoders[job.wildcards.encoder]["repo"].rpartition("/")[2])
        else:
            _write(folder / place, job)


def places(run: Run, jobs: Iterable[Job]) -> dict[str, Job]:
    """Where the mirror has each file that the jobs download, with one of these jobs.

    Files are generated whole: of one whose head is asked for, the download takes the head.
    """
    sources = (
        (download.source, job)
        for job in jobs
        for download in downloads_of(run, job.rule, job.wildcards, job.output)
    )
    return {
        mirrored(split_head(source)[0], run.config["mirror"]): job
        for source, job in sources
        if "://" in source
    }


def is_vectors(path: Path) -> bool:
    """Whether a file has fastText's vectors as text, packed or not."""
    return ".vec" in path.suffixes


def _fill(folder: Path, encoder: str) -> None:
    if not (folder / "model.safetensors").exists() or not (folder / "model.safetensors").stat().st_size:
        shutil.rmtree(folder, ignore_errors=True)
        write_encoder(folder, ENCODERS[encoder])


def _write(path: Path, job: Job) -> None:
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    if job.rule == "download_given":
        write_fasttext(part, "nds")
    elif is_vectors(path):
        write_text(part, path.name.split(".")[1])
    else:
        file, _ = split_path(job.wildcards.file)
        part.write_bytes(DATA_SETS[job.wildcards.dataset](file))
    part.rename(path)
