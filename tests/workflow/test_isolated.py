"""A second run from scratch: files by HTTP, jobs without network, one core, another order, tokens about.

Its tables must be those of the first run, byte by byte, and no token may be found anywhere.
"""

import json
import shutil
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from conftest import ROOT, TABLE, copy_project, planned_jobs

pytestmark = pytest.mark.workflow
TOKENS = {"HF_TOKEN": "hf_plantedForTheHub", "HUGGING_FACE_HUB_TOKEN": "hf_plantedAnother"}
PASSWORD = "plantedInTheMirror"
GUARD = Path(__file__).parent / "guard"
PROVENANCE = "results/provenance.json"
SMALLEST = str(ROOT / "tests/workflow/smallest.yaml")
LEXICON = "results/lexica/muse/qaa-qab.parquet"
DOWNLOADS = ["--until", "download_dataset", "download_given", "download_encoder"]  # as `make fetch`


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a word."""

    def log_message(self, *_):
        pass


class Boasting(Quiet):
    """Says of every file that it has a petabyte."""

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", str(10**15))
        self.end_headers()


@contextmanager
def serving(folder, handler=Quiet):
    """Serve a folder on a port of this machine; yields the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@pytest.fixture(scope="module")
def first(tmp_path_factory, seeded):
    """The project after a run on all cores; its world serves the other runs."""
    project = seeded(tmp_path_factory.mktemp("first"))
    project.tiny(SMALLEST, target="all")
    return project


@pytest.fixture(scope="module")
def isolated(first, tmp_path_factory):
    """The project after a second run, with what its jobs did about the network and all that was printed."""
    project = copy_project(tmp_path_factory.mktemp("isolated"))
    notes = tmp_path_factory.mktemp("notes") / "notes"
    # The guard acts when a Python starts: every job must have one of its own.
    variables = {**TOKENS, "PYTHONPATH": str(GUARD), "NETWORK_NOTES": str(notes), "XSTITCH_WARM_START": "0"}
    otherwise = ["--cores", "1", "--prioritize", "results/scores/rr-softmax/taxi1500/qaa.tsv"]
    with serving(first.folder / "results/world") as address:
        output = project.tiny(SMALLEST, *otherwise, *places(address), target="all", variables=variables)
    (project.folder / "output.txt").write_text(output, encoding="utf-8")
    shutil.copyfile(notes, project.folder / "notes.txt")
    return project


def places(mirror):
    """Settings that say where data come from."""
    return ["--config", f"mirror={mirror}", "lock=lock.tsv"]


def contents(project, pattern):
    """Checksums of files by their paths."""
    files = (file for file in project.folder.glob(pattern) if file.is_file())
    return {str(f.relative_to(project.folder)): sha256(f.read_bytes()).hexdigest() for f in files}


def test_only_downloads_had_the_network(isolated):
    notes = [line.split() for line in (isolated.folder / "notes.txt").read_text().splitlines()]
    guarded = {rule for what, rule, *_ in notes if what == "guarded"}
    assert {"sample_corpus", "pretrain_encoder", "finetune_model", "evaluate_models", "make_table"} <= guarded
    assert not any(rule.startswith("download_") for rule in guarded)
    assert [note for note in notes if note[0] != "guarded"] == []
    assert "to download: " in (isolated.folder / "output.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "pattern", ["results/tables/**/*.tsv", "results/scores/**/*.tsv", "results/models/**/*.safetensors"]
)
def test_results_are_the_same_byte_by_byte(first, isolated, pattern):
    made = contents(isolated, pattern)
    assert made
    assert made == contents(first, pattern)


def test_provenance_is_that_of_the_first_run_and_names_code_settings_packages_and_data(first, isolated):
    assert (isolated.folder / PROVENANCE).read_bytes() == (first.folder / PROVENANCE).read_bytes()
    record = json.loads((isolated.folder / PROVENANCE).read_text(encoding="utf-8"))
    table = record["tables"][TABLE]
    assert table["sha256"] == sha256((isolated.folder / TABLE).read_bytes()).hexdigest()
    described = record["environments"][table["environment"]]
    assert described["scale"] == "mini"
    assert described["code"] is None  # a copy outside any repository
    assert {"torch", "transformers", "numpy"} <= {
        n for n, version in described["packages"].items() if version
    }
    lock = [line.split("\t") for line in (isolated.folder / "lock.tsv").read_text().splitlines()[1:]]
    locked = {url: checksum for url, checksum, _ in lock}
    data = table["data"]
    assert {url: data[url] for url in data if "://" in url} == locked
    assert "config/reference/mosecrot.tsv" in data
    assert str(isolated.folder) not in (isolated.folder / PROVENANCE).read_text(encoding="utf-8")


def test_another_mirror_downloads_nothing_again(isolated):
    output = isolated.tiny(SMALLEST, "-n", *places("http://host.example"))
    assert planned_jobs(output) == {}


def test_no_token_is_found_anywhere(isolated):
    arguments = [SMALLEST, "--report", "report.html", *places("http://host.example")]
    isolated.tiny(*arguments, target="all", variables=TOKENS)
    for file in (file for file in isolated.folder.rglob("*") if file.is_file()):
        content = file.read_bytes()
        assert not any(token.encode() in content for token in TOKENS.values()), file


def test_a_password_in_the_mirrors_address_is_refused_and_kept_nowhere(clone):
    mirror = f"mirror=https://me:{PASSWORD}@host.example"
    output = clone.snakemake(TABLE, "--config", mirror, check=False)
    assert "error: config: mirror: https://host.example: must not have a password" in output
    kept = [
        file for file in clone.folder.rglob("*") if file.is_file() and PASSWORD.encode() in file.read_bytes()
    ]
    assert PASSWORD not in output
    assert kept == []


def test_fetch_brings_what_a_target_needs_and_nothing_else(first, tmp_path):
    project = copy_project(tmp_path / "project")
    with serving(first.folder / "results/world") as address:
        output = project.tiny(*DOWNLOADS, *places(address), target=LEXICON)
    (file,) = contents(project, "resources/**/*")
    size = (project.folder / file).stat().st_size
    assert file == "resources/muse/2017/qaa-qab.txt"
    assert f"to download: 1 files, {size / 1e3:.1f} kB\n" in output
    assert not (project.folder / "results").exists()
    # What was fetched is enough: the server is gone.
    project.tiny(*places(address), target=LEXICON)
    assert (project.folder / LEXICON).is_file()


def test_a_disk_too_small_is_refused_before_anything_runs(first, tmp_path):
    project = copy_project(tmp_path / "project")
    with serving(first.folder / "results/world", Boasting) as address:
        arguments = [LEXICON, *DOWNLOADS, "--configfile", "tests/workflow/tiny.yaml"]
        output = project.snakemake(*arguments, *places(address), check=False)
    assert "error: downloads need 1000000.0 GB, but only " in output
    assert "Traceback" not in output
    assert contents(project, "resources/**/*") == {}
    assert not list((project.folder / ".snakemake/locks").glob("*"))
