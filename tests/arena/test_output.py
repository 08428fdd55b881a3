"""What an agent prints: the last part kept, the rest counted, and never waited for."""

from __future__ import annotations

import os

import pytest

from arena.referee.output import KEPT, Output


@pytest.fixture
def output():
    made = Output()
    yield made
    made.writer.close()
    made.close()


def say(output: Output, text: bytes) -> None:
    os.write(output.writer.fileno(), text)


def test_nothing_printed_is_no_text_and_is_not_waited_for(output):
    assert output.drain()
    assert output.text() == ""


def test_the_last_part_is_kept_and_what_is_lost_is_counted(output):
    for _ in range(3):
        say(output, b"x" * (KEPT // 2))
        output.drain()
    say(output, b"end \xff")
    dropped = KEPT // 2 + 5
    kept = "x" * (KEPT - 5) + "end \N{REPLACEMENT CHARACTER}"
    assert output.text() == f"[{dropped:,} bytes printed before this are not kept]\n{kept}"


def test_a_new_game_forgets_even_what_was_not_read_yet(output):
    say(output, b"old")
    output.forget()
    say(output, b"new")
    assert output.text() == "new"


def test_when_every_writer_is_gone_it_says_so(output):
    say(output, b"last")
    output.writer.close()
    assert output.drain()
    assert not output.drain()
    assert output.text() == "last"
