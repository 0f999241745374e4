"""Provenance: the same state gives the same bytes; unchanged tables of other runs stay on record."""

import hashlib
import json
import subprocess

import pytest

from xstitch.plan.provenance import (
    chain_checksums,
    code_version,
    config_digest,
    data_checksums,
    package_versions,
    update,
)
from xstitch.sources.fetch.forecast import Download
from xstitch.sources.fetch.lock import Entry, record

HELLO = hashlib.sha256(b"hello").hexdigest()


def git(folder, *arguments):
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commit_and_whether_files_differ_from_it(folder):
    assert code_version(folder) is None
    git(folder, "init", "-q")
    (folder / "a").write_text("1")
    git(folder, "add", "a")
    git(folder, "commit", "-qm", "first")
    clean = code_version(folder)
    assert len(clean["commit"]) == 40
    assert not clean["dirty"]
    (folder / "a").write_text("2")
    assert code_version(folder) == {**clean, "dirty": True}
    (folder / "inside").mkdir()
    assert code_version(folder / "inside") is None  # not the root of the repository


def test_where_data_come_from_is_not_part_of_the_digest():
    config = {"seed": 1, "mirror": "a", "lock": "b", "local": {}}
    assert config_digest(config) == config_digest(
        {**config, "mirror": "https://x.example", "local": {"marc": "y"}}
    )
    assert config_digest(config) == config_digest(dict(reversed(config.items())))
    assert config_digest(config) != config_digest({**config, "seed": 2})


def test_versions_are_those_installed(folder):
    (folder / "e.yaml").write_text("- pip:\n  - pytest==1.0\n  - no-such-package==2.0\n")
    assert package_versions([folder / "e.yaml"]) == {"no-such-package": None, "pytest": pytest.__version__}


def test_checksums_come_from_the_lock_or_from_the_files(folder):
    record(folder / "lock.tsv", Entry("https://h.example/a", "a" * 64, 5))
    (folder / "own.txt").write_bytes(b"hello")
    record(folder / "lock.tsv", Entry("https://h.example/c#bytes=0-9", "c" * 64, 10))
    downloads = [
        Download("https://h.example/a#bytes=0-9", "resources/a"),  # whole, because it is shorter
        Download("/elsewhere/b", "own.txt"),
        Download("https://h.example/c#bytes=0-9", "resources/c"),
    ]
    checksums = data_checksums(downloads, [str(folder / "own.txt")], folder / "lock.tsv")
    elsewhere = "/".join((folder / "own.txt").parts[-3:])
    assert checksums == {
        "https://h.example/a": "a" * 64,
        "https://h.example/c#bytes=0-9": "c" * 64,
        "own.txt": HELLO,
        elsewhere: HELLO,
    }


def test_every_chain_has_a_lock_of_its_own(folder):
    (folder / "chains/2").mkdir(parents=True)
    for place, letter in (("", "a"), ("chains/2/", "b")):
        record(folder / f"{place}lock.tsv", Entry("https://h.example/a", letter * 64, 1))
    downloads = [Download("https://h.example/a", f"{place}resources/a") for place in ("chains/2/", "")]
    (folder / "own.txt").write_bytes(b"hello")
    assert chain_checksums(downloads, ["own.txt"], "lock.tsv") == {
        "https://h.example/a": "a" * 64,
        "chains/2/https://h.example/a": "b" * 64,
        "own.txt": HELLO,
    }


def test_tables_of_other_runs_stay_on_record_until_they_change(folder):
    file = folder / "provenance.json"
    for name in ("one", "two"):
        (folder / name).write_bytes(b"hello")
    update(file, {"one": {}}, {"config": "first"})
    update(file, {"two": {"d": HELLO}}, {"config": "second"})
    both = json.loads(file.read_text())
    assert both["tables"]["two"] == {
        "sha256": HELLO,
        "environment": both["tables"]["two"]["environment"],
        "data": {"d": HELLO},
    }
    described = [both["environments"][both["tables"][name]["environment"]] for name in ("one", "two")]
    assert described == [{"config": "first"}, {"config": "second"}]
    before = file.read_bytes()
    update(file, {"two": {"d": HELLO}}, {"config": "second"})
    assert file.read_bytes() == before
    (folder / "one").write_bytes(b"other")
    update(file, {"two": {"d": HELLO}}, {"config": "second"})
    left = json.loads(file.read_text())
    assert left["tables"].keys() == {"two"}
    assert len(left["environments"]) == 1
