"""Unpacking: files of honest archives come out whole; malicious archives leave nothing behind."""

from __future__ import annotations

import errno
import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.fetch import archives
from xstitch.sources.fetch.archives import Limits, extract_member

FILES = {"top/a.txt": b"alpha\n", "top/deep/b.tsv": b"1\t2\n", "top/empty": b""}
FORMATS = ["x.zip", "x.tar", "x.tar.gz", "x.tgz", "x.tar.xz"]
MODES = {"x.tar": "w:", "x.tar.gz": "w:gz", "x.tgz": "w:gz", "x.tar.xz": "w:xz"}


def pack(path: Path, files: dict[str, bytes]) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, body in files.items():
                archive.writestr(name, body)
        return path
    with tarfile.open(path, MODES[path.name]) as archive:
        for name, body in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(body)
            archive.addfile(entry, io.BytesIO(body))
    return path


def refused(archive: Path, member: str, match: str, limits: Limits | None = None) -> None:
    """Check that an archive is refused, and that nothing appears next to it."""
    before = sorted(archive.parent.rglob("*"))
    with pytest.raises(InputError, match=match) as caught:
        extract_member(archive, member, archive.parent / "out", limits)
    assert "\n" not in str(caught.value) and str(archive) in str(caught.value)
    assert sorted(archive.parent.rglob("*")) == before


@pytest.mark.parametrize("name", FORMATS)
def test_members_are_extracted(tmp_path: Path, name: str) -> None:
    archive = pack(tmp_path / name, FILES)
    for number, (member, body) in enumerate(FILES.items()):
        extract_member(archive, member, tmp_path / str(number))
        assert (tmp_path / str(number)).read_bytes() == body
    with pytest.raises(InputError, match=r"no member 'top/b.tsv'.*top/deep/b.tsv"):
        extract_member(archive, "top/b.tsv", tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1", "2", name]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("member", ["../evil", "a/../../evil", "/tmp/evil", "C:/evil", "a\\..\\evil", "a//b"])
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str, member: str) -> None:
    archive = pack(tmp_path / name, {"good": b"1", member: b"2"})
    refused(archive, member, "leads outside")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        entry = tarfile.TarInfo("link")
        entry.type, entry.linkname = kind, "/etc/passwd"
        archive.addfile(entry)
    refused(tmp_path / "x.tar", "link", "link or device")


def test_links_in_a_zip_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        entry = zipfile.ZipInfo("link")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    refused(tmp_path / "x.zip", "link", "link or device")


@pytest.mark.parametrize("name", ["x.zip", "x.tar.gz", "x.tar.xz"])
def test_bombs_are_refused(tmp_path: Path, name: str) -> None:
    archive = pack(tmp_path / name, {"a": bytes(2_000_000), "b": bytes(2_000_000)})
    refused(archive, "b", "more than", Limits(ratio=100, harmless=1000))
    refused(archive, "b", "more than", Limits(total=1_000_000))
    extract_member(archive, "b", tmp_path / "out")
    assert (tmp_path / "out").stat().st_size == 2_000_000


def test_a_zip_that_declares_less_than_it_contains_is_refused(tmp_path: Path) -> None:
    archive = pack(tmp_path / "x.zip", {"a": bytes(5_000_000)})
    lie = archive.read_bytes().replace((5_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    archive.write_bytes(lie)
    refused(archive, "a", "cannot be unpacked")


@pytest.mark.parametrize("name", FORMATS)
def test_truncated_archives_are_refused(tmp_path: Path, name: str) -> None:
    archive = pack(tmp_path / name, {"a": bytes(range(256)) * 400})
    archive.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])
    refused(archive, "a", "cannot be unpacked|cut short")


def test_a_file_that_is_not_an_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"hello")
    refused(tmp_path / "x.zip", "a", "cannot be unpacked")


def test_a_full_disk_is_not_the_archives_fault(tmp_path: Path, monkeypatch) -> None:
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    archive = pack(tmp_path / "x.zip", {"a": b"1"})
    monkeypatch.setattr(archives, "chunks", full)
    with pytest.raises(OSError, match="No space left on device"):
        extract_member(archive, "a", tmp_path / "out")
