"""Serves the page: a thread for every stream and sixteen more, so that a post is answered while all streams hang.

A stream holds its thread for as long as its viewer watches. Bound to this machine alone unless the local network is asked for.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import socket
import struct
import threading
from dataclasses import dataclass
from typing import Any, TextIO

import segno
from flask import Flask
from waitress import wasyncore
from waitress.server import create_server

from companion.errors import BadInputError, BusyError
from companion.web import guard
from companion.web.app import STREAM_CAP, broadcast_of, create_app
from companion.web.clips import add_clips
from companion.web.desk import Desk

PORT = 8765
SPARE_THREADS = 16
"""Threads beyond one a stream: for the page, its files and posts."""
LOOP_S = 0.5
"""How soon the server notices that it should stop."""
KEEP_ALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 15),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 30_000),
]
"""A phone that left the network without a word gives its stream back within half a minute. Set on the listening socket, from
which every connection inherits them."""
SIOCGIFADDR = 0x8915


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the page can be opened."""

    best: str
    """For the QR code."""
    others: tuple[str, ...] = ()


class AppServer:
    """An app on a port. The port is taken when it is made; it answers from `start` or `run` on."""

    title = "The page"

    def __init__(self, app: Flask, *, port: int = PORT, lan: bool = False, streams: int = 0) -> None:
        """`port` 0 takes any free one. `streams`: answers at a time that hold their thread for as long as somebody watches.

        Raises BusyError where the port is taken and BadInputError where it can't be used.
        """
        self.lan = lan
        self.app = app
        self.host = "0.0.0.0" if lan else "127.0.0.1"
        self._socket = _bind(self.host, port)
        self.port: int = self._socket.getsockname()[1]
        self._map: dict[int, Any] = {}
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._runner: threading.Thread | None = None
        threads = streams + SPARE_THREADS
        self._server = create_server(
            self.app,
            map=self._map,
            sockets=[self._socket],
            threads=threads,
            connection_limit=2 * streams + 200,  # a browser keeps spare connections beside its stream
            backlog=1024,
            channel_request_lookahead=1,  # reads on while a stream runs, and so sees the viewer leave
            outbuf_high_watermark=48 * 1024,  # a viewer that can't keep up waits; its buffer is renewed at this size
            max_request_body_size=4 * guard.MAX_BODY_BYTES,
            max_request_header_size=32 * 1024,
            asyncore_use_poll=True,
            ident="hoshiban",
        )

    @property
    def url(self) -> str:
        """The page's address on this machine."""
        return f"http://127.0.0.1:{self.port}/"

    def addresses(self) -> Addresses:
        """Every address under which the page answers, the best for other devices first."""
        if not self.lan:
            return Addresses(self.url)
        found = [f"http://{address}:{self.port}/" for address in lan_addresses()]
        named = [f"http://{name}:{self.port}/" for name in sorted(guard.own_names()) if name.endswith(".local")]
        best, *others = [*found, *named, self.url]
        return Addresses(best, tuple(others))

    def greet(self, out: TextIO) -> None:
        """Prints the address and its QR code for people."""
        where = self.addresses()
        out.write(f"{self.title}: {where.best}\n")
        for other in where.others:
            out.write(f"             also: {other}\n")
        # A terminal that can't show the code still has the address.
        with contextlib.suppress(UnicodeEncodeError):
            segno.make(where.best, micro=False).terminal(out=out, border=2, compact=True)
        if not self.lan:
            out.write("Only this machine can open it; start with --lan to let phones and tablets in.\n")
        out.flush()

    def start(self) -> None:
        """Serves in a thread of its own until `close`."""
        self._runner = threading.Thread(target=self.run, name="page-server", daemon=True)
        self._runner.start()

    def run(self) -> None:
        """Serves in this thread until `close` is called, from any thread or a signal's handler, or a KeyboardInterrupt."""
        self._runner = threading.current_thread()
        try:
            while self._map and not self._stop.is_set():
                wasyncore.loop(timeout=LOOP_S, use_poll=True, map=self._map, count=1)
        finally:
            self._let_go()

    def close(self) -> None:
        """Ends the streams and gives the port back. May be called twice."""
        self._stop.set()
        self._end_streams()
        if self._runner is None:
            self._let_go()
            return
        with contextlib.suppress(OSError):  # already let go
            self._server.pull_trigger()
        if self._runner is not threading.current_thread():
            self._ended.wait(timeout=10)

    def _end_streams(self) -> None:
        """What holds threads lets them go."""

    def _let_go(self) -> None:
        self._end_streams()
        self._server.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._map)
        self._ended.set()


class PageServer(AppServer):
    """The page of a desk on a port."""

    title = "The table's page"

    def __init__(
        self,
        desk: Desk,
        *,
        port: int = PORT,
        lan: bool = False,
        stream_cap: int = STREAM_CAP,
        names: tuple[str, ...] = (),
    ) -> None:
        """As AppServer; `names`: further host names that the page answers to."""
        app = create_app(desk, stream_cap=stream_cap, lan=lan, names=frozenset(name.lower() for name in names))
        add_clips(app, desk)
        super().__init__(app, port=port, lan=lan, streams=stream_cap)

    def _end_streams(self) -> None:
        broadcast_of(self.app).close()


def lan_addresses() -> tuple[str, ...]:
    """This machine's IPv4 addresses on its networks, without loopback, the one that leads outward first. Sends nothing."""
    found: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Connecting a datagram socket sends no packet; the kernel only picks the address that it would use.
        with contextlib.suppress(OSError):
            probe.connect(("192.0.2.1", 9))
            found.append(probe.getsockname()[0])
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):  # an interface without an address
                answer = fcntl.ioctl(probe.fileno(), SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
                found.append(socket.inet_ntoa(answer[20:24]))
    return tuple(dict.fromkeys(address for address in found if not address.startswith(("127.", "0."))))


def _bind(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise BadInputError(f"--port {port}: a port is a number from 1 to 65535")
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    for level, option, value in KEEP_ALIVE:
        listener.setsockopt(level, option, value)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise BusyError(
                f"port {port} is in use, perhaps by another hoshiban: stop that one, or take another with --port {port + 1}"
            ) from None
        if error.errno == errno.EACCES:
            raise BadInputError(f"port {port} is the system's: take one from 1024 on with --port {PORT}") from None
        raise BadInputError(f"port {port} can't be opened ({error.strerror}): take another with --port") from None
    return listener
