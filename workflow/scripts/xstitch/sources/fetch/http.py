"""Downloading one file over HTTP: it resumes, backs off, and knows which answers are final."""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NoReturn

import requests
from tqdm import tqdm
from urllib3.exceptions import HTTPError as StreamError

from xstitch.core.errors import InputError
from xstitch.core.integrity import byte_bar, expects_html, first_bytes
from xstitch.sources.fetch.addresses import file_name, origin, shown
from xstitch.sources.fetch.partial import Origin, Partial

PIECE = 1 << 16  # small, because a dropped connection loses the current piece
# After this much progress in one connection, failures are counted from zero again.
GOOD_PROGRESS = 1 << 20
# Answers that may change if asked again later; so may all from 500.
BUSY = {408, 425, 429}


@dataclass(frozen=True)
class Patience:
    """How long to wait and how often to try; `sleep` is a field, so that tests need not wait."""

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    longest_asked: float = 900.0
    timeout: tuple[float, float] = (20.0, 60.0)
    sleep: Callable[[float], None] = time.sleep

    def wait(self, failures: int) -> float:
        """Back off exponentially; jitter keeps many jobs from coming back at the same time."""
        return min(self.longest_wait, self.first_wait * 2 ** (failures - 1)) * random.uniform(0.5, 1.0)


@dataclass(frozen=True)
class Token(requests.auth.AuthBase):
    """A bearer token for one server, read from the environment when used, so that no file or log has it."""

    variable: str = "HF_TOKEN"
    server: str = "https://huggingface.co"

    def fits(self, source: str) -> bool:
        """Whether there is a token and it belongs to the server of `source`."""
        return bool(self.variable and os.environ.get(self.variable)) and origin(source) == self.server

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Sign the request; requests drops the header on a redirect to another host."""
        request.headers["Authorization"] = f"Bearer {os.environ[self.variable].strip()}"
        return request


class _InterruptionError(Exception):
    """This attempt failed, but the next may succeed."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


def save(pieces: Iterable[bytes], partial: Partial, bar: tqdm) -> None:
    """Append the pieces and flush each at once, so that a killed job loses nothing."""
    with bar, partial.file.open("ab") as out:
        for piece in pieces:
            out.write(piece)
            out.flush()
            bar.update(len(piece))


def check_space(url: str, partial: Partial, needed: int) -> None:
    """Refuse a file too large for the disk before the first byte."""
    free = shutil.disk_usage(partial.target.parent).free
    if needed > free:
        room = f"{needed / 1e9:.2f} GB, but {partial.target.parent} has {free / 1e9:.2f} GB free"
        raise InputError(f"{url}: needs {room}; make room and run again")


class HttpDownload:
    """One download over HTTP, of a file or its head: each attempt continues where the last one ended."""

    def __init__(
        self,
        url: str,
        source: str,
        partial: Partial,
        token: Token | None,
        patience: Patience,
        head: int | None = None,
    ) -> None:
        self.url, self.source, self.partial, self.patience, self.head = url, source, partial, patience, head
        self.auth = token if token and token.fits(source) else None
        # With a mirror, also name the server that was really asked.
        self.label = url if source == url else f"{url} (from {shown(source)})"

    def run(self) -> None:
        """Try until the file is complete, the server's answer is final, or patience runs out."""
        failures, best = 0, self.partial.size
        with requests.Session() as session:
            while True:
                try:
                    return self._attempt(session)
                except _InterruptionError as problem:
                    failures = 1 if self.partial.size >= best + GOOD_PROGRESS else failures + 1
                    best = max(best, self.partial.size)
                    self._wait(problem, failures)

    def _wait(self, problem: _InterruptionError, failures: int) -> None:
        """Back off before the next attempt, at least as long as the server asks, or give up."""
        if failures >= self.patience.attempts:
            self._give_up(
                f"{problem}, {failures} times; run again to continue, or set `mirror` in the config"
            )
        if problem.retry_after is not None and problem.retry_after > self.patience.longest_asked:
            self._give_up(f"{problem}; the server asks to wait {problem.retry_after:.0f} s: run again later")
        seconds = max(self.patience.wait(failures), problem.retry_after or 0.0)
        print(f"{self.label}: {problem}; trying again in {seconds:.1f} s", file=sys.stderr)
        self.patience.sleep(seconds)

    def _give_up(self, reason: str) -> NoReturn:
        """Fail in one line; remove bytes that no later run could continue."""
        if self.partial.origin(shown(self.source)) is None:
            self.partial.discard()
        raise InputError(f"{self.label}: {reason}")

    def _attempt(self, session: requests.Session) -> None:
        """Request the missing bytes and append them."""
        if self.head is not None:
            self.partial.cut(self.head)
        previous = self.partial.origin(shown(self.source))
        if previous and self.partial.size == self._wanted(previous.size):
            return
        headers = {"Accept-Encoding": "identity", "User-Agent": "xstitch"} | self._range(previous)
        try:
            with session.get(
                self.source, headers=headers, auth=self.auth, stream=True, timeout=self.patience.timeout
            ) as response:
                self._receive(response, previous)
        except (requests.ConnectionError, requests.Timeout, StreamError) as problem:
            # Messages of these errors include addresses with their secrets: only print their type.
            if "CERTIFICATE_VERIFY_FAILED" in str(problem):
                self._give_up("the server's certificate is not valid")
            raise _InterruptionError(f"the connection failed ({type(problem).__name__})") from None
        except requests.RequestException as problem:
            self._give_up(f"the request failed ({type(problem).__name__})")

    def _wanted(self, size: int | None) -> int | None:
        """Return how many bytes to get of a file of this size; None if all, and its size is unknown."""
        return min((limit for limit in (size, self.head) if limit is not None), default=None)

    def _range(self, previous: Origin | None) -> dict[str, str]:
        """Return the headers that ask for the missing bytes only; none if these are the whole file."""
        last = "" if self.head is None else self.head - 1
        if previous:
            return {"Range": f"bytes={self.partial.size}-{last}", "If-Range": previous.validator}
        return {} if self.head is None else {"Range": f"bytes=0-{last}"}

    def _receive(self, response: requests.Response, previous: Origin | None) -> None:
        """Check the response, then write its body."""
        self._check_status(response, resuming=previous is not None)
        self._check_kind(response)
        ranged = response.status_code == 206
        size = self._check_range(response, previous) if ranged else _length(response)
        if not (ranged and previous):  # a server without ranges sends the file from its start
            self.partial.begin(Origin(shown(self.source), _validator(response), size))
        received, wanted = self.partial.size, self._wanted(size)
        check_space(self.url, self.partial, (wanted or received) - received)
        pieces = response.raw.stream(PIECE, decode_content=False)
        if self.head is not None:
            pieces = first_bytes(pieces, self.head - received)
        save(pieces, self.partial, byte_bar(file_name(self.url), wanted, initial=received))
        self._check_received(size)

    def _check_received(self, size: int | None) -> None:
        """Refuse fewer bytes than wanted and more than announced, unless the size of the file is unknown."""
        if size is None:
            return
        wanted = self._wanted(size)
        if self.partial.size < wanted:
            raise _InterruptionError(f"the connection ended after {self.partial.size} of {wanted} bytes")
        if self.partial.size > size:
            self.partial.discard()
            raise _InterruptionError(f"the server sent more than the announced {size} bytes")

    def _check_status(self, response: requests.Response, resuming: bool) -> None:
        """Accept good answers, retry those worth another attempt, and give up on final ones."""
        status = response.status_code
        if status in BUSY or status >= 500:
            raise _InterruptionError(
                f"the server answered {status} {response.reason}", _retry_after(response)
            )
        if status == 416 and resuming:
            self.partial.discard()
            raise _InterruptionError("the server refused to continue the file")
        if status in (401, 403):
            self._give_up(f"the server answered {status}: access refused (a token or licence may be needed)")
        if status not in (200, 206) or (status == 206 and not resuming and self.head is None):
            self.partial.discard()
            self._give_up(f"the server answered {status} {response.reason}; check the address")
        if self.source.startswith("https://") and not response.url.startswith("https://"):
            self._give_up("the server redirects to an unencrypted address")

    def _check_kind(self, response: requests.Response) -> None:
        """Refuse what cannot be the file by its headers, before gigabytes arrive."""
        name = file_name(self.url)
        if response.headers.get("Content-Type", "").lower().startswith("text/html") and not expects_html(
            name
        ):
            self._give_up("the server sent an HTML page instead of the data (an error or login page?)")
        # Some servers declare .gz files as gzip-encoded, but send exactly the file's bytes.
        coding = response.headers.get("Content-Encoding", "identity").lower()
        if coding != "identity" and not name.endswith((".gz", ".tgz")):
            self._give_up(f"the server sent the file encoded ({coding}), although a plain one was requested")

    def _check_range(self, response: requests.Response, previous: Origin | None) -> int:
        """Return the file's full size, if the response continues the bytes so far, or begins the file."""
        match = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
        start = self.partial.size if previous else 0
        changed = previous and _validator(response) not in (None, previous.validator)
        if (
            not match
            or int(match[1]) != start
            or changed
            or (previous and previous.size not in (None, int(match[2])))
        ):
            self.partial.discard()
            raise _InterruptionError("the server's answer does not continue the file; starting over")
        return int(match[2])


def _validator(response: requests.Response) -> str | None:
    """Return what distinguishes versions of the file: a strong ETag, or the date of its last change."""
    tag = response.headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified")


def _length(response: requests.Response) -> int | None:
    """Return the announced size, if there is one."""
    text = response.headers.get("Content-Length", "")
    return int(text) if text.isdecimal() else None


def _retry_after(response: requests.Response) -> float | None:
    """Return the seconds of Retry-After, which may be a number or a date."""
    text = response.headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
