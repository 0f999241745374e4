"""A real HTTP server on loopback that misbehaves as told, and records requests and bytes sent."""

from __future__ import annotations

import socket
import threading
from collections import defaultdict
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """A file and how to serve it.

    `script` has answers to give first, `drops` numbers of bytes after which to hang up; `shift` makes it
    continue at another position than requested, `longest` is the most that it sends of a
    range, and without `ends` it ignores where a range ends.
    """

    body: bytes
    etag: str | None = '"v1"'
    headers: dict[str, str] = field(default_factory=dict)
    script: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    drops: list[int] = field(default_factory=list)
    ranges: bool = True
    shift: int = 0
    longest: int | None = None
    ends: bool = True
    announce: bool = True
    stall: threading.Event | None = None


@dataclass(frozen=True)
class Asked:
    """One request, and how many bytes of the body were sent."""

    path: str
    headers: dict[str, str]
    status: int
    sent: int


class FlakyServer:
    """Serves files by path; records every request in `asked`."""

    def __init__(self) -> None:
        self.files: dict[str, Served] = {}
        self.asked: list[Asked] = []
        handler = type("Handler", (_Handler,), {"owner": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        # In many tests, the client hangs up on a bad answer.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def sent(self) -> dict[str, int]:
        total: dict[str, int] = defaultdict(int)
        for request in self.asked:
            total[request.path] += request.sent
        return total

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class _Handler(BaseHTTPRequestHandler):
    owner: FlakyServer

    def do_GET(self) -> None:
        served = self.owner.files.get(self.path)
        if served is None:
            self._answer(404, {"Content-Type": "text/html"}, b"<html>no such file</html>")
        elif served.script:
            self._answer(*served.script.pop(0), b"")
        else:
            self._serve(served)

    do_HEAD = do_GET  # noqa: N815 (the name is the base class's)

    def _serve(self, served: Served) -> None:
        requested = self._range(served)
        headers = dict(served.headers)
        if served.etag:
            headers["ETag"] = served.etag
        if requested is None:
            self._answer(200, headers, served.body, served)
        elif requested.start >= len(served.body):
            self._answer(416, {}, b"")
        else:
            part = served.body[requested]
            last = requested.start + len(part) - 1
            headers["Content-Range"] = f"bytes {requested.start}-{last}/{len(served.body)}"
            self._answer(206, headers, part, served)

    def _range(self, served: Served) -> slice | None:
        requested = self.headers.get("Range")
        validators = {None, served.etag, served.headers.get("Last-Modified")}
        if not requested or not served.ranges or self.headers.get("If-Range") not in validators:
            return None
        first, last = requested.removeprefix("bytes=").split("-")
        start = int(first) + served.shift
        ends = [int(last) + 1] if last and served.ends else []
        ends += [start + served.longest] if served.longest else []
        return slice(start, min(ends, default=None))

    def _answer(
        self, status: int, headers: dict[str, str], body: bytes, served: Served | None = None
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if served is None or served.announce:
            self.send_header("Content-Length", str(len(body)))
        cut = served.drops.pop(0) if served and served.drops else len(body)
        # Recorded before it is sent, because a client with its answer may look at once.
        self.owner.asked.append(Asked(self.path, dict(self.headers), status, len(body[:cut])))
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(body[:cut])
        if served and served.stall and cut < len(body):
            served.stall.wait(20)
        if cut < len(body):
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""
