"""Downloads of which only the head is wanted: cut, resumed, verified, never confused with a broken one."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import namedtuple
from pathlib import Path

import pytest
from download_bench import DATA, PATH, SCRIPTS, URL, Bench
from flaky_server import FlakyServer, Served

from xstitch.core.errors import InputError
from xstitch.sources.fetch.addresses import head_address, split_head
from xstitch.sources.fetch.lock import Entry, locked, read_lock, record
from xstitch.sources.text_files import open_text

HEAD = 300_000
ADDRESS = "https://data.example/set/file.dat#bytes=0-299999"
KEPT = hashlib.sha256(DATA[:HEAD]).hexdigest()
TEXT = "".join(f"ligne {number}, où {number * number % 97} mots\n" for number in range(40)).encode()
XZ_URL, XZ_PATH = "https://data.example/t.txt.xz", "/data.example/t.txt.xz"


def test_the_address_of_a_head_has_its_range() -> None:
    assert head_address(URL, HEAD) == ADDRESS and head_address(URL, None) == URL
    assert split_head(ADDRESS) == (URL, HEAD) and split_head(URL) == (URL, None)


def test_no_more_than_the_head_is_fetched_and_its_checksum_recorded(
    server: FlakyServer, bench: Bench
) -> None:
    server.files[PATH] = Served(DATA)
    bench.fetch(ADDRESS)
    assert bench.target.read_bytes() == DATA[:HEAD] and bench.left() == ["file.dat"]
    assert server.sent[PATH] == HEAD and server.asked[0].headers["Range"] == "bytes=0-299999"
    assert bench.lock.read_text() == f"url\tsha256\tsize\n{ADDRESS}\t{KEPT}\t{HEAD}\n"


def test_the_next_run_verifies_the_head_and_nothing_behind_it(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA)
    bench.fetch(ADDRESS)
    server.files[PATH] = Served(DATA[:HEAD] + b"other", etag='"v2"')
    bench.fetch(ADDRESS)
    bench.target.unlink()
    server.files[PATH] = Served(b"x" + DATA[1:], etag='"v3"')
    message = bench.refused(ADDRESS)
    assert message.startswith(f"{ADDRESS}: sha256 should be {KEPT} but is ") and "delete its line" in message
    assert bench.left() == []


def test_dropped_connections_resume_within_the_head(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[150_000, 100_000])
    bench.fetch(ADDRESS)
    assert bench.target.read_bytes() == DATA[:HEAD]
    assert [request.status for request in server.asked] == [206, 206, 206]
    assert all(request.headers["Range"].endswith("-299999") for request in server.asked)
    assert all(request.headers["If-Range"] == '"v1"' for request in server.asked[1:])
    assert server.sent[PATH] < HEAD + 2 * (1 << 16)


def test_a_killed_job_resumes_within_the_head(server: FlakyServer, bench: Bench) -> None:
    stall = threading.Event()
    served = server.files[PATH] = Served(DATA, drops=[270_000], stall=stall)
    code = (
        "import sys; from pathlib import Path; from xstitch.sources.fetch.download import fetch;"
        "fetch(sys.argv[1], Path(sys.argv[2]), mirror=sys.argv[3], lock=Path(sys.argv[4]))"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, ADDRESS, bench.target, server.address, bench.lock],
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)},
        stderr=subprocess.DEVNULL,
    )
    part = bench.target.with_name("file.dat.part")
    deadline = time.monotonic() + 60
    while (not part.exists() or part.stat().st_size < 4 << 16) and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    stall.set()
    assert bench.left() == ["file.dat.part", "file.dat.part.json"]
    saved = part.stat().st_size
    served.stall = None
    bench.fetch(ADDRESS)
    assert server.asked[-1].status == 206 and server.asked[-1].sent == HEAD - saved
    assert bench.target.read_bytes() == DATA[:HEAD] and read_lock(bench.lock)[ADDRESS].sha256 == KEPT


def test_a_server_without_ranges_starts_over_and_is_cut_off(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[200_000], ranges=False)
    bench.fetch(ADDRESS)
    assert [request.status for request in server.asked] == [200, 200]
    assert bench.target.read_bytes() == DATA[:HEAD]
    assert read_lock(bench.lock) == {ADDRESS: Entry(ADDRESS, KEPT, HEAD)}


def test_a_server_that_sends_shorter_ranges_is_asked_again(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, longest=120_000)
    bench.fetch(ADDRESS)
    assert [request.sent for request in server.asked] == [120_000, 120_000, 60_000]
    assert bench.target.read_bytes() == DATA[:HEAD]


def test_a_server_that_ignores_where_a_range_ends_is_cut_off(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[200_000], ends=False)
    bench.fetch(ADDRESS)
    assert [request.status for request in server.asked] == [206, 206]
    assert bench.target.read_bytes() == DATA[:HEAD]


def test_an_interrupted_transfer_is_not_the_cut(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[200_000] + [0] * 5)
    assert "6 times" in bench.refused(ADDRESS)
    assert bench.left() == ["file.dat.part", "file.dat.part.json"] and not bench.lock.exists()
    bench.fetch(ADDRESS)
    assert server.asked[-1].status == 206 and bench.target.read_bytes() == DATA[:HEAD]


@pytest.mark.parametrize("size", [10, 200, -1])
def test_a_shortened_transfer_of_unknown_length_is_not_the_cut(
    server: FlakyServer, bench: Bench, size: int
) -> None:
    packed = lzma.compress(TEXT)
    server.files[XZ_PATH] = Served(packed[:size], announce=False, ranges=False)
    assert "truncated or corrupt" in bench.refused(f"{XZ_URL}#bytes=0-{len(packed)}")
    assert bench.left() == [] and not bench.lock.exists()


def test_a_wrong_start_is_not_taken_for_the_head(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, shift=5)
    assert "does not continue the file" in bench.refused(ADDRESS)
    assert bench.left() == []


def test_a_file_shorter_than_its_head_is_whole(server: FlakyServer, bench: Bench) -> None:
    packed = gzip.compress(TEXT, mtime=0)
    server.files["/data.example/t.gz"] = Served(packed)
    url, digest = "https://data.example/t.gz", hashlib.sha256(packed).hexdigest()
    bench.fetch(f"{url}#bytes=0-{len(packed)}")
    assert bench.target.read_bytes() == packed
    assert read_lock(bench.lock) == {url: Entry(url, digest, len(packed))}
    bench.fetch(f"{url}#bytes=0-999999")  # another head of the same file: verified by the same line
    bench.fetch(url)
    assert read_lock(bench.lock) == {url: Entry(url, digest, len(packed))}
    server.files["/data.example/t.gz"] = Served(packed[:-1] + b"x", etag='"v2"')
    bench.target.unlink()
    assert digest in bench.refused(f"{url}#bytes=0-{len(packed)}")


def test_the_lock_tells_heads_and_whole_files_apart(tmp_path: Path) -> None:
    whole, head = Entry(URL, "a" * 64, 400_000), Entry(ADDRESS, "b" * 64, HEAD)
    for entry in (whole, head):
        record(tmp_path / "lock", entry)
    entries = read_lock(tmp_path / "lock")
    assert locked(entries, URL) == whole and locked(entries, ADDRESS) == head
    assert locked(entries, head_address(URL, 400_001)) == whole
    assert locked(entries, head_address(URL, 400_000)) is None  # not known to be cut or whole
    assert locked({ADDRESS: head}, URL) is None


def test_what_an_earlier_run_fetched_beyond_the_head_is_dropped(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[399_000] + [0] * 5)
    bench.refused()  # the whole file was wanted then
    asked = len(server.asked)
    bench.fetch("https://data.example/set/file.dat#bytes=0-99999")
    assert len(server.asked) == asked and bench.target.read_bytes() == DATA[:100_000]


def test_a_longer_head_continues_a_shorter_one(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[200_000] + [0] * 5)
    bench.refused("https://data.example/set/file.dat#bytes=0-249999")
    bench.fetch(ADDRESS)
    assert server.asked[-1].status == 206 and bench.target.read_bytes() == DATA[:HEAD]


def test_heads_of_a_mirror_folder_are_the_same_bytes(tmp_path: Path, bench: Bench) -> None:
    source = tmp_path / "mirror" / PATH[1:]
    source.parent.mkdir(parents=True)
    for copy in (DATA, DATA[:HEAD]):  # a whole file, and one that was cut before
        source.write_bytes(copy)
        bench.fetch(ADDRESS, mirror=str(tmp_path / "mirror"))
        assert bench.target.read_bytes() == DATA[:HEAD]
        assert read_lock(bench.lock) == {ADDRESS: Entry(ADDRESS, KEPT, HEAD)}
        bench.target.unlink()
    source.write_bytes(DATA[: HEAD - 1])
    assert KEPT in bench.refused(ADDRESS, mirror=str(tmp_path / "mirror"))


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress])
def test_a_download_cut_at_any_byte_reads_like_the_whole_file(tmp_path: Path, bench: Bench, pack) -> None:
    source = tmp_path / "mirror" / XZ_PATH[1:]
    if pack is gzip.compress:
        source = source.with_suffix(".gz")
    source.parent.mkdir(parents=True)
    source.write_bytes(pack(TEXT))
    for head in range(6, len(pack(TEXT))):
        bench.fetch(f"https://data.example/{source.name}#bytes=0-{head - 1}", mirror=str(tmp_path / "mirror"))
        assert bench.target.stat().st_size == head
        with open_text(bench.target, head) as cut, open_text(source, head) as whole:
            assert cut.read() == whole.read()


def test_a_damaged_head_is_refused(server: FlakyServer, bench: Bench) -> None:
    for body in (b"<html>sorry" + bytes(500), b"not xz" + bytes(500)):
        server.files[XZ_PATH] = Served(body, headers={"Content-Type": "text/plain"})
        message = bench.refused(f"{XZ_URL}#bytes=0-99")
        assert message.startswith(f"{XZ_URL}: ") and ("HTML" in message or "corrupt" in message)
        assert bench.left() == [] and not bench.lock.exists()


def test_the_disk_needs_room_for_the_head_only(server: FlakyServer, bench: Bench, monkeypatch) -> None:
    server.files[PATH] = Served(DATA)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1, 1, HEAD))
    bench.fetch(ADDRESS)
    bench.target.unlink()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1, 1, HEAD - 1))
    with pytest.raises(InputError, match="make room"):
        bench.fetch(ADDRESS)
