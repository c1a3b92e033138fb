"""Frames of the pad's serial line: byte-stuffed, checked, and found again after any noise (docs/pad-protocol.md).

A frame's content is 1 to 62 bytes and a CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF) over them, low byte first; the whole
is byte-stuffed (COBS: Cheshire and Baker 1999) so that it holds no 0x00, and stands between two 0x00.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass

from hardware.pad.errors import PadFrameError

DELIMITER = 0x00
MAX_CONTENT = 64
"""Bytes of content with its CRC."""
MAX_STUFFED = MAX_CONTENT + 1
"""Below 255 bytes COBS adds exactly one."""
CRC_BYTES = 2
_CRC_START = 0xFFFF
_LONGEST_RUN = 0xFF


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE of the bytes, 0 to 65535."""
    return binascii.crc_hqx(data, _CRC_START)


def stuff(data: bytes) -> bytes:
    """COBS: the same data without a 0x00, one byte longer for every 254 begun."""
    out = bytearray()
    code_at = 0
    out.append(1)
    for byte in data:
        if out[code_at] == _LONGEST_RUN:
            code_at = len(out)
            out.append(1)
        if byte == DELIMITER:
            code_at = len(out)
            out.append(1)
        else:
            out.append(byte)
            out[code_at] += 1
    return bytes(out)


def unstuff(data: bytes) -> bytes:
    """Takes COBS off. Raises PadFrameError where the data is none."""
    out = bytearray()
    at = 0
    while at < len(data):
        code = data[at]
        run = data[at + 1 : at + code]
        if code == DELIMITER or DELIMITER in run or len(run) != code - 1:
            raise PadFrameError("the frame is broken: its byte stuffing does not fit")
        out += run
        at += code
        if code != _LONGEST_RUN and at < len(data):
            out.append(DELIMITER)
    return bytes(out)


def encode_frame(body: bytes) -> bytes:
    """A frame as it goes over the line, from its first 0x00 to its last. Raises PadFrameError for an empty or too long body."""
    if not 0 < len(body) <= MAX_CONTENT - CRC_BYTES:
        raise PadFrameError(f"a frame holds 1 to {MAX_CONTENT - CRC_BYTES} bytes, not {len(body)}")
    content = body + crc16(body).to_bytes(CRC_BYTES, "little")
    return bytes((DELIMITER, *stuff(content), DELIMITER))


def decode_frame(stuffed: bytes) -> bytes:
    """The body of what stood between two 0x00. Raises PadFrameError."""
    if len(stuffed) > MAX_STUFFED:
        raise PadFrameError(f"the frame is broken: longer than {MAX_STUFFED} bytes")
    content = unstuff(stuffed)
    if len(content) <= CRC_BYTES:
        raise PadFrameError("the frame is broken: too short")
    body, check = content[:-CRC_BYTES], int.from_bytes(content[-CRC_BYTES:], "little")
    if crc16(body) != check:
        raise PadFrameError("the frame is broken: its checksum does not fit")
    return body


@dataclass(slots=True)
class FrameCounts:
    """What came over the line so far."""

    good: int = 0
    broken: int = 0
    """Pieces between two 0x00 that are no frame: noise, or frames that noise has hit."""
    data_bytes: int = 0


class FrameReader:
    """Finds frames in a stream of bytes, however it is cut; after noise it is right again from the next 0x00 on."""

    def __init__(self) -> None:
        self.counts = FrameCounts()
        self._piece = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> list[bytes]:
        """Takes bytes as they came; returns the bodies of the frames that they complete, in order. Never raises."""
        self.counts.data_bytes += len(data)
        *ended, rest = data.split(b"\x00")
        bodies = []
        for part in ended:
            self._extend(part)
            body = self._finish()
            if body is not None:
                bodies.append(body)
        self._extend(rest)
        return bodies

    def clear(self) -> None:
        """Forgets a frame that has begun, where the line was opened anew."""
        self._piece.clear()
        self._too_long = False

    def _extend(self, part: bytes) -> None:
        # Noise without a 0x00 must not fill the memory.
        room = MAX_STUFFED - len(self._piece)
        self._too_long = self._too_long or len(part) > room
        self._piece += part[: max(room, 0)]

    def _finish(self) -> bytes | None:
        piece, too_long = bytes(self._piece), self._too_long
        self.clear()
        if not piece and not too_long:
            return None  # the 0x00 that ends a frame and the one that begins the next
        if not too_long:
            try:
                body = decode_frame(piece)
            except PadFrameError:
                pass
            else:
                self.counts.good += 1
                return body
        self.counts.broken += 1
        return None
