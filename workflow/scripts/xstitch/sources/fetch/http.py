"""One file over HTTP: it resumes, backs off, and knows which answers are final."""

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
from xstitch.core.integrity import byte_bar, expects_html
from xstitch.sources.fetch.addresses import file_name, origin, shown
from xstitch.sources.fetch.partial import Origin, Partial

# Small, because a dropped connection loses the piece it was in.
PIECE = 1 << 16
# A connection that brought this much was worth having: the count of failures starts anew.
GOOD_PROGRESS = 1 << 20
# Beside all of 500 and above: answers that another moment may change.
BUSY = {408, 425, 429}


@dataclass(frozen=True)
class Patience:
    """How long to wait and how often to try; `sleep` is a field so that tests need not wait."""

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    longest_asked: float = 900.0
    timeout: tuple[float, float] = (20.0, 60.0)
    sleep: Callable[[float], None] = time.sleep

    def wait(self, failures: int) -> float:
        """Exponential back-off; jitter keeps many jobs from coming back at the same moment."""
        return min(self.longest_wait, self.first_wait * 2 ** (failures - 1)) * random.uniform(0.5, 1.0)


@dataclass(frozen=True)
class Token(requests.auth.AuthBase):
    """A bearer token of one server, read from the environment at use so that no file or log holds it."""

    variable: str = "HF_TOKEN"
    server: str = "https://huggingface.co"

    def fits(self, source: str) -> bool:
        """Whether there is a token and `source` is on the server that it belongs to."""
        return bool(self.variable and os.environ.get(self.variable)) and origin(source) == self.server

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Sign the request; requests drops the header on a redirect to another host."""
        request.headers["Authorization"] = f"Bearer {os.environ[self.variable].strip()}"
        return request


class _InterruptionError(Exception):
    """This attempt failed, the next may not."""

    def __init__(self, reason: str, asked: float | None = None) -> None:
        super().__init__(reason)
        self.asked = asked


def save(pieces: Iterable[bytes], partial: Partial, bar: tqdm) -> None:
    """Append the pieces, each flushed at once, so that a killed job keeps what it had."""
    with bar, partial.file.open("ab") as out:
        for piece in pieces:
            out.write(piece)
            out.flush()
            bar.update(len(piece))


def check_space(url: str, partial: Partial, needed: int) -> None:
    """Refuse before the first byte what the disk cannot hold."""
    free = shutil.disk_usage(partial.target.parent).free
    if needed > free:
        room = f"{needed / 1e9:.2f} GB, but {partial.target.parent} has {free / 1e9:.2f} GB free"
        raise InputError(f"{url}: needs {room}; make room and run again")


class HttpDownload:
    """One download over HTTP: attempts that each continue where the last one ended."""

    def __init__(
        self, url: str, source: str, partial: Partial, token: Token | None, patience: Patience
    ) -> None:
        self.url, self.source, self.partial, self.patience = url, source, partial, patience
        self.auth = token if token and token.fits(source) else None
        # Beside the address the server that was really asked, where that is a mirror.
        self.label = url if source == url else f"{url} (from {shown(source)})"

    def run(self) -> None:
        """Try until the file is complete, the server's answer is final, or patience ends."""
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
        """Back off before the next attempt, as long as the server asks, or give up."""
        if failures >= self.patience.attempts:
            self._give_up(
                f"{problem}, {failures} times; run again to continue, or set `mirror` in the config"
            )
        if problem.asked is not None and problem.asked > self.patience.longest_asked:
            self._give_up(f"{problem}; the server asks to wait {problem.asked:.0f} s: run again later")
        seconds = max(self.patience.wait(failures), problem.asked or 0.0)
        print(f"{self.label}: {problem}; trying again in {seconds:.1f} s", file=sys.stderr)
        self.patience.sleep(seconds)

    def _give_up(self, reason: str) -> NoReturn:
        """End in one line; bytes that no later run could continue are removed."""
        if self.partial.origin(shown(self.source)) is None:
            self.partial.discard()
        raise InputError(f"{self.label}: {reason}")

    def _attempt(self, session: requests.Session) -> None:
        """Ask for what is missing and append it."""
        before = self.partial.origin(shown(self.source))
        if before and before.size == self.partial.size:
            return
        headers = {"Accept-Encoding": "identity", "User-Agent": "xstitch"}
        if before:
            headers |= {"Range": f"bytes={self.partial.size}-", "If-Range": before.validator}
        try:
            with session.get(
                self.source, headers=headers, auth=self.auth, stream=True, timeout=self.patience.timeout
            ) as response:
                self._receive(response, before)
        except (requests.ConnectionError, requests.Timeout, StreamError) as problem:
            # The messages of these errors hold addresses with their secrets: only their kind is told.
            if "CERTIFICATE_VERIFY_FAILED" in str(problem):
                self._give_up("the server's certificate is not valid")
            raise _InterruptionError(f"the connection failed ({type(problem).__name__})") from None
        except requests.RequestException as problem:
            self._give_up(f"the request failed ({type(problem).__name__})")

    def _receive(self, response: requests.Response, before: Origin | None) -> None:
        """Judge the answer, then write its body."""
        self._check_status(response, resuming=before is not None)
        self._check_kind(response)
        if response.status_code == 206:
            size = self._check_range(response, before)
        else:
            size = _length(response)
            self.partial.begin(Origin(shown(self.source), _validator(response), size))
        have = self.partial.size
        check_space(self.url, self.partial, (size or have) - have)
        pieces = response.raw.stream(PIECE, decode_content=False)
        save(pieces, self.partial, byte_bar(file_name(self.url), size, initial=have))
        if size is not None and self.partial.size < size:
            raise _InterruptionError(f"the connection ended after {self.partial.size} of {size} bytes")
        if size is not None and self.partial.size > size:
            self.partial.discard()
            raise _InterruptionError(f"more came than the {size} bytes announced")

    def _check_status(self, response: requests.Response, resuming: bool) -> None:
        """Sort answers into good ones, those worth another attempt, and final ones."""
        status = response.status_code
        if status in BUSY or status >= 500:
            raise _InterruptionError(f"the server answered {status} {response.reason}", _asked(response))
        if status == 416 and resuming:
            self.partial.discard()
            raise _InterruptionError("the server refused to continue the file")
        if status in (401, 403):
            self._give_up(f"the server answered {status}: access refused (a token or licence may be needed)")
        if status not in (200, 206) or (status == 206 and not resuming):
            self.partial.discard()
            self._give_up(f"the server answered {status} {response.reason}; check the address")
        if self.source.startswith("https://") and not response.url.startswith("https://"):
            self._give_up("the server redirects to an unencrypted address")

    def _check_kind(self, response: requests.Response) -> None:
        """Refuse by its headers what cannot be the file, before gigabytes of it come."""
        name = file_name(self.url)
        if response.headers.get("Content-Type", "").lower().startswith("text/html") and not expects_html(
            name
        ):
            self._give_up("the server sent an HTML page instead of the data (an error or log-in page?)")
        # Some servers call .gz files gzip-encoded, and mean the very bytes that are wanted.
        coding = response.headers.get("Content-Encoding", "identity").lower()
        if coding != "identity" and not name.endswith((".gz", ".tgz")):
            self._give_up(f"the server sent the file encoded ({coding}) although the plain one was asked for")

    def _check_range(self, response: requests.Response, before: Origin) -> int:
        """The file's full size, if the answer really continues the bytes at hand."""
        match = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
        changed = _validator(response) not in (None, before.validator)
        if (
            not match
            or int(match[1]) != self.partial.size
            or changed
            or before.size not in (None, int(match[2]))
        ):
            self.partial.discard()
            raise _InterruptionError("the server's answer does not continue the file; starting over")
        return int(match[2])


def _validator(response: requests.Response) -> str | None:
    """What tells two versions of the file apart: a strong ETag, else the date of its last change."""
    tag = response.headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified")


def _length(response: requests.Response) -> int | None:
    """The announced size, if there is one."""
    text = response.headers.get("Content-Length", "")
    return int(text) if text.isdecimal() else None


def _asked(response: requests.Response) -> float | None:
    """Seconds of Retry-After, which may be a number or a date."""
    text = response.headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
