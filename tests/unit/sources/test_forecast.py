"""Sizes of downloads: known ones are looked up, servers asked for others; too large ones are refused."""

import shutil
from collections import namedtuple
from pathlib import Path

import pytest
from flaky_server import FlakyServer, Served

from xstitch.core.errors import InputError
from xstitch.sources.fetch.forecast import Download, Sized, check_room, find_sizes, listing, shown_size
from xstitch.sources.fetch.http import Token
from xstitch.sources.fetch.lock import Entry, record

URL = "https://host.example/data/v.vec"
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def lock(tmp_path):
    return tmp_path / "lock.tsv"


@pytest.fixture
def free(monkeypatch):
    """Pretend that the disk has ten free kilobytes."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**6, 0, 10_000))


def sizes(*sources, mirror="", lock):
    downloads = [Download(source, "x") for source in sources]
    return [size for _, size in find_sizes(downloads, mirror, lock, Token())]


def test_a_known_file_is_not_asked_for(lock):
    record(lock, Entry(URL, "a" * 64, 123))
    assert sizes(URL, mirror="http://127.0.0.1:9", lock=lock) == [123]


def test_sizes_in_folders_are_looked_up(tmp_path, lock):
    file = tmp_path / "mirror/host.example/data/v.vec"
    file.parent.mkdir(parents=True)
    file.write_bytes(bytes(77))
    assert sizes(URL, f"{URL}x", str(file), mirror=str(tmp_path / "mirror"), lock=lock) == [77, None, 77]


def test_servers_are_asked_for_sizes_and_may_be_silent(lock):
    server = FlakyServer()
    server.files["/host.example/data/v.vec"] = Served(bytes(4321))
    assert sizes(URL, f"{URL}x", mirror=server.address, lock=lock) == [4321, None]
    assert sorted(request.status for request in server.asked) == [200, 404]
    server.close()
    assert sizes(URL, mirror=server.address, lock=lock) == [None]


def test_of_a_head_no_more_than_its_own_size_is_fetched(tmp_path, lock):
    file = tmp_path / "mirror/host.example/data/v.vec"
    file.parent.mkdir(parents=True)
    file.write_bytes(bytes(77))
    heads = [f"{URL}#bytes=0-{head - 1}" for head in (50, 77, 100)]
    assert sizes(*heads, mirror=str(tmp_path / "mirror"), lock=lock) == [50, 77, 77]
    assert sizes(heads[0], mirror="http://127.0.0.1:9", lock=lock) == [50]  # at most, if the server is silent
    server = FlakyServer()
    server.files["/host.example/data/v.vec"] = Served(bytes(60))
    assert sizes(*heads, mirror=server.address, lock=lock) == [50, 60, 60]
    server.close()
    record(lock, Entry(URL, "a" * 64, 70))
    record(lock, Entry(heads[0], "b" * 64, 50))
    assert sizes(URL, heads[0], heads[2], mirror="http://127.0.0.1:9", lock=lock) == [70, 50, 70]


@pytest.mark.usefixtures("free")
def test_a_head_needs_only_its_own_room(tmp_path, lock):
    (tmp_path / "v.vec").write_bytes(bytes(30_000))
    download = [Download(f"{tmp_path}/v.vec#bytes=0-9999", str(tmp_path / "there"))]
    check_room(find_sizes(download, "", lock, Token()))
    with pytest.raises(InputError, match=r"^downloads need 10.0 kB, but only"):
        check_room([Sized(download[0], 10_001)])


@pytest.mark.usefixtures("free")
def test_downloads_without_room_are_refused(tmp_path):
    target = str(tmp_path / "not/yet/there.vec")
    check_room([Sized(Download(URL, target), 9_000), Sized(Download(URL, target), None)])
    two = [Sized(Download(URL, f"{target}{i}"), 6_000) for i in range(2)]
    with pytest.raises(
        InputError, match=r"^downloads need 12.0 kB, but only 10.0 kB are free in /.*; make room"
    ):
        check_room(two)
    Path(target).parent.mkdir(parents=True)
    Path(f"{target}0.part").write_bytes(bytes(3_000))  # half of the first exists
    check_room(two)


def test_the_listing_has_sizes_and_no_secrets():
    text = listing(
        [
            Sized(Download(URL, "a"), 2_500_000),
            Sized(Download("https://me:hush@host.example/b?token=hush", "b"), None),
            Sized(Download(f"{URL}#bytes=0-999999", "c"), 1_000_000),
            Sized(Download(f"{URL}#bytes=0-999999", "d"), 5_000),  # the file is shorter
        ]
    )
    assert text.splitlines() == [
        "to download: 4 files, 3.5 MB, 1 of unknown size",
        f"    2.5 MB  {URL}",
        "         ?  https://host.example/b",
        f"    1.0 MB  {URL}, its head",
        f"    5.0 kB  {URL}",
    ]


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (25 * 10**8, "2.5 GB")]
)
def test_sizes_have_units(size, text):
    assert shown_size(size) == text
