"""Downloads from a real server on loopback that drops, refuses, lies and redirects."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from base64 import b64encode
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from download_bench import DATA, DIGEST, PATH, SCRIPTS, URL, Bench
from flaky_server import FlakyServer, Served

from xstitch.core.errors import InputError
from xstitch.sources.fetch.addresses import mirrored, shown
from xstitch.sources.fetch.download import fetch_model
from xstitch.sources.fetch.http import Patience, Token
from xstitch.sources.fetch.lock import Entry, read_lock, record

COMMIT = "0123456789abcdef0123456789abcdef01234567"


# Addresses


def test_mirrors_are_laid_out_by_host_and_path() -> None:
    assert mirrored(URL, "") == URL
    assert mirrored(URL, "/srv/mirror") == "/srv/mirror/data.example/set/file.dat"
    assert mirrored(URL, "http://m.example/x/") == "http://m.example/x/data.example/set/file.dat"
    assert mirrored("https://h.example:81/a%20b", "/m") == "/m/h.example:81/a b"


@pytest.mark.parametrize(
    "url",
    [
        "https://h.example/a/../b",
        "https://h.example/a/%2e%2e/b",
        "https://h.example/a%2f..%2fb",
        "https://h.example/a?key=secret",
        "https://me:secret@h.example/a",
        "ftp://h.example/a",
        "file:///etc/passwd",
        "/etc/passwd",
        "https://h.example/a b",
    ],
)
@pytest.mark.parametrize("mirror", ["", "/m", "http://m.example"])
def test_ambiguous_and_secret_addresses_are_refused(url: str, mirror: str) -> None:
    with pytest.raises(InputError) as caught:
        mirrored(url, mirror)
    assert "secret" not in str(caught.value)


def test_secrets_are_not_shown() -> None:
    assert shown("https://me:pw@h.example:8/a/b?token=x#y") == "https://h.example:8/a/b"
    assert shown("/local/folder") == "/local/folder"


# The plain path, the lock file, checksums


def test_a_download_is_recorded_and_later_ones_verified(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA)
    bench.fetch()
    assert bench.target.read_bytes() == DATA
    assert bench.left() == ["file.dat"]
    assert bench.lock.read_text() == f"url\tsha256\tsize\n{URL}\t{DIGEST}\t{len(DATA)}\n"
    bench.fetch()
    bench.target.unlink()
    server.files[PATH] = Served(DATA[::-1])
    message = bench.refused()
    for part in (URL, DIGEST, hashlib.sha256(DATA[::-1]).hexdigest(), str(bench.lock), "delete its line"):
        assert part in message
    assert bench.left() == []


def test_a_given_checksum_is_verified(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA)
    message = bench.refused(sha256="0" * 64)
    assert "0" * 64 in message and DIGEST in message and "datasets.tsv" in message
    assert bench.left() == []
    bench.fetch(sha256=DIGEST)
    assert not bench.lock.exists()
    record(bench.lock, Entry(URL, "1" * 64, 3))
    bench.target.unlink()
    assert "in the config but" in bench.refused(sha256=DIGEST)


def test_the_lock_file_is_sorted_and_safe_with_parallel_jobs(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    entries = [Entry(f"https://h.example/{number:02}", "a" * 64, number) for number in range(24)]
    random.Random(3).shuffle(entries)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda entry: record(lock, entry), entries))
    assert list(read_lock(lock).values()) == sorted(entries)
    with pytest.raises(InputError, match="sha256 should be a"):
        record(lock, Entry("https://h.example/03", "b" * 64, 3))


@pytest.mark.parametrize(
    "line", ["<<<<<<< HEAD", "u\tshort\t3", "u\t" + "a" * 64, "u\t" + "a" * 64 + "\t-1", ""]
)
def test_a_damaged_lock_file_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "lock").write_text(f"url\tsha256\tsize\n{line}\n")
    with pytest.raises(InputError, match="lock, line 2"):
        read_lock(tmp_path / "lock")


# Mirrors


def test_files_are_copied_from_a_mirror_folder(tmp_path: Path, bench: Bench) -> None:
    source = tmp_path / "mirror" / PATH[1:]
    message = bench.refused(mirror=str(tmp_path / "mirror"))
    assert str(source) in message
    source.parent.mkdir(parents=True)
    source.write_bytes(DATA)
    bench.fetch(mirror=str(tmp_path / "mirror"))
    assert bench.target.read_bytes() == DATA and bench.target.stat().st_nlink == 1
    assert read_lock(bench.lock)[URL].sha256 == DIGEST
    bench.target.unlink()
    source.write_bytes(b"other")
    assert DIGEST in bench.refused(mirror=str(tmp_path / "mirror"))
    source.write_bytes(b"")
    assert "empty" in bench.refused(mirror=str(tmp_path / "mirror"))
    assert bench.left() == []


def test_a_mirrors_password_is_taken_from_netrc_and_never_printed(
    server: FlakyServer,
    bench: Bench,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password hush\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    server.files[PATH] = Served(DATA, script=[(503, {})])
    bench.fetch(mirror=server.address)
    assert server.asked[0].headers["Authorization"] == f"Basic {b64encode(b'me:hush').decode()}"
    printed = capfd.readouterr().err
    assert "503" in printed and "hush" not in printed


def test_a_password_in_the_mirrors_address_is_refused(bench: Bench) -> None:
    with pytest.raises(InputError, match="netrc") as caught:
        bench.fetch(mirror="http://me:hush@host.example")
    assert "hush" not in str(caught.value)


# Drops, retries, resuming


def test_dropped_connections_resume_with_range(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[150_000, 100_000])
    bench.fetch()
    assert bench.target.read_bytes() == DATA
    assert [request.status for request in server.asked] == [200, 206, 206]
    assert all(request.headers["If-Range"] == '"v1"' for request in server.asked[1:])
    # Each drop may lose the current piece, no more.
    assert server.sent[PATH] < len(DATA) + 2 * (1 << 16)
    assert len(bench.waits) == 2


def test_the_next_run_resumes_after_giving_up(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[200_000] + [0] * 5)
    message = bench.refused()
    assert "6 times" in message and "run again" in message
    assert bench.left() == ["file.dat.part", "file.dat.part.json"]
    bench.fetch()
    assert server.asked[-1].status == 206 and server.asked[-1].sent < 300_000
    assert bench.target.read_bytes() == DATA and bench.left() == ["file.dat"]


def test_a_download_resumes_by_date_if_the_tag_is_weak(server: FlakyServer, bench: Bench) -> None:
    date = "Tue, 02 Jan 2024 03:04:05 GMT"
    server.files[PATH] = Served(DATA, etag='W/"v1"', headers={"Last-Modified": date}, drops=[200_000])
    bench.fetch()
    assert server.asked[1].headers["If-Range"] == date and server.asked[1].status == 206


def test_a_download_without_ranges_starts_over(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[200_000], ranges=False)
    bench.fetch()
    assert [request.status for request in server.asked] == [200, 200]
    assert bench.target.read_bytes() == DATA


def test_without_a_validator_nothing_is_continued_or_kept(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, etag=None, drops=[200_000] * 6)
    bench.refused()
    assert all("Range" not in request.headers for request in server.asked) and len(server.asked) == 6
    assert bench.left() == []


def test_a_file_that_changed_in_between_is_not_spliced(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[200_000] + [0] * 5)
    bench.refused()
    server.files[PATH] = Served(DATA[::-1], etag='"v2"')
    bench.fetch()
    assert bench.target.read_bytes() == DATA[::-1]


def test_a_part_from_another_address_is_not_continued(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[200_000] + [0] * 5)
    bench.refused()
    server.files["/data.example/other"] = Served(DATA[::-1])
    bench.fetch("https://data.example/other")
    assert bench.target.read_bytes() == DATA[::-1]


def test_a_complete_part_is_not_requested_again(server: FlakyServer, bench: Bench, monkeypatch) -> None:
    server.files[PATH] = Served(DATA)
    with monkeypatch.context() as patch:
        patch.setattr(
            "xstitch.sources.fetch.download._verify", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        with pytest.raises(KeyboardInterrupt):
            bench.fetch()
    bench.fetch()
    assert len(server.asked) == 1 and bench.target.read_bytes() == DATA


def test_a_part_longer_than_the_file_is_discarded(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[200_000] + [0] * 5)
    bench.refused()
    bench.target.with_name("file.dat.part").write_bytes(DATA + b"more")
    bench.fetch()
    assert [request.status for request in server.asked[-2:]] == [416, 200]
    assert bench.target.read_bytes() == DATA


def test_a_wrong_range_is_not_spliced(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, drops=[200_000] + [0] * 5)
    bench.refused()
    server.files[PATH] = Served(DATA, shift=5)
    bench.fetch()
    assert [request.status for request in server.asked[-2:]] == [206, 200]
    assert bench.target.read_bytes() == DATA


def test_back_off_grows_with_jitter(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, script=[(503, {})] * 3 + [(500, {}), (522, {})])
    bench.fetch()
    assert len(bench.waits) == 5
    assert all(0.5 * 2**n <= wait <= 2**n for n, wait in enumerate(bench.waits))


def test_good_progress_renews_patience(server: FlakyServer, bench: Bench) -> None:
    data = random.Random(2).randbytes(12_000_000)
    server.files[PATH] = Served(data, drops=[1_300_000] * 8)
    bench.fetch()
    assert len(bench.waits) == 8 > bench.patience.attempts and max(bench.waits) <= 1.0
    assert bench.target.read_bytes() == data


def test_retry_after_is_respected(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, script=[(429, {"Retry-After": "37"}), (503, {"Retry-After": "soon"})])
    bench.fetch()
    assert bench.waits[0] == 37 and bench.waits[1] <= 2
    far = {"Retry-After": time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 7200))}
    bench.target.unlink()
    server.files[PATH] = Served(DATA, script=[(429, far)])
    assert "asks to wait" in bench.refused()


@pytest.mark.parametrize("status", [401, 403, 404, 410, 418])
def test_final_answers_are_not_repeated(server: FlakyServer, bench: Bench, status: int) -> None:
    server.files[PATH] = Served(DATA, script=[(status, {})])
    message = bench.refused()
    assert str(status) in message and URL in message
    assert len(server.asked) == 1 and not bench.waits and bench.left() == []


def test_a_silent_server_times_out(server: FlakyServer, bench: Bench) -> None:
    stall = threading.Event()
    server.files[PATH] = Served(DATA, drops=[200_000], stall=stall)
    bench.fetch(patience=Patience(timeout=(5.0, 1.0), sleep=bench.waits.append))
    stall.set()
    assert len(bench.waits) == 1 and bench.target.read_bytes() == DATA


def test_without_a_server_the_connection_fails(bench: Bench) -> None:
    assert "connection failed" in bench.refused(mirror="http://127.0.0.1:1")
    assert len(bench.waits) == 5


def test_a_killed_job_resumes(server: FlakyServer, bench: Bench) -> None:
    stall = threading.Event()
    served = server.files[PATH] = Served(DATA, drops=[330_000], stall=stall)
    code = (
        "import sys; from pathlib import Path; from xstitch.sources.fetch.download import fetch;"
        "fetch(sys.argv[1], Path(sys.argv[2]), mirror=sys.argv[3], lock=Path(sys.argv[4]))"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, URL, bench.target, server.address, bench.lock],
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)},
        stderr=subprocess.DEVNULL,
    )
    part = bench.target.with_name("file.dat.part")
    deadline = time.monotonic() + 60
    while (not part.exists() or part.stat().st_size < 5 << 16) and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    stall.set()
    assert bench.left() == ["file.dat.part", "file.dat.part.json"]
    saved = part.stat().st_size
    served.stall = None
    bench.fetch()
    assert server.asked[-1].status == 206 and server.asked[-1].sent == len(DATA) - saved
    assert bench.target.read_bytes() == DATA and bench.left() == ["file.dat"]


# Other content than the file


def test_html_is_refused(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, headers={"Content-Type": "text/html; charset=utf-8"})
    assert "HTML" in bench.refused() and server.sent[PATH] <= len(DATA)
    for body in (b"<!DOCTYPE html><p>log in", b"\xef\xbb\xbf\n <HTML>sorry"):
        server.files[PATH] = Served(body, headers={"Content-Type": "text/plain"})
        assert "HTML" in bench.refused()
    assert bench.left() == [] and not bench.lock.exists() and not bench.waits
    server.files["/data.example/a.html"] = Served(b"<html>ok", headers={"Content-Type": "text/html"})
    bench.fetch("https://data.example/a.html")


def test_another_encoding_is_refused(server: FlakyServer, bench: Bench) -> None:
    server.files[PATH] = Served(DATA, headers={"Content-Encoding": "br"})
    assert "encoded (br)" in bench.refused()
    packed = gzip.compress(DATA)
    server.files["/data.example/a.gz"] = Served(packed, headers={"Content-Encoding": "x-gzip"})
    bench.fetch("https://data.example/a.gz")
    assert bench.target.read_bytes() == packed


def _zip(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.txt", data)
    return stream.getvalue()


def _safetensors(size: int = 1000, declared: int = 1000) -> bytes:
    header = json.dumps({"w": {"dtype": "U8", "shape": [declared], "data_offsets": [0, declared]}}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(size)


GOOD = {
    "a.gz": gzip.compress(DATA),
    "a.tgz": gzip.compress(DATA),
    "a.xz": lzma.compress(DATA[:50_000]),
    "a.zip": _zip(DATA),
    "a.safetensors": _safetensors(),
    "a.parquet": b"PAR1" + DATA[:500] + b"PAR1",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_truncated_archive_is_refused(server: FlakyServer, bench: Bench, name: str) -> None:
    url, path = f"https://data.example/{name}", f"/data.example/{name}"
    # No length is announced, so only the archive itself shows that it is cut.
    for bad in (GOOD[name][:-7], GOOD[name][: len(GOOD[name]) // 2], GOOD[name][:5]):
        server.files[path] = Served(bad, announce=False)
        assert "truncated or corrupt" in bench.refused(url)
        assert bench.left() == [] and not bench.lock.exists()
    server.files[path] = Served(GOOD[name], announce=False)
    bench.fetch(url)
    assert bench.target.read_bytes() == GOOD[name]


@pytest.mark.parametrize("name", ["a.gz", "a.xz", "a.zip"])
def test_a_corrupt_archive_is_refused(server: FlakyServer, bench: Bench, name: str) -> None:
    bad = bytearray(GOOD[name])
    bad[len(bad) // 2] ^= 0xFF
    server.files[f"/data.example/{name}"] = Served(bytes(bad))
    assert "truncated or corrupt" in bench.refused(f"https://data.example/{name}")
    assert bench.left() == []


def test_a_full_disk_is_noticed_before_the_download(server: FlakyServer, bench: Bench, monkeypatch) -> None:
    server.files[PATH] = Served(DATA)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1, 1, 1000))
    assert "make room" in bench.refused()


# Redirects and tokens


def test_redirects_are_followed(server: FlakyServer, bench: Bench) -> None:
    server.files["/elsewhere"] = Served(DATA)
    server.files[PATH] = Served(b"", script=[(302, {"Location": "/elsewhere"})])
    bench.fetch()
    assert bench.target.read_bytes() == DATA
    loop = [(302, {"Location": PATH})] * 40
    server.files[PATH] = Served(b"", script=loop)
    bench.target.unlink()
    assert "TooManyRedirects" in bench.refused()


def test_signed_addresses_are_not_printed(server: FlakyServer, bench: Bench, capfd) -> None:
    away = {"Location": "http://127.0.0.1:1/blob?sig=hush"}
    server.files[PATH] = Served(b"", script=[(302, away)] * 6)
    message = bench.refused() + capfd.readouterr().err
    assert "connection failed" in message and "hush" not in message


def test_a_token_stays_with_its_server(server: FlakyServer, bench: Bench, monkeypatch, capfd) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cret")
    other = FlakyServer()
    try:
        other.files["/blob?sig=hush"] = Served(DATA, script=[(503, {})])
        away = {"Location": f"{other.address}/blob?sig=hush"}
        server.files["/file.dat"] = Served(b"", script=[(302, away), (302, away)])
        bench.fetch(f"{server.address}/file.dat", mirror="", token=Token("MY_TOKEN", server.address))
        assert [request.headers["Authorization"] for request in server.asked] == ["Bearer s3cret"] * 2
        assert len(other.asked) == 2 and all("Authorization" not in ask.headers for ask in other.asked)
    finally:
        other.close()
    printed = "".join(capfd.readouterr())
    assert "503" in printed and "s3cret" not in printed and "hush" not in printed


def test_a_token_is_not_sent_to_a_mirror(server: FlakyServer, bench: Bench, monkeypatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "s3cret")
    server.files["/huggingface.co/o/n/resolve/main/x"] = Served(DATA)
    bench.fetch("https://huggingface.co/o/n/resolve/main/x", token=Token())
    assert "Authorization" not in server.asked[0].headers
    assert Token().fits("https://huggingface.co/x") and not Token().fits("http://huggingface.co/x")
    assert not Token().fits("https://huggingface.co.evil.example/x") and not Token("").fits(
        "https://huggingface.co/x"
    )


# Models


MODEL = {
    "config.json": b'{"model_type": "bert"}',
    "tokenizer.json": b"{}",
    "vocab.txt": b"a\n",
    "model.safetensors": _safetensors(300_000, 300_000),
}


def _offer(server: FlakyServer, **changed: bytes) -> None:
    for name, body in (MODEL | {key.replace("__", "."): value for key, value in changed.items()}).items():
        server.files[f"/huggingface.co/o/n/resolve/{COMMIT}/{name}"] = Served(body)


def _fetch_model(bench: Bench, folder: Path, files: list[str] | None = None, revision: str = COMMIT) -> None:
    options = {"mirror": bench.mirror, "lock": bench.lock, "patience": bench.patience}
    fetch_model("o/n", revision, files or list(MODEL), folder, **options)


def test_a_model_appears_whole_and_is_downloaded_once(
    server: FlakyServer, bench: Bench, tmp_path: Path
) -> None:
    _offer(server)
    weights = server.files[f"/huggingface.co/o/n/resolve/{COMMIT}/model.safetensors"]
    weights.drops = [200_000] + [0] * 5
    folder = tmp_path / "models" / "bert"
    with pytest.raises(InputError, match="6 times"):
        _fetch_model(bench, folder)
    assert not folder.exists()
    asked = len(server.asked)
    _fetch_model(bench, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == MODEL
    assert len(server.asked) == asked + 1 and server.asked[-1].status == 206
    assert [path.name for path in folder.parent.iterdir()] == ["bert"]
    assert len(read_lock(bench.lock)) == len(MODEL)


@pytest.mark.parametrize(
    "file",
    [
        "pytorch_model.bin",
        "model.pt",
        "tf_model.h5",
        "x.ckpt",
        "modeling.py",
        "a.model",
        "../x.json",
        "/x.json",
    ],
)
def test_unsafe_model_files_are_refused(server: FlakyServer, bench: Bench, tmp_path: Path, file: str) -> None:
    with pytest.raises(InputError, match="model o/n"):
        _fetch_model(bench, tmp_path / "m", ["config.json", file])
    assert not server.asked


@pytest.mark.parametrize("revision", ["main", "v1.0", COMMIT[:12], COMMIT.upper()])
def test_a_models_revision_must_be_pinned(
    server: FlakyServer, bench: Bench, tmp_path: Path, revision: str
) -> None:
    with pytest.raises(InputError, match="pin a commit"):
        _fetch_model(bench, tmp_path / "m", revision=revision)
    assert not server.asked


@pytest.mark.parametrize("config", [b'{"auto_map": {"AutoModel": "modeling.X"}}', b"[]", b"not json"])
def test_a_model_with_code_is_refused_before_its_weights_are_downloaded(
    server: FlakyServer, bench: Bench, tmp_path: Path, config: bytes
) -> None:
    _offer(server, config__json=config)
    with pytest.raises(InputError, match=r"config\.json is refused"):
        _fetch_model(bench, tmp_path / "models" / "m")
    assert not any(request.path.endswith("safetensors") for request in server.asked)
    assert list((tmp_path / "models").iterdir()) == []
