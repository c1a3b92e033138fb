"""Frames: held against published vectors and another CRC, and found again after any noise."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.pad.errors import PadFrameError
from hardware.pad.frames import MAX_CONTENT, FrameReader, crc16, decode_frame, encode_frame, stuff, unstuff

BODIES = st.binary(min_size=1, max_size=MAX_CONTENT - 2)

# Cheshire and Baker's scheme, as tabulated in the encyclopaedia's article on consistent overhead byte stuffing.
PUBLISHED = [
    ("00", "0101"),
    ("0000", "010101"),
    ("001100", "01021101"),
    ("11220033", "0311220233"),
    ("11223344", "0511223344"),
    ("11000000", "0211010101"),
    (bytes(range(1, 0xFF)).hex(), "ff" + bytes(range(1, 0xFF)).hex()),
    (bytes(range(0xFF)).hex(), "01ff" + bytes(range(1, 0xFF)).hex()),
    (bytes(range(1, 0x100)).hex(), "ff" + bytes(range(1, 0xFF)).hex() + "02ff"),
    (bytes([*range(2, 0x100), 0]).hex(), "ff" + bytes(range(2, 0x100)).hex() + "0101"),
    (bytes([*range(3, 0x100), 0, 1]).hex(), "fe" + bytes(range(3, 0x100)).hex() + "0201"),
]


@pytest.mark.parametrize(("plain", "stuffed"), PUBLISHED)
def test_stuffing_is_the_published_one(plain: str, stuffed: str) -> None:
    assert stuff(bytes.fromhex(plain)).hex() == stuffed
    assert unstuff(bytes.fromhex(stuffed)).hex() == plain


def crc_bit_by_bit(data: bytes) -> int:
    """The definition: polynomial 0x1021, start 0xFFFF, most significant bit first, nothing reflected."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1
            crc &= 0xFFFF
    return crc


def test_the_checksum_is_the_catalogues() -> None:
    """Its check value, of the digits 1 to 9, in the catalogue of parametrised CRC algorithms."""
    assert crc16(b"123456789") == 0x29B1


@given(st.binary(max_size=80))
def test_the_checksum_is_its_definition(data: bytes) -> None:
    assert crc16(data) == crc_bit_by_bit(data)


@given(BODIES)
def test_a_frame_holds_a_zero_at_its_ends_only(body: bytes) -> None:
    frame = encode_frame(body)
    assert frame[0] == frame[-1] == 0
    assert 0 not in frame[1:-1]
    assert decode_frame(frame[1:-1]) == body


@pytest.mark.parametrize("length", [0, MAX_CONTENT - 1])
def test_a_body_that_no_frame_holds_is_refused(length: int) -> None:
    with pytest.raises(PadFrameError, match="1 to 62 bytes"):
        encode_frame(bytes(length))


@given(st.binary(max_size=100))
def test_any_bytes_are_a_frame_or_refused(data: bytes) -> None:
    """What is read as a frame is the one frame that is written so."""
    try:
        body = decode_frame(data)
    except PadFrameError:
        return
    assert encode_frame(body)[1:-1] == data


@given(BODIES, st.data())
def test_one_or_two_wrong_bits_are_seen(body: bytes, data: st.DataObject) -> None:
    """A CRC of 16 bits finds these for sure at this length; behind the stuffing they may become a broken one as well."""
    content = bytearray(body + crc16(body).to_bytes(2, "little"))
    bits = data.draw(st.sets(st.integers(0, 8 * len(content) - 1), min_size=1, max_size=2))
    for bit in bits:
        content[bit // 8] ^= 1 << bit % 8
    with pytest.raises(PadFrameError):
        decode_frame(stuff(bytes(content)))


@given(st.lists(BODIES, max_size=8), st.lists(st.integers(0, 400), max_size=12))
def test_frames_are_found_however_the_stream_is_cut(bodies: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(encode_frame(body) for body in bodies)
    reader = FrameReader()
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    found = [body for start, end in pairwise(edges) for body in reader.feed(stream[start:end])]
    assert found == bodies
    assert reader.counts.broken == 0


@given(st.binary(max_size=300), BODIES)
def test_after_any_noise_the_next_whole_frame_is_found(noise: bytes, body: bytes) -> None:
    """Its first 0x00 ends whatever the noise looked like."""
    reader = FrameReader()
    reader.feed(noise)
    assert reader.feed(encode_frame(body))[-1:] == [body]


def test_endless_noise_fills_no_memory() -> None:
    reader = FrameReader()
    for _ in range(1000):
        assert reader.feed(b"\x55" * 1000) == []
    assert len(reader._piece) <= MAX_CONTENT + 1
    assert reader.feed(b"\x00") == []
    assert (reader.counts.good, reader.counts.broken) == (0, 1)


def test_frames_may_share_a_delimiter() -> None:
    first, second = encode_frame(b"one"), encode_frame(b"two")
    assert FrameReader().feed(first + second[1:]) == [b"one", b"two"]
