"""Messages put together from pieces: each once, whole, in order, whatever the pieces."""

from __future__ import annotations

import os
from multiprocessing import Pipe

import pytest

from arena.referee.inbox import LONGEST, Inbox


@pytest.fixture
def ends():
    pair = Pipe()
    yield pair
    for end in pair:
        end.close()


@pytest.fixture
def sent(ends):
    """What `send_bytes` makes of two messages."""
    ends[0].send_bytes(b"one")
    ends[0].send_bytes(b"and two")
    return os.read(ends[1].fileno(), 1000)


def test_messages_come_out_whole_wherever_they_are_cut(ends, sent):
    for cut in range(1, len(sent)):
        inbox, found = Inbox(ends[1]), []
        for piece in (sent[:cut], sent[cut:]):
            os.write(ends[0].fileno(), piece)
            inbox.read()
            while (message := inbox.message()) is not None:
                found.append(message)
        assert found == [b"one", b"and two"]
        assert not inbox.begun


def test_a_part_of_a_message_is_none(ends):
    inbox = Inbox(ends[1])
    assert not inbox.begun
    os.write(ends[0].fileno(), b"\0\0")
    inbox.read()
    assert inbox.begun
    assert inbox.message() is None


@pytest.mark.parametrize("length", [-1, LONGEST + 1])
def test_a_length_that_cannot_be_is_refused(ends, length):
    inbox = Inbox(ends[1])
    os.write(ends[0].fileno(), length.to_bytes(4, "big", signed=True))
    inbox.read()
    with pytest.raises(ValueError, match=f"a message of {length} bytes"):
        inbox.message()


def test_a_closed_end_is_an_error(ends):
    ends[0].close()
    with pytest.raises(OSError, match="closed"):
        Inbox(ends[1]).read()
