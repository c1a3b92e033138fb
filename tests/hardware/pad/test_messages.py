"""Messages: their bytes as the protocol's page lays them out, written here by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.pad import messages
from hardware.pad.errors import PadMessageError
from hardware.pad.messages import Event, Heartbeat, Hello, Reply, Resumed, TimeReply, parse_from_pad

U8, U16, U24, U32, U48 = (st.integers(0, 2**bits - 1) for bits in (8, 16, 24, 32, 48))


@pytest.mark.parametrize(
    ("command", "body"),
    [
        (messages.hello(), "01 07 02"),
        (messages.dictionary(0x0130), "02 07 30 01"),
        (messages.time(0xA1B2C3D4), "03 07 d4 c3 b2 a1"),
        (messages.get(3), "05 07 03"),
        (messages.set_value(3, 5000), "06 07 03 88 13"),
        (messages.lights(2, 1), "0a 07 02 01"),
        (messages.resume(0x01020304, 9), "0e 07 04 03 02 01 09 00 00 00"),
        (messages.Command(messages.Kind.SAVE), "07 07"),
        (messages.reset(0x0102), "0b 07 02 01 00 00"),
        (messages.calibrate(1), "0d 07 01"),
    ],
)
def test_a_command_is_these_bytes(command: messages.Command, body: str) -> None:
    assert command.pack(7).hex(" ") == body


def test_an_acknowledgement_is_these_bytes() -> None:
    assert messages.ack(0x11, 0x0203).hex(" ") == "04 11 00 00 00 03 02 00 00"


def test_an_event_is_read_from_these_bytes() -> None:
    body = bytes.fromhex("c0 11000000 12000000 0a000000 01 00 05 4e61bc000000 881300 2c01 9402")
    assert parse_from_pad(body) == Event(0x11, 0x12, 10, 1, 0, 5, 12_345_678, 5000, 300, 660)


def test_a_heartbeat_is_read_from_these_bytes() -> None:
    body = bytes.fromhex("c1 12000000 40420f000000 11000000 0b000000 09000000 03 0201 8813 01")
    assert parse_from_pad(body) == Heartbeat(0x12, 1_000_000, 0x11, 11, 9, 3, 0x0102, 5000, 1)


def test_a_time_is_read_from_these_bytes() -> None:
    body = bytes.fromhex("83 07 d4c3b2a1 12000000 010000000000 020000000001")
    assert parse_from_pad(body) == TimeReply(7, 0xA1B2C3D4, 0x12, 1, 2**40 + 2)


def test_a_newer_pads_longer_answer_is_read_as_far_as_it_is_known() -> None:
    hello = Hello(1, 1, (0, 2, 3), 1, 5, 4, 8, 700, 0xBEEF)
    assert Hello.parse(hello.pack() + b"more") == hello
    assert len(hello.pack()) == 19


def test_a_short_answer_names_what_is_short() -> None:
    with pytest.raises(PadMessageError, match="HELLO is too short: 3 bytes, not 19"):
        Hello.parse(b"\x01\x01\x00")
    with pytest.raises(PadMessageError, match="MEASURE has an odd length"):
        messages.words(b"\x01\x02\x03", "MEASURE")


@given(
    st.one_of(
        st.builds(Reply, U8, U8, st.binary(max_size=59)),
        st.builds(TimeReply, U8, U32, U32, U48, U48),
        st.builds(Event, U32, U32, U32, U8, U8, U8, U48, U24, U16, U16),
        st.builds(Heartbeat, U32, U48, U32, U32, U32, U8, U16, U16, U8),
    )
)
def test_what_is_written_is_read_back(message: messages.FromPad) -> None:
    assert parse_from_pad(message.pack()) == message


@given(st.builds(Resumed, U32, U32, U32))
def test_a_resumption_is_read_back(resumed: Resumed) -> None:
    assert Resumed.parse(resumed.pack()) == resumed


@given(st.binary(max_size=64))
def test_any_body_is_a_message_or_refused(body: bytes) -> None:
    try:
        message = parse_from_pad(body)
    except PadMessageError:
        return
    assert message.pack() == body
