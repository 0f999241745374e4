"""Web addresses: which are accepted, how they are printed, and where a mirror keeps their files."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from urllib.parse import SplitResult, unquote, urlsplit

from xstitch.core.errors import InputError

HEAD = "#bytes=0-"  # before the number of the last byte, as in HTTP


def shown(address: str) -> str:
    """Return the address without user name, password and query, which can be secrets."""
    if "://" not in address:
        return address
    try:
        parts = urlsplit(address)
    except ValueError:  # secrets cannot be told from the rest
        return f"{address.partition('://')[0]}://..."
    return f"{parts.scheme}://{_host(parts)}{parts.path}"


def origin(address: str) -> str:
    """Return scheme, host and port: what a token belongs to."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{_host(parts)}"


def file_name(address: str) -> str:
    """Return the last part of the path, lower-cased: its suffix says what the file should be."""
    return PurePosixPath(unquote(urlsplit(address).path)).name.lower()


def head_address(url: str, head: int | None) -> str:
    """Name the first bytes of a file, or all if there is no `head`; published addresses have no fragment."""
    return url if head is None else f"{url}{HEAD}{head - 1}"


def split_head(address: str) -> tuple[str, int | None]:
    """Return the address of a file, and how many of its first bytes are meant; None: all of them."""
    url, _, last = address.partition(HEAD)
    return url, int(last) + 1 if last else None


def check_address(url: str) -> SplitResult:
    """Refuse an address that does not unambiguously name one public file on the network and in a mirror."""
    if re.search(r"[\s\x00-\x1f\\]", url):
        raise InputError(
            f"{shown(url)!r}: an address must not have spaces, backslashes or control characters"
        )
    parts = _parts(url, shown(url))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{shown(url)}: only http:// and https:// addresses can be downloaded")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise InputError(f"{shown(url)}: an address must not have a query, fragment or password; shorten it")
    if any(part in (".", "..") for part in unquote(parts.path).split("/")):
        raise InputError(f"{shown(url)}: an address must not have '..'; write the plain path")
    return parts


def mirrored(url: str, mirror: str) -> str:
    """Return where to fetch `url` from: itself, or `<mirror>/<host>/<path>` in a folder or on a server."""
    parts = check_address(url)
    if not mirror:
        return url
    if "://" not in mirror:
        return str(Path(mirror).expanduser() / _host(parts) / unquote(parts.path).lstrip("/"))
    check_mirror(mirror)
    return f"{mirror.rstrip('/')}/{_host(parts)}{parts.path}"


def check_mirror(mirror: str) -> None:
    """Refuse a mirror that is neither folder nor server, or has secrets, because settings are recorded."""
    if "://" not in mirror:
        return
    if not mirror.startswith(("http://", "https://")):
        raise InputError(f"config: mirror: {shown(mirror)}: name a folder or an http(s) address")
    parts = _parts(mirror, f"config: mirror: {shown(mirror)}")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise InputError(
            f"config: mirror: {shown(mirror)}: must not have a password, query or fragment; put the password "
            "into ~/.netrc (machine HOST login NAME password PASSWORD)"
        )


def _parts(address: str, label: str) -> SplitResult:
    """Split an address, and check its port, which urlsplit only does on access."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as problem:
        raise InputError(f"{label}: not a web address ({problem}); correct it") from problem
    return parts


def _host(parts: SplitResult) -> str:
    """Host and port, without a user name or password."""
    return parts.netloc.rpartition("@")[2].lower()
