"""Addresses of network streams, as they may be shown."""

from __future__ import annotations

from urllib.parse import urlsplit

from hardware.errors import BadSourceError


def shown_url(url: str) -> str:
    """The address without user, password and query, which is where cameras carry their secrets.

    Raises BadSourceError for what is no address.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise BadSourceError("the stream's address is malformed; it must read like rtsp://host:554/path") from None
    if not host:
        raise BadSourceError("the stream's address names no host; it must read like rtsp://host:554/path")
    secret = "***@" if parts.username is not None or parts.password is not None else ""
    where = f"[{host}]" if ":" in host else host
    query = "?***" if parts.query else ""
    return f"{parts.scheme}://{secret}{where}{f':{port}' if port else ''}{parts.path}{query}"
