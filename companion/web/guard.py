"""Who may talk to the page: this service under its own names, from its own pages, with small JSON bodies.

A page of another site that a player's browser has open must not be able to act at the table: neither by posting across sites
(the origin is checked) nor by pointing a name of its own at this machine, called DNS rebinding (the host is checked).
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from flask import Request

MAX_BODY_BYTES = 16 * 1024
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""On every answer."""


def own_names() -> frozenset[str]:
    """This machine's names on the local network, lower case."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return frozenset(part for part in (name, short, f"{short}.local" if short else "") if part)


def host_allowed(host_header: str, *, lan: bool, names: frozenset[str]) -> bool:
    """Whether a request's Host header names this service.

    On the local network any plain address is fine (an address can't be rebound, and this machine's may change while it
    serves), a name only where it is this machine's. `names`: this machine's, lower case.
    """
    host = _without_port(host_header)
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return lan and host in names
    return lan or address.is_loopback


def same_origin(request: Request) -> bool:
    """Whether a post comes from a page of this service, or from a program that is no browser."""
    origin = request.headers.get("Origin")
    if origin is not None:
        return bool(request.host) and urlsplit(origin).netloc.lower() == request.host.lower()
    return request.headers.get("Sec-Fetch-Site", "none") in {"same-origin", "none"}


def _without_port(host_header: str) -> str:
    host = host_header.strip().lower().rstrip(".")
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].rstrip(".")
